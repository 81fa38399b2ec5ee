"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, where = document) => [...where.querySelectorAll(selector)];

  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value !== false) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  }

  /* ---------------------------------------------------------- what the page brings */

  const store = document.getElementById("sa-traces");
  const traces = new Map(
    (store ? all("[data-trace]", store.content) : []).map((told) => [told.dataset.trace, {
      told,
      from: (told.dataset.from || "").split(" ").filter(Boolean),
      digits: (told.dataset.digits || "").split(" ").filter(Boolean),
    }]),
  );
  const cells = all("[data-cell]").filter((cell) => traces.has(cell.dataset.cell));
  const places = new Map(); // entry -> where it stands on the page
  for (const cell of cells) {
    const found = places.get(cell.dataset.cell);
    if (found) found.push(cell);
    else places.set(cell.dataset.cell, [cell]);
  }
  const order = [...traces.keys()].filter((name) => places.has(name));
  const isShown = (element) => element.getClientRects().length > 0;

  /* ---------------------------------------------------------- switches */

  const bar = make("section", { class: "sa-bar", "aria-label": "How the page is shown" });
  document.body.querySelector(".sa-skip")?.after(bar);
  if (!bar.isConnected) document.body.prepend(bar);

  function choice(legend, name, options, chosen, choose) {
    return make("fieldset", {}, make("legend", {}, legend), ...options.map(([value, words]) =>
      make("label", {},
        make("input", {
          type: "radio", name: `sa-${name}`, value, checked: value === chosen,
          onchange: () => choose(value),
        }),
        make("span", {}, words))));
  }

  if (all(".sa-decimal").length) {
    bar.append(choice("Numbers", "show",
      [["exact", "exact"], ["decimal", "decimals"], ["both", "both"]], "both",
      (value) => { root.dataset.show = value; measure(); refresh(); }));
  }

  /* ---------------------------------------------------------- decimals: proved, never computed here */

  const MOST = 8;
  const decimals = cells.filter((cell) =>
    cell.closest("[data-decimal]") && traces.get(cell.dataset.cell).digits.length);

  function digitsOf(name, count) {
    const { digits } = traces.get(name);
    if (digits.length > 1) return digits[count];
    return count ? `${digits[0]}.${"0".repeat(count)}` : digits[0]; // an integer
  }

  function numeral(text) {
    const math = (name, content) => {
      const element = document.createElementNS("http://www.w3.org/1998/Math/MathML", name);
      element.append(...content);
      return element;
    };
    if (!text.startsWith("-")) return math("mn", [text]);
    return math("mrow", [math("mo", ["\u2212"]), math("mn", [text.slice(1)])]);
  }

  if (decimals.length) {
    const printed = Math.max(...decimals.map((cell) => (cell.textContent.split(".")[1] || "").length));
    let count = Math.min(printed, MOST);
    /* A matrix that is written with = has no digits beyond the printed ones: fewer make it an ≈. */
    const relations = all(".sa-grid[data-decimal]").map((grid) => {
      const signs = all("mo", grid.closest("mtd:not([data-cell]), math") || grid)
        .filter((sign) => /^[=\u2248]$/.test(sign.textContent)
          && sign.compareDocumentPosition(grid) & Node.DOCUMENT_POSITION_FOLLOWING);
      const own = all("[data-cell]", grid).filter((cell) => traces.get(cell.dataset.cell)?.digits.length);
      return { sign: signs.at(-1), own };
    }).filter(({ sign }) => sign?.textContent === "=");
    const same = (a, b) => a.replace(/\.?0*$/, "") === b.replace(/\.?0*$/, "")
      || (!a.includes(".") && !b.includes(".") && a === b);
    const withPoint = (text) => (text.includes(".") ? text : `${text}.`);

    const shown = make("output", { "aria-live": "polite" });
    const fewer = make("button", { type: "button", "aria-label": "Fewer decimal places",
      onclick: () => write(count - 1) }, "\u2212");
    const more = make("button", { type: "button", "aria-label": "More decimal places",
      onclick: () => write(count + 1) }, "+");

    function label() {
      shown.textContent = count;
      fewer.disabled = count <= 0;
      more.disabled = count >= MOST;
    }
    function write(wanted) {
      count = Math.max(0, Math.min(MOST, wanted));
      for (const cell of decimals) cell.replaceChildren(numeral(digitsOf(cell.dataset.cell, count)));
      for (const { sign, own } of relations) {
        const exact = count >= printed || own.every(({ dataset: { cell } }) =>
          same(withPoint(digitsOf(cell, count)), withPoint(digitsOf(cell, Math.min(printed, MOST)))));
        sign.textContent = exact ? "=" : "\u2248";
      }
      label();
      measure();
    }
    bar.append(make("fieldset", {}, make("legend", {}, "Places"), fewer, shown, more));
    label();
  }

  bar.append(choice("Colours", "colours", [["auto", "auto"], ["light", "light"], ["dark", "dark"]],
    "auto", (value) => {
      if (value === "auto") delete root.dataset.colours;
      else root.dataset.colours = value;
    }));

  /* ---------------------------------------------------------- boxes that scroll sideways */

  function measure() {
    for (const box of all(".sa-body .sa-scroll, .sa-body math:not([display])")) {
      const scrolls = box.scrollWidth > box.clientWidth + 1;
      if (scrolls === box.hasAttribute("tabindex")) continue;
      if (scrolls) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
      if (box.matches("math")) continue;
      if (scrolls) {
        box.setAttribute("role", "group");
        box.setAttribute("aria-label", "Scrolls sideways");
        box.after(make("span", { class: "sa-hint", "aria-hidden": "true" }, "\u2190 scrolls sideways \u2192"));
      } else {
        box.removeAttribute("role");
        box.removeAttribute("aria-label");
        if (box.nextElementSibling?.className === "sa-hint") box.nextElementSibling.remove();
      }
    }
  }
  new ResizeObserver(measure).observe(document.body);
  document.fonts?.ready.then(measure);

  /* ---------------------------------------------------------- asking an entry */

  if (!order.length) return;

  const told = make("div", { class: "sa-told", "aria-live": "polite" });
  const from = make("p", { class: "sa-from" });
  const back = make("button", { type: "button", onclick: () => step(-1) }, "Back");
  const next = make("button", { type: "button", onclick: () => step(1) }, "Next");
  const panel = make("section", { class: "sa-panel", "aria-label": "Where an entry comes from", hidden: true },
    make("div", { class: "sa-steps" }, make("h2", {}, "Where it comes from"), back, next,
      make("button", { type: "button", "aria-label": "Close", onclick: () => close() }, "\u00d7")),
    told, from,
    make("p", { class: "sa-keys" }, make("kbd", {}, "n"), " next  ", make("kbd", {}, "p"), " back  ",
      make("kbd", {}, "Esc"), " close"));
  document.querySelector(".sa-foot, .sa-body")?.after(panel);
  if (!panel.isConnected) document.body.append(panel);
  bar.prepend(make("button", { type: "button", onclick: () => ask(picked || order[0], null, true) },
    "Walk through"));

  let picked = null; // the entry
  let here = null; // the place on the page where it was picked

  /** One place on the page of each entry: where it was picked, else the first that is seen. */
  function placeOf(name) {
    const found = places.get(name).filter(isShown);
    return found.includes(here) ? here : found[0] || places.get(name)[0];
  }

  function light() {
    for (const kind of ["sa-lit", "sa-picked", "sa-on"]) {
      for (const cell of all(`.sa-body .${kind}`)) cell.classList.remove(kind);
    }
    for (const cell of cells) cell.setAttribute("aria-selected", cell.dataset.cell === picked);
    if (!picked) return;
    for (const name of traces.get(picked).from) {
      for (const cell of places.get(name) || []) cell.classList.add("sa-lit");
    }
    for (const cell of places.get(picked)) {
      cell.classList.add("sa-picked");
      const row = cell.parentElement;
      const column = [...row.children].indexOf(cell);
      const grid = row.parentElement;
      if (grid.matches(".sa-sides")) row.firstElementChild.classList.add("sa-on");
      if (grid.matches(".sa-heads")) grid.firstElementChild.children[column]?.classList.add("sa-on");
    }
  }

  function nameOf(trace) {
    return trace.told.firstElementChild.cloneNode(true);
  }

  function tell() {
    const trace = traces.get(picked);
    const copy = trace.told.cloneNode(true);
    const math = [...copy.children].find((child) => child.matches("math") && child.querySelector("mtr"));
    math?.remove();
    const title = make("p", {}, ...copy.childNodes);
    const story = make("div", {}, title);
    if (math) {
      const table = document.createElementNS(math.namespaceURI, "mtable");
      table.setAttribute("class", "sa-lines");
      table.setAttribute("displaystyle", "true");
      table.append(...math.childNodes);
      math.append(table);
      math.setAttribute("display", "block");
      story.append(make("div", { class: "sa-scroll", tabindex: 0, role: "group", "aria-label": "Working" }, math));
    } else {
      story.append(make("p", {}, "It is given."));
    }
    told.replaceChildren(story);
    const sources = trace.from.filter((name) => places.has(name));
    from.replaceChildren(...(sources.length ? [make("span", {}, "From")] : []),
      ...sources.map((name) => make("button", { type: "button", onclick: () => ask(name, null, true) },
        nameOf(traces.get(name)))));
    const at = order.indexOf(picked);
    back.disabled = at <= 0;
    next.disabled = at >= order.length - 1;
  }

  /** Tell about an entry; `move` takes the focus to where it stands. */
  function ask(name, place, move) {
    picked = name;
    here = place || null;
    panel.hidden = false;
    root.dataset.asking = "";
    tell();
    light();
    const cell = placeOf(name);
    rove(cell);
    if (move) cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    measure();
  }

  function refresh() {
    for (const grid of grids) settle(grid);
    if (picked) light();
  }

  function step(by) {
    const inPanel = panel.contains(document.activeElement);
    const name = order[order.indexOf(picked) + by];
    if (!name) return;
    ask(name, null, !inPanel);
    if (inPanel && document.activeElement === document.body) (by > 0 ? back : next).focus();
  }

  function close() {
    if (panel.hidden) return;
    const cell = placeOf(picked);
    panel.hidden = true;
    delete root.dataset.asking;
    picked = null;
    light();
    cell.focus({ preventScroll: true });
    measure();
  }

  /* ---------------------------------------------------------- cells by keyboard: one stop for each matrix */

  const grids = [...new Set(cells.map((cell) => cell.closest(".sa-grid")))];

  function settle(grid) {
    const own = all("[data-cell]", grid).filter((cell) => traces.has(cell.dataset.cell));
    if (!own.some((cell) => cell.tabIndex === 0)) own[0].tabIndex = 0;
  }

  function rove(cell) {
    for (const other of all("[tabindex='0'][data-cell]", cell.closest(".sa-grid"))) other.tabIndex = -1;
    cell.tabIndex = 0;
  }

  for (const grid of grids) {
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-label", `Matrix ${grid.dataset.matrix}${"decimal" in grid.dataset ? ", decimals" : ""}`);
    for (const row of grid.children) {
      row.setAttribute("role", "row");
      for (const cell of row.children) {
        const isLabel = cell.matches(".sa-label");
        cell.setAttribute("role", !isLabel ? "gridcell" : row.querySelector("[data-cell]") ? "rowheader" : "columnheader");
      }
    }
  }
  for (const cell of cells) {
    cell.tabIndex = -1;
    cell.setAttribute("aria-selected", "false");
    cell.addEventListener("focus", () => rove(cell));
    cell.addEventListener("click", () => ask(cell.dataset.cell, cell, true));
  }
  grids.forEach(settle);

  const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  function neighbour(cell, [down, right]) {
    const row = cell.parentElement;
    const column = [...row.children].indexOf(cell) + right;
    const line = [...row.parentElement.children].indexOf(row) + down;
    const found = row.parentElement.children[line]?.children[column];
    return found && traces.has(found.dataset.cell) ? found : null;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const cell = event.target.closest?.("[role=gridcell][data-cell]");
    const asking = !panel.hidden;
    if (event.key === "Escape" && asking) close();
    else if (!cell && !panel.contains(event.target)) return;
    else if (asking && event.key === "n") step(1);
    else if (asking && event.key === "p") step(-1);
    else if (!cell) return;
    else if (event.key === "Enter" || event.key === " ") ask(cell.dataset.cell, cell, true);
    else if (event.key === "Home" || event.key === "End") {
      const row = [...cell.parentElement.children].filter((one) => traces.has(one.dataset.cell));
      go(event.key === "Home" ? row[0] : row.at(-1));
    } else if (MOVES[event.key]) go(neighbour(cell, MOVES[event.key]));
    else return;
    event.preventDefault();
  });

  function go(cell) {
    if (!cell) return;
    if (panel.hidden) cell.focus();
    else ask(cell.dataset.cell, cell, true);
  }
})();
