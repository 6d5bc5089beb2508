import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Places, Played, PlayRequest } from "../play.ts";
import type { Program } from "../program.ts";
import type { AcceptanceCase, SessionPlace } from "./case.ts";
import { type AcceptanceFacts, totalsOf } from "./facts.ts";

/** Where a case is played. */
export interface CasePlaces extends Places {
  /** The empty project that our packages were installed in. */
  readonly project: string;
}

/** How programs are played. */
export type Play = (program: Program, request: PlayRequest, places: Places) => Promise<Played>;

/** Plays one row's session. */
export async function runCase(
  row: AcceptanceCase,
  places: CasePlaces,
  { play, recorded }: { readonly play: Play; readonly recorded: string },
): Promise<AcceptanceFacts> {
  const program = row.program(places.project);
  const said: string[] = [];
  const asked: { right: number; of: number }[] = [];
  const between = row.between?.(places.project);
  const request: PlayRequest = {
    ...row.request,
    ...(between === undefined ? {} : { between: listening(between, said, asked) }),
  };
  const played = await play(program, request, places);
  const { name, title, kind, windowTokens, steps, resumes, sessions, calls = steps } = row;
  const totals = totalsOf(played.exchanges);
  const isProxy = kind === "proxy";
  const compacted = said.filter((line) => line.includes("  compacted ("));
  const byVendor = compacted.filter((line) => line.includes("by vendor")).length;
  const home = join(places.folder, "home");
  // Answers in words have numbers as well: of the calls, none has a number above twice the steps.
  const stored = sessions === undefined ? null : wholeResults(storedTexts(sessions, home, places.node22), steps * 2);
  return {
    name,
    title,
    kind,
    version: versionOf(row, places) ?? program.version,
    recorded,
    windowTokens,
    steps,
    ...totals,
    ...(isProxy ? { compactions: compacted.length } : {}),
    ...(byVendor === 0 ? {} : { byVendor }),
    resumes,
    // A store that leaves out only calls that print is whole if all of them are there.
    storedWhole: stored === null ? null : stored + steps - calls,
    putBack: row.putBack?.(played, home) ?? null,
    told: played.told,
    ...(asked[0] === undefined ? {} : { asked: asked[0] }),
  };
}

/** Keeps the output of the program in between, up to its end. */
function listening(
  between: ReturnType<NonNullable<AcceptanceCase["between"]>>,
  said: string[],
  asked: { right: number; of: number }[],
): typeof between {
  return async (upstream, folder) => {
    const started = await between(upstream, folder);
    return {
      ...started,
      close: async () => {
        said.push(...started.lines());
        await started.close();
        if (started.asked !== undefined) asked.push(started.asked());
      },
    };
  };
}

const manifestSchema = z.object({ version: z.string() });

/** The version of the library that the project has; `null` for a published program, which names its own. */
function versionOf({ libraries: [first] }: AcceptanceCase, { project }: CasePlaces): string | null {
  if (first === undefined) return null;
  const file = join(project, "node_modules", first.slice(0, first.lastIndexOf("@")), "package.json");
  return existsSync(file) ? manifestSchema.parse(JSON.parse(readFileSync(file, "utf8"))).version : null;
}

/** Reads a database with the Node 22 of the programs: the one that runs this may have none for it. */
const READ = `
const { DatabaseSync } = require("node:sqlite");
const [file, query] = process.argv.slice(1);
process.stdout.write(JSON.stringify(new DatabaseSync(file).prepare(query).all().map(({ text }) => String(text))));
`;

const textsSchema = z.array(z.string());

/** The texts of a program's stored sessions, each the JSON of one message or part. */
function storedTexts(place: SessionPlace, home: string, node22: string): readonly string[] {
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
