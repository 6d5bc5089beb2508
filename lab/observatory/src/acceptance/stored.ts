import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { SessionPlace } from "./case.ts";

/** Reads a database with the Node 22 of the programs: the one that runs this may have none for it. */
const READ = `
const { DatabaseSync } = require("node:sqlite");
const [file, query] = process.argv.slice(1);
process.stdout.write(JSON.stringify(new DatabaseSync(file).prepare(query).all().map(({ text }) => String(text))));
`;

const textsSchema = z.array(z.string());

/** The texts of a program's stored sessions, each the JSON of one message or part. */
export function storedTexts(place: SessionPlace, home: string, node22: string): readonly string[] {
  if (place.kind === "sqlite") {
    const file = join(home, place.file);
    if (!existsSync(file)) return [];
    const options = { encoding: "utf8", maxBuffer: 2 ** 28 } as const;
    return textsSchema.parse(JSON.parse(execFileSync(node22, ["-e", READ, file, place.query], options)));
  }
  const folder = join(home, place.folder);
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  const files = names.filter((name) => name.endsWith(".jsonl")).map((name) => readFileSync(join(folder, name), "utf8"));
  return files.flatMap((text) => text.split("\n"));
}

/** Characters of a result that are looked for: all but a last line that a program may cut. */
const LOOKED_FOR_CHARS = 1_900;

/** How many calls, by their numbers, have their whole result in these texts. */
export function wholeResults(texts: readonly string[], mostCalls: number): number {
  const numbers = Array.from({ length: mostCalls }, (_, index) => index + 1);
  return numbers.filter((number) => {
    const line = `line of call ${number}\n`;
    const result = line.repeat(Math.ceil(LOOKED_FOR_CHARS / line.length)).slice(0, LOOKED_FOR_CHARS);
    const asJson = JSON.stringify(result).slice(1, -1);
    return texts.some((text) => text.includes(asJson));
  }).length;
}
