import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { PUBLISHED } from "../publish-check.mjs";
import { commandFile, root, runNode } from "../tool.mjs";

/** @typedef {import("../documents/pages.mjs").Block} Block */

/**
 * The programs of a page's blocks: a program for each block with those that continue it. Everything else on the page is left empty, so that a line of a
 * program is the page's own line.
 * @param {readonly Block[]} blocks
 * @returns {readonly { readonly page: string, readonly line: number, readonly text: string }[]}
 */
export function programsOf(blocks) {
  /** @type {Block[][]} */
  const programs = [];
  for (const block of blocks) {
    const before = programs.at(-1);
    if (block.continues && before?.[0]?.page === block.page) before.push(block);
    else programs.push([block]);
  }
  return programs.map((parts) => {
    /** @type {string[]} */
    const lines = [];
    for (const { line, code, given } of parts) {
      for (const [index, each] of (given?.code ?? []).entries()) lines[(given?.line ?? 0) - 1 + index] = each;
      for (const [index, each] of code.entries()) lines[line - 1 + index] = each;
    }
    const [first] = parts;
    return { page: first?.page ?? "", line: first?.line ?? 0, text: Array.from(lines, (line) => line ?? "").join("\n") };
  });
}

/**
 * Checks the types of the blocks' programs in one run against the sources, like a reader's program with the packages and their peers installed.
 * @param {readonly Block[]} blocks
 * @returns {Promise<readonly string[]>} the mistakes, as `page:line: message`
 */
export async function typeProblems(blocks) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "plimsoll-documents-"));
  try {
    linkPackages(join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    const compilerOptions = { isolatedDeclarations: false, declaration: false, types: ["node"] };
    const config = { extends: join(root, "tsconfig.base.json"), include: ["**/*.ts"], compilerOptions };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    for (const { page, line, text } of programsOf(blocks)) {
      const file = join(folder, `${page}.${line}.ts`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    const { output } = await runNode([commandFile("typescript", "tsc"), "--pretty", "false", "-p", folder], {
      output: "hold",
      cwd: folder,
    });
    return output
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => line.replace(/^(.+\.md)\.\d+\.ts\((\d+),\d+\): /, "$1:$2: "));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Links the packages and everything that one of them has. @param {string} modules */
function linkPackages(modules) {
  /** @type {Map<string, string>} */
  const targets = new Map();
  for (const folder of [".", ...PUBLISHED]) {
    const from = join(root, folder, "node_modules");
    for (const name of packageNames(from)) targets.set(name, join(from, name));
  }
  for (const folder of PUBLISHED) {
    /** @type {{ readonly name: string }} */
    const { name } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    targets.set(name, join(root, folder));
  }
  for (const [name, target] of targets) {
    const path = join(modules, name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path, "junction");
  }
}

/** The packages of a node_modules, those with a scope too. @param {string} modules @returns {readonly string[]} */
function packageNames(modules) {
  const names = readdirSync(modules).filter((name) => !name.startsWith("."));
  return names.flatMap((name) =>
    name.startsWith("@")
      ? readdirSync(join(modules, name)).map((each) => relative(modules, join(modules, name, each)))
      : [name],
  );
}
