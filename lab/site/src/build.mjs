import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, posix, relative, sep } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { documentPages, pageText } from "../../../scripts/documents/pages.mjs";
import { root, runNode } from "../../../scripts/tool.mjs";
import { deadLinks } from "./dead-links.mjs";
import { asSitePage, sitePath } from "./site-pages.mjs";

const site = join(root, "lab/site");
const pagesFolder = join(site, "pages");

/** Packages whose names the reference has. */
const LIBRARIES = ["packages/core", "packages/providers", "packages/tools"];
/** What is exported for our own packages, and is no promise. */
const INTERNAL = "./internal";

/** The pages of the site that are documents of the repository, decisions included. @returns {readonly string[]} */
export function sitePages() {
  const decisions = readdirSync(join(root, "docs/decisions")).map((name) => `docs/decisions/${name}`);
  return [...documentPages(), ...decisions];
}

/** Installs what the site is made with, if that is not what its lock file says. @returns {number} the exit code */
function install() {
  const [wanted, installed] = ["package-lock.json", "node_modules/.wanted"].map((name) =>
    existsSync(join(site, name)) ? readFileSync(join(site, name), "utf8") : "",
  );
  if (wanted === installed) return 0;
  // `npm ci` refuses a lock file of a registry that has builds for some platforms only.
  const options = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  const { status } = spawnSync("npm", options, { cwd: site, stdio: "inherit", shell: process.platform === "win32" });
  if (status === 0) writeFileSync(join(site, "node_modules/.wanted"), wanted ?? "");
  return status ?? 1;
}

/** Writes the documents as pages. @returns {readonly string[]} links that lead nowhere */
function writePages() {
  const pages = sitePages();
  const known = new Set(pages);
  const dead = pages.flatMap((page) => {
    const made = asSitePage(page, pageText(page), known);
    const file = join(pagesFolder, sitePath(page));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, made.text);
    return made.dead;
  });
  writeFileSync(join(pagesFolder, "index.md"), readFileSync(join(site, "home.md"), "utf8"));
  mkdirSync(join(pagesFolder, "public"));
  copyFileSync(join(site, "mark.svg"), join(pagesFolder, "public/mark.svg"));
  return dead;
}

/** A file for each entry of the libraries, so that the reference names an entry as programs import it. @returns {readonly string[]} */
function writeEntries() {
  return LIBRARIES.flatMap((folder) => {
    /** @type {{ readonly name: string, readonly exports: Readonly<Record<string, { readonly source: string }>> }} */
    const { name, exports } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    const entries = Object.entries(exports).filter(([path]) => path !== INTERNAL);
    return entries.map(([path, { source }]) => {
      const file = join(pagesFolder, "entries", name, `${path === "." ? "index" : path}.ts`);
      mkdirSync(dirname(file), { recursive: true });
      const from = relative(dirname(file), join(root, folder, source))
        .split(sep)
        .join("/");
      writeFileSync(file, `export * from ${JSON.stringify(from)};\n`);
      return file;
    });
  });
}

/** Writes the reference, and its menu for the site. @returns {Promise<number>} the exit code */
async function writeReference() {
  const require = createRequire(join(site, "package.json"));
  const typedoc = join(dirname(require.resolve("typedoc/package.json")), "bin/typedoc");
  const out = join(pagesFolder, "api");
  const { code } = await runNode([typedoc, "--options", "typedoc.json", "--out", out, ...writeEntries()], {
    output: "show",
    cwd: site,
  });
  if (code !== 0) return code;
  const files = readdirSync(out, { recursive: true, encoding: "utf8" }).map((path) => path.split(sep).join("/"));
  const entries = files.filter((path) => path.endsWith(".md") && path !== "index.md").sort();
  const menu = entries.map((path) => {
    const name = posix.join("@plimsoll", path.replace(/(\/index)?\.md$/, ""));
    const file = join(out, path);
    writeFileSync(
      file,
      withoutTags(readFileSync(file, "utf8")).replace(/^# .*$/m, () => `# ${name}`),
    );
    return { text: name, link: `/api/${path.replace(/(index)?\.md$/, "")}` };
  });
  writeFileSync(join(out, "menu.json"), JSON.stringify(menu, null, 2));
  const list = menu.map(({ text, link }) => `- [\`${text}\`](${link})`).join("\n");
  writeFileSync(
    join(out, "index.md"),
    `# API reference\n\nEach entry of the libraries, as programs import it. It is made of the sources' own comments.\n\n${list}\n`,
  );
  return 0;
}

/** A page of the reference without tags, since text like a tag is text on the site, and with a name for parameters that are taken apart. @param {string} text */
function withoutTags(text) {
  const named = text.replaceAll("__namedParameters", "options");
  return named.replaceAll(/<a id="[^"]*"><\/a> ?/g, "").replaceAll(/(?:<br ?\/>)+/g, " ");
}

/** @returns {Promise<number>} the exit code */
async function build() {
  const installed = install();
  if (installed !== 0) return installed;
  rmSync(pagesFolder, { recursive: true, force: true });
  const dead = writePages();
  for (const line of dead) console.error(`leads nowhere: ${line}`);
  if (dead.length > 0) return 1;
  const referenced = await writeReference();
  if (referenced !== 0) return referenced;
  const vitepress = join(site, "node_modules/vitepress/bin/vitepress.js");
  const { code } = await runNode([vitepress, "build", site], { output: "show" });
  if (code !== 0) return code;
  const nowhere = deadLinks(join(site, "dist"));
  for (const line of nowhere) console.error(`leads nowhere: ${line}`);
  console.log("made lab/site/dist; look at it with: npx vitepress preview site");
  return nowhere.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) process.exitCode = await build();
