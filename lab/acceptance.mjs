/** Packs our packages as they would be published, and plays every row of docs/evidence.md with them. `pnpm acceptance --help` lists the options. */
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { packAll } from "../packages/cli/bundle/installed.mjs";
import { root, runNode } from "../scripts/tool.mjs";

const args = process.argv.slice(2);
const isPacked = args.includes("--tarballs") || args.includes("--page") || args.includes("--help");
const [first] = isPacked ? [] : packAll();
const own = [
  "--conditions=source",
  "--import",
  "./scripts/typescript-loader.mjs",
  join(root, "lab/observatory/src/acceptance/main.ts"),
];
const packed = first === undefined ? [] : ["--tarballs", dirname(first)];
const { code } = await runNode([...own, ...args, ...packed], { output: "show" });
if (first !== undefined) rmSync(dirname(first), { recursive: true, force: true });
process.exitCode = code;
