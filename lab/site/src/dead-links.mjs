import { readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";

/**
 * Links within a built site whose page or heading is not there, as `page: link`. Links to headings from the reference are left out: its maker
 * names properties that have none.
 * @param {string} folder @returns {readonly string[]}
 */
export function deadLinks(folder) {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => path.split(sep).join("/"));
  const pages = new Map(
    paths.flatMap((path) => (path.endsWith(".html") ? [[path, readFileSync(join(folder, path), "utf8")]] : [])),
  );
  const headings = new Map([...pages].map(([page, html]) => [page, new Set(matches(html, / id="([^"]+)"/g))]));
  return [...pages].flatMap(([page, html]) => {
    const links = new Set(matches(html, /<a [^>]*?href="([^"]+)"/g));
    const isDead = (/** @type {string} */ link) => {
      if (/^(https?:|mailto:)/.test(link)) return false;
      const [path = "", heading] = link.split("#");
      const found = pageAt(path === "" ? page : posix.join("/", posix.dirname(page), path), path, headings);
      if (found === undefined) return true;
      return heading !== undefined && !page.startsWith("api/") && !found.has(decodeURIComponent(heading));
    };
    return [...links].filter(isDead).map((link) => `${page}: ${link}`);
  });
}

/** @param {string} place @param {string} path @param {ReadonlyMap<string, ReadonlySet<string>>} headings */
function pageAt(place, path, headings) {
  const whole = (path.startsWith("/") ? path : place).replace(/^\//, "");
  const known = [whole, `${whole}.html`, posix.join(whole, "index.html")].find((each) => headings.has(each));
  return known === undefined ? undefined : headings.get(known);
}

/** @param {string} text @param {RegExp} form */
function matches(text, form) {
  return [...text.matchAll(form)].map(([, found = ""]) => found);
}
