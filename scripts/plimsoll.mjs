import { join } from "node:path";
import { installed } from "./installed.mjs";
import { root, runNode } from "./tool.mjs";

installed("command");
const { bundleChanges } = await import("../packages/cli/bundle/bundle.mjs");
await bundleChanges();

/** The caller's folder, so that relative paths have their meaning. */
const cwd = process.env.INIT_CWD ?? process.cwd();
const { code } = await runNode([join(root, "packages/cli/bin/plimsoll.js"), ...process.argv.slice(2)], { output: "show", cwd });
process.exitCode = code;
