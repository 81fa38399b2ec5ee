// Reads formulas as lines of JSON, {"name", "tex", "display"}, and parses each with KaTeX and
// MathJax. Prints one line of JSON per failure, then {"checked": n}. Run "npm ci" here first.
import { createInterface } from "node:readline";
import katex from "katex";
import { mathjax } from "mathjax-full/js/mathjax.js";
import { TeX } from "mathjax-full/js/input/tex.js";
import { liteAdaptor } from "mathjax-full/js/adaptors/liteAdaptor.js";
import { RegisterHTMLHandler } from "mathjax-full/js/handlers/html.js";
import { SerializedMmlVisitor } from "mathjax-full/js/core/MmlTree/SerializedMmlVisitor.js";
import "mathjax-full/js/input/tex/ams/AmsConfiguration.js";

RegisterHTMLHandler(liteAdaptor());
const input = new TeX({
  packages: ["base", "ams"],
  formatError: (_, error) => {
    throw error;
  },
});
const page = mathjax.document("", { InputJax: input });
const visitor = new SerializedMmlVisitor();

const readers = {
  // Characters without metrics only look worse; what KaTeX cannot read is an error.
  katex: (tex, displayMode) =>
    katex.renderToString(tex, { displayMode, throwOnError: true, strict: false }),
  mathjax: (tex, display) => {
    const tree = page.convert(tex, { display, end: 20 });
    const mathml = visitor.visitTree(tree);
    if (mathml.includes("merror")) throw new Error(mathml);
  },
};

let checked = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { name, tex, display } = JSON.parse(line);
  for (const [reader, read] of Object.entries(readers)) {
    try {
      read(tex, display);
    } catch (error) {
      console.log(JSON.stringify({ reader, name, tex, error: String(error.message ?? error) }));
    }
  }
  checked += 1;
}
console.log(JSON.stringify({ checked }));
