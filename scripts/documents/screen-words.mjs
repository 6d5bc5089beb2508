import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { root } from "../tool.mjs";

/**
 * Words only for the code and the page of evidence (CONTRIBUTING, "English"): a screen has none of them. Each with the words for screens. @type {readonly (readonly
 * [RegExp, string])[]}
 */
const PRIVATE = [
  [/\bowners?\b/i, "project"],
  [/\b(working|bench) room\b|\broom of\b/i, "tokens above the system prompt and tools"],
  [/(?<!head and |head-)\btails?\b/i, "recent messages"],
  [
    /(?<!\b(?:how|so|as|this|by|too) )\bfar\b(?! (?:from|away|more|beyond))|\bfar (?:uses|needs|texts)\b/i,
    "older than 20k tokens",
  ],
  [/\bacts? at\b/i, "compacts at"],
  [/(?<!\bfit[a-z]* and )\bheld\b(?! (?:back|against|out|open))/i, "still in the context, or kept"],
  [/%[^.,;:]{0,8} left\b(?! out)/i, "kept"],
  [/\b(?:lost|tied|won)\b[^.]{0,12}\b(?:tied|won)\b/i, "worse / the same / better"],
];

/** Private words in a text that a person reads, each with its replacement. @param {string} text @returns {readonly string[]} */
export function privateWords(text) {
  return PRIVATE.flatMap(([word, instead]) => {
    const found = text.match(word);
    return found === null ? [] : [`"${found[0]}" (say ${instead}) in: ${text.replaceAll(/\s+/g, " ").trim().slice(0, 100)}`];
  });
}

/** Texts of a program that are sentences or headings, and no names: they hold a space. @param {string} file @param {string} source */
export function* textsOf(file, source) {
  /** @type {unknown[]} */
  const open = [parseSync(file, source).program];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if ("type" in node && (node.type === "ImportDeclaration" || node.type === "TSLiteralType")) continue;
    const value = "type" in node && "value" in node ? node.value : null;
    const text =
      typeof value === "string"
        ? value
        : typeof value === "object" && value !== null && "cooked" in value
          ? value.cooked
          : null;
    if (typeof text === "string" && /\s/.test(text)) yield text;
    open.push(...Object.values(node));
  }
}

/** Sources whose texts reach no person: prompts for models, data of tests. */
const UNSEEN = /\/(node_modules|dist|testing|sessions)\/|\.test\.ts$|\.d\.ts$/;

/** Private words in texts of the folders' sources, as `path: word`. @param {readonly string[]} folders @returns {readonly string[]} */
export function screenProblems(folders) {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => `${folder}/${path}`),
  );
  return paths
    .filter((path) => /\.(ts|js)$/.test(path) && !UNSEEN.test(path))
    .flatMap((path) =>
      [...textsOf(path, readFileSync(join(root, path), "utf8"))].flatMap((text) =>
        privateWords(text).map((line) => `${path}: ${line}`),
      ),
    );
}
