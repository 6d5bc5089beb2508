import { parseSync, Visitor } from "oxc-parser";

/**
 * One place where a file names another module. The specifier is null if it is computed when the program runs.
 * @typedef {{ readonly specifier: string | null, readonly line: number }} Import
 */

/** @typedef {{ readonly imports: readonly Import[], readonly errors: readonly Import[] }} ParsedImports */

const referenceDirective = /^\/\s*<reference\s+(types|path)="([^"]+)"/;

/**
 * Every import of a TypeScript file in its order: static, re-exporting, dynamic, `import("…")` in a type, `import x = require("…")` and reference
 * directives. Type imports count like the others. Text that does not parse is an error with its message as specifier.
 * @param {string} file
 * @param {string} text
 * @returns {ParsedImports}
 */
export function importsOf(file, text) {
  const lineOf = lineCounter(text);
  const { program, comments, errors } = parseSync(file, text);

  /** @type {{ specifier: string | null, start: number }[]} */
  const found = [];
  /** @param {{ readonly start: number }} node @param {unknown} source */
  const add = (node, source) => {
    found.push({ specifier: literalText(source), start: node.start });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node, node.source),
    ExportAllDeclaration: (node) => add(node, node.source),
    ExportNamedDeclaration: (node) => {
      if (node.source !== null) add(node, node.source);
    },
    ImportExpression: (node) => add(node, node.source),
    TSImportType: (node) => add(node, node.source),
    TSExternalModuleReference: (node) => add(node, node.expression),
  }).visit(program);

  for (const comment of comments) {
    const [, kind, target] = referenceDirective.exec(comment.value) ?? [];
    if (kind === undefined || target === undefined) continue;
    const specifier = kind === "path" && !target.startsWith(".") ? `./${target}` : target;
    found.push({ specifier, start: comment.start });
  }

  return {
    imports: found.toSorted((a, b) => a.start - b.start).map(({ specifier, start }) => ({ specifier, line: lineOf(start) })),
    errors: errors.map(({ message, labels }) => ({ specifier: message, line: lineOf(labels[0]?.start ?? 0) })),
  };
}

/** @param {unknown} node @returns {string | null} */
function literalText(node) {
  const isLiteral = typeof node === "object" && node !== null && "value" in node && typeof node.value === "string";
  return isLiteral ? String(node.value) : null;
}

/** @param {string} text @returns {(offset: number) => number} the line of an offset, counted from 1 */
function lineCounter(text) {
  return (offset) => text.slice(0, offset).split("\n").length;
}
