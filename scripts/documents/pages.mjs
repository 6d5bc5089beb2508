import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { root } from "../tool.mjs";

/**
 * A block of code on a page. `line` is that of its first line of code, counted from 1. A comment before it describes it: `given` are declarations of the
 * reader's own program, `file` names the tested file that it shows, `continues` says that it goes on with the block before it, and `fragment` why it
 * cannot be checked.
 * @typedef {{
 *   readonly page: string,
 *   readonly language: string,
 *   readonly line: number,
 *   readonly code: readonly string[],
 *   readonly given: { readonly line: number, readonly code: readonly string[] } | null,
 *   readonly file: string | null,
 *   readonly continues: boolean,
 *   readonly fragment: string | null,
 * }} Block
 */

/** Pages that are written for readers, as paths from the root. Decisions are history: their code need not hold today. @returns {readonly string[]} */
export function documentPages() {
  const inDocs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((path) =>
    path.split(sep).join("/"),
  );
  const readmes = ["packages", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((name) =>
      readdirSync(join(root, folder, name)).includes("README.md") ? [`${folder}/${name}/README.md`] : [],
    ),
  );
  const pages = inDocs.filter((path) => path.endsWith(".md") && !path.startsWith("decisions/")).map((path) => `docs/${path}`);
  return ["README.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md", "fixtures/README.md", ...readmes, ...pages].sort();
}

/** The text of a page. @param {string} page @returns {string} */
export function pageText(page) {
  return readFileSync(join(root, page), "utf8").replaceAll("\r\n", "\n");
}

/**
 * The blocks of code of a page, in their order. A comment right before a fence, with nothing but empty lines between, is about it.
 * @param {string} page
 * @param {string} text
 * @returns {readonly Block[]}
 */
export function blocksOf(page, text) {
  const lines = text.split("\n");
  /** @type {Block[]} */
  const blocks = [];
  /** @type {{ readonly line: number, readonly text: string } | null} */
  let comment = null;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const fence = /^( *)(`{3,}|~{3,}) *(\w*)/.exec(line);
    if (fence !== null) {
      const [, indent = "", marks = "", language = ""] = fence;
      const end = lines.findIndex((each, index) => index > at && each.trim().startsWith(marks) && /^[`~]+$/.test(each.trim()));
      if (end < 0) throw new Error(`${page}:${at + 1}: the block of code has no end`);
      const code = lines.slice(at + 1, end).map((each) => (each.startsWith(indent) ? each.slice(indent.length) : each));
      blocks.push({ page, language, line: at + 2, code, ...markOf(comment) });
      comment = null;
      at = end;
    } else if (line.startsWith("<!--")) {
      const end = lines.findIndex((each, index) => index >= at && each.includes("-->"));
      comment = { line: at + 1, text: lines.slice(at, end + 1).join("\n") };
      at = end;
    } else if (line.trim() !== "") comment = null;
  }
  return blocks;
}

/**
 * Reads a comment about the block behind it.
 * @param {{ readonly line: number, readonly text: string } | null} comment
 * @returns {Pick<Block, "given" | "file" | "continues" | "fragment">}
 */
function markOf(comment) {
  const [, word = "", rest = ""] = /^<!--\s*(given|file|continues|fragment)\b:?([\s\S]*)-->/.exec(comment?.text ?? "") ?? [];
  const code = word === "given" ? ["", ...rest.split("\n").slice(1)] : [];
  return {
    given: comment === null || word !== "given" ? null : { line: comment.line, code },
    file: word === "file" ? rest.trim() : null,
    continues: word === "continues",
    fragment: word === "fragment" ? rest.trim() : null,
  };
}
