import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../recorded/recorded-sessions.ts";
import { contextPages } from "./context-pages.ts";

/** Writes the pages into a folder, `contexts` unless one is given. */
const folder = process.argv[2] ?? join(ROOT, "contexts");
mkdirSync(folder, { recursive: true });
for (const { file, text } of await contextPages()) writeFileSync(join(folder, file), text);
process.stdout.write(`${folder}\n`);
