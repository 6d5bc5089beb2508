import { parseSync } from "oxc-parser";

/**
 * One operator of a file put wrong: the text between the offsets is replaced. `kind` is what was done to it.
 * @typedef {{
 *   readonly kind: MutationKind,
 *   readonly start: number,
 *   readonly end: number,
 *   readonly replacement: string,
 *   readonly line: number,
 * }} Mutation
 */

/** @typedef {"sign" | "factor" | "direction" | "edge" | "equality" | "logic" | "not" | "extremum" | "rounding" | "default" | "branch" | "number" | "truth"} MutationKind */

/** A node of the syntax tree, as far as it is looked at. @typedef {{ readonly type: string, readonly start: number, readonly end: number, readonly [key: string]: unknown }} Node */

/** @type {Readonly<Record<string, readonly (readonly [MutationKind, string])[]>>} */
const BINARY = {
  "+": [["sign", "-"]],
  "-": [["sign", "+"]],
  "*": [["factor", "/"]],
  "/": [["factor", "*"]],
  "**": [["factor", "*"]],
  "<": [
    ["direction", ">"],
    ["edge", "<="],
  ],
  "<=": [
    ["direction", ">="],
    ["edge", "<"],
  ],
  ">": [
    ["direction", "<"],
    ["edge", ">="],
  ],
  ">=": [
    ["direction", "<="],
    ["edge", ">"],
  ],
  "===": [["equality", "!=="]],
  "!==": [["equality", "==="]],
  "&&": [["logic", "||"]],
  "||": [["logic", "&&"]],
  "+=": [["sign", "-="]],
  "-=": [["sign", "+="]],
};

/** @type {Readonly<Record<string, readonly [MutationKind, string]>>} */
const MATH = { min: ["extremum", "max"], max: ["extremum", "min"], floor: ["rounding", "ceil"], ceil: ["rounding", "floor"] };

/** Expressions inside these are values; everything else that TypeScript adds is gone when the program runs. */
const TRANSPARENT = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

/**
 * Every wrong operator that can be put into a file, in the order of their places.
 * @param {string} file
 * @param {string} text
 * @returns {readonly Mutation[]}
 */
export function mutationsOf(file, text) {
  /** @type {Mutation[]} */
  const found = [];
  /** @param {MutationKind} kind @param {{ readonly start: number, readonly end: number }} place @param {string} replacement */
  const add = (kind, { start, end }, replacement) => {
    found.push({ kind, start, end, replacement, line: text.slice(0, start).split("\n").length });
  };
  /** @param {Node} node */
  const visit = (node) => {
    if (node.type.startsWith("TS") && !TRANSPARENT.has(node.type)) return;
    mutate(node, text, add);
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child);
    }
  };
  const { program } = parseSync(file, text);
  if (isNode(program)) visit(program);
  return found.toSorted((a, b) => a.start - b.start);
}

/**
 * @param {Node} node
 * @param {string} text
 * @param {(kind: MutationKind, place: { readonly start: number, readonly end: number }, replacement: string) => void} add
 */
function mutate(node, text, add) {
  const { left, right, operator, argument, object, property } = node;
  if (isNode(left) && isNode(right) && typeof operator === "string") {
    if (operator === "??") return add("default", node, `(${text.slice(left.start, left.end)})`);
    if (operator === "+" && (isText(left) || isText(right))) return;
    const at = text.indexOf(operator, left.end);
    for (const [kind, wrong] of BINARY[operator] ?? []) add(kind, { start: at, end: at + operator.length }, wrong);
  } else if (node.type === "UnaryExpression" && isNode(argument) && operator === "!") {
    add("not", { start: node.start, end: argument.start }, "");
  } else if (node.type === "UnaryExpression" && isNode(argument) && operator === "-") {
    add("sign", { start: node.start, end: argument.start }, "");
  } else if (node.type === "MemberExpression" && isNode(object) && isNode(property)) {
    const [kind, wrong] =
      (text.slice(object.start, object.end) === "Math" && MATH[text.slice(property.start, property.end)]) || [];
    if (kind !== undefined && wrong !== undefined) add(kind, property, wrong);
  } else if (node.type === "ConditionalExpression" && isNode(node.consequent) && isNode(node.alternate)) {
    const [yes, no] = [node.consequent, node.alternate].map(({ start, end }) => text.slice(start, end));
    add("branch", { start: node.consequent.start, end: node.alternate.end }, `(${no}) : (${yes})`);
  } else if (node.type === "Literal" && typeof node.value === "number") {
    add("number", node, String(Number.isInteger(node.value) ? node.value + 1 : node.value * 1.25));
  } else if (node.type === "Literal" && typeof node.value === "boolean") add("truth", node, String(!node.value));
}

/** @param {Node} node */
function isText(node) {
  return node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
}

/**
 * @param {unknown} value
 * @returns {value is Node}
 */
function isNode(value) {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value;
}

/**
 * The text with these mutations in it; they do not overlap.
 * @param {string} text
 * @param {readonly Mutation[]} mutations
 * @returns {string}
 */
export function withMutations(text, mutations) {
  return mutations
    .toSorted((a, b) => b.start - a.start)
    .reduce((changed, { start, end, replacement }) => changed.slice(0, start) + replacement + changed.slice(end), text);
}
