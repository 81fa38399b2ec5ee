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
      (value) => { root.dataset.show = value; retell(); measure(); refresh(); }));
  }

  /* ---------------------------------------------------------- decimals: proved, never computed here */

  const MOST = 8;
  let isPrinted = true; // as many places as the page came with
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
      isPrinted = count === printed;
      label();
      retell();
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

  /** The words for a formula hold only while it is shown as it came. */
  function retell() {
    const both = !root.dataset.show || root.dataset.show === "both";
    for (const math of all("math[alttext], math[data-words]")) {
      const words = math.dataset.words ?? math.getAttribute("alttext");
      math.dataset.words = words;
      const holds = (both || !math.querySelector(".sa-exact, .sa-decimal"))
        && (isPrinted || !math.querySelector("[data-decimal]"));
      if (holds) math.setAttribute("alttext", words);
      else math.removeAttribute("alttext");
    }
  }

  /* ---------------------------------------------------------- boxes that scroll sideways */

  const asked = new Map(); // a box whose matrices can be asked -> the entry that the keys are on

  function measure() {
    for (const box of all(":is(.sa-scroll, math:not([display])):not(.sa-panel *)")) {
      const scrolls = box.scrollWidth > box.clientWidth + 1;
      if (scrolls === "scrolls" in box.dataset) continue;
      if (scrolls) box.dataset.scrolls = "";
      else delete box.dataset.scrolls;
      if (!asked.has(box)) {
        if (scrolls) box.tabIndex = 0;
        else box.removeAttribute("tabindex");
      }
      if (box.matches("math")) continue;
      if (scrolls) {
        if (!asked.has(box)) {
          box.setAttribute("role", "group");
          box.setAttribute("aria-label", "Scrolls sideways");
        }
        box.after(make("span", { class: "sa-hint", "aria-hidden": "true" }, "\u2190 scrolls sideways \u2192"));
      } else {
        if (!asked.has(box)) {
          box.removeAttribute("role");
          box.removeAttribute("aria-label");
        }
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
  document.body.append(panel);
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
      for (const cell of all(`.${kind}`)) cell.classList.remove(kind);
    }
    if (!picked) return;
    for (const name of traces.get(picked).from) {
      for (const cell of places.get(name) || []) cell.classList.add("sa-lit");
    }
    for (const cell of places.get(picked)) {
      cell.classList.add("sa-picked");
      const row = cell.parentElement;
      const column = [...row.children].indexOf(cell);
      const table = cell.closest(".sa-grid, .sa-heat");
      const isHeat = table.matches(".sa-heat");
      if (isHeat || table.matches(".sa-sides")) row.firstElementChild.classList.add("sa-on");
      const heads = isHeat ? table.tHead.rows[0] : table.matches(".sa-heads") && table.firstElementChild;
      if (heads) heads.children[column]?.classList.add("sa-on");
    }
  }

  /** The entry and what it is, as plain text. */
  function titleOf(name) {
    return [...traces.get(name).told.childNodes].filter((node) => !isWorking(node))
      .map((node) => node.textContent).join("");
  }

  const isWorking = (node) => node.nodeName === "math" && node.querySelector("mtr");

  function tell() {
    const trace = traces.get(picked);
    const copy = trace.told.cloneNode(true);
    const math = [...copy.children].find(isWorking);
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
      ...sources.map((name) => make("button",
        { type: "button", "aria-label": titleOf(name), onclick: () => ask(name, null, true) },
        traces.get(name).told.firstElementChild.cloneNode(true))));
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
    put(cell);
    if (move) boxOf(cell).focus({ preventScroll: true });
    measure();
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function refresh() {
    for (const [box, cell] of asked) if (!isShown(cell)) asked.set(box, cellsOf(box)[0] || cell);
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
    boxOf(cell).focus({ preventScroll: true });
    measure();
  }

  /* ---------------------------------------------------------- by keyboard: one stop for each formula */

  /* The formula itself stays as it is, so that it is read out as mathematics. Its box takes the
     focus; the arrows move a mark from entry to entry. */
  const boxOf = (cell) => cell.closest(".sa-scroll");
  const cellsOf = (box) => all("[data-cell]", box).filter((cell) => traces.has(cell.dataset.cell) && isShown(cell));
  const spoken = make("p", { class: "sa-aloud", "aria-live": "polite" });
  panel.after(spoken);

  for (const cell of cells) {
    const box = boxOf(cell);
    if (!asked.has(box)) asked.set(box, cell);
    cell.classList.add("sa-askable");
    cell.addEventListener("click", () => ask(cell.dataset.cell, cell, true));
  }
  for (const box of asked.keys()) {
    const names = [...new Set(all("[data-matrix]", box).map((grid) => grid.dataset.matrix))];
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label",
      `Matrix ${names.join(", ")}: arrow keys choose an entry, Enter tells where it comes from`);
    box.addEventListener("focus", () => put(asked.get(box)));
  }

  /** Put the mark of the keys on an entry. */
  function put(cell) {
    const box = boxOf(cell);
    for (const other of all(".sa-at", box)) other.classList.remove("sa-at");
    cell.classList.add("sa-at");
    asked.set(box, cell);
  }

  /** The nearest entry in a direction, in the same formula. */
  function neighbour(cell, [down, right]) {
    const middle = (element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    };
    const [x, y] = middle(cell);
    let best = null;
    let least = Infinity;
    for (const other of cellsOf(boxOf(cell))) {
      const [u, v] = middle(other);
      const along = (u - x) * right + (v - y) * down;
      const across = Math.abs((u - x) * down) + Math.abs((v - y) * right);
      if (along > 1 && along + 4 * across < least) [best, least] = [other, along + 4 * across];
    }
    return best;
  }

  const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

  function target(key, cell) {
    if (MOVES[key]) return neighbour(cell, MOVES[key]) || cell;
    const row = [...cell.parentElement.children].filter((one) => traces.has(one.dataset.cell));
    return key === "Home" ? row[0] : key === "End" ? row.at(-1) : null;
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const cell = asked.get(event.target);
    const asking = !panel.hidden;
    if (event.key === "Escape" && asking) close();
    else if (!cell && !panel.contains(event.target)) return;
    else if (asking && event.key === "n") step(1);
    else if (asking && event.key === "p") step(-1);
    else if (!cell) return;
    else if (event.key === "Enter" || event.key === " ") ask(cell.dataset.cell, cell, true);
    else {
      const next = target(event.key, cell);
      if (!next) return;
      if (asking) ask(next.dataset.cell, next, true);
      else {
        put(next);
        next.scrollIntoView({ block: "nearest", inline: "nearest" });
        spoken.textContent = titleOf(next.dataset.cell);
      }
    }
    event.preventDefault();
  });
})();
