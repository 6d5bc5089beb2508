import { readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** `readFileSync(new URL("../a.css", import.meta.url), "utf8")`, or with a template whose last part is a name. */
const BY_ADDRESS = /readFileSync\(new URL\((["`])([^"`$]+)(?:\$\{(\w+)\})?\1, import\.meta\.url\), "utf-?8"\)/g;
/** `readFileSync(resolve("package/file"), "utf8")`, with a `resolve` of `createRequire`. */
const BY_PACKAGE = /readFileSync\(resolve\("([^"]+)"\), "utf8"\)/g;

/** Puts the text of files that a module reads by an address next to itself into the code, since in a bundle nothing is next to it.
 * @returns {import("rolldown").Plugin} */
export function inlineFiles() {
  return {
    name: "inline-files",
    transform: {
      filter: { code: /readFileSync\((?:new URL|resolve)\(/ },
      handler(code, id) {
        const textOf = (/** @type {string} */ file) => JSON.stringify(readFileSync(file, "utf8"));
        return code
          .replace(BY_ADDRESS, (_, _quote, path, name) => {
            const file = join(dirname(id), path);
            return name === undefined ? textOf(file) : `(${folderText(file)})[${name}]`;
          })
          .replace(BY_PACKAGE, (_, path) => textOf(createRequire(id).resolve(path)));
      },
    },
  };
}

/** The texts of a folder's files, by name.
 * @param {string} folder */
function folderText(folder) {
  const files = readdirSync(folder).filter((file) => statSync(join(folder, file)).isFile());
  return JSON.stringify(Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), "utf8")])));
}
