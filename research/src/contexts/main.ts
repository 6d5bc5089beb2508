import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../recorded/recorded-sessions.ts";
import { contextPages } from "./context-pages.ts";

for (const { file, text } of await contextPages()) writeFileSync(join(ROOT, "docs/contexts", file), text);
