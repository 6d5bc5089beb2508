import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { root } from "../../../scripts/tool.mjs";

/** Where a page stands on the site: a README is its folder's page, and the repository's own is not the front. @param {string} page @returns {string} */
export function sitePath(page) {
  if (page === "README.md") return "overview.md";
  return page.replace(/(^|\/)README\.md$/, "$1index.md");
}

/**
 * A page as the site has it: comments, which no reader sees, are left out; links lead to pages of the site; what is in the repository but no page is named without a
 * link.
 * @param {string} page its path from the repository's root
 * @param {string} text
 * @param {ReadonlySet<string>} pages all pages of the site
 * @returns {{ readonly text: string, readonly dead: readonly string[] }} with the links that lead nowhere
 */
export function asSitePage(page, text, pages) {
  /** @type {string[]} */
  const dead = [];
  /** @param {string} whole @param {string} label @param {string} target */
  const linked = (whole, label, target) => {
    if (/^(https?:|mailto:|#)/.test(target)) return whole;
    const [path = "", anchor] = target.split("#");
    const file = posix.join(posix.dirname(page), path).replace(/\/$/, "");
    const found = [file, `${file}/README.md`].find((each) => pages.has(each));
    if (found !== undefined) {
      const place = posix.relative(posix.dirname(sitePath(page)), sitePath(found));
      return `[${label}](${place.startsWith(".") ? place : `./${place}`}${anchor === undefined ? "" : `#${anchor}`})`;
    }
    if (!existsSync(join(root, file))) dead.push(`${page}: ${target}`);
    return label;
  };
  const parts = withoutComments(text).split(/(^ *```[\s\S]*?^ *```[^\n]*$|`[^`\n]*`(?!\]))/m);
  const site = parts.map((part, index) =>
    index % 2 === 1 ? part : part.replaceAll(/\[((?:[^[\]]|`[^`]*`)*)\]\(([^()\s]+)\)/g, linked),
  );
  return { text: site.join(""), dead };
}

/** @param {string} text */
function withoutComments(text) {
  return text.replaceAll(/^<!--[\s\S]*?-->\n+/gm, "");
}

/** True for a path that is a file of the repository. @param {string} path @returns {boolean} */
export function isFile(path) {
  return existsSync(join(root, path)) && statSync(join(root, path)).isFile();
}
