import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { asPublished, importFile, PEERS } from "@plimsoll/bench";
import { codeVersion, LIKENESSES, type Likeness, prepareSession } from "@plimsoll/bench/internal";
import { PRESETS } from "@plimsoll/core";
import type { EnginePolicy } from "@plimsoll/core/build";
import { shortHash } from "@plimsoll/core/internal";
import { canRun, installedEntry, PROGRAMS_FOLDER } from "../install.ts";
import { ranOnNode22 } from "../node-22.ts";
import { called, PI, PI_OLD } from "../packages.ts";
import { loadPi } from "../pi/pi-module.ts";
import { programOf, REFERENCE_PROGRAMS, type ReferenceProgram } from "../programs.ts";
import { sampled, sessionFiles } from "../sessions.ts";
import { type Compared, tallied } from "./compared.ts";
import { openFindings } from "./findings.ts";
import { differentialPage, type LikenessResult, undeclaredLines } from "./page.ts";
import { comparePi } from "./pi-differential.ts";
import { compareProgram } from "./program-differential.ts";
import { compareFiles } from "./slices.ts";

/** Working room of the comparison: what most recorded sessions exceed several times. */
const ROOM_TOKENS = 64_000;

/** The exit code of a run that `--minutes` ended: the same command goes on. */
const UNFINISHED = 3;

const MS_PER_MINUTE = 60_000;

/**
 * Compares each policy that follows a published program with the program itself, call by call, and prints what differs. `--sample N`
 * takes so many of the session files, `--only NAME` one likeness; `--minutes N` stops behind the file in hand, and the next run goes on there. Fails on a
 * difference that is not declared.
 */
async function main(): Promise<void> {
  if (ranOnNode22(REFERENCE_PROGRAMS.map((program) => program.package))) return;
  const { argv } = process;
  const files = sampled(sessionFiles(), argv).map((file) => ({ ...file, contents: () => readFileSync(file.path) }));
  const only = optionOf("--only", argv);
  const comparisons = await Promise.all(
    LIKENESSES.filter(({ policy }) => only === null || policy === only).map(async (likeness) => ({
      likeness,
      compare: await comparison(likeness),
    })),
  );
  const minutes = optionOf("--minutes", argv);
  const found = await compareFiles({
    files,
    comparisons,
    sessionsIn: async ({ path, displayName }) =>
      // A format that has no importer yet is no finding about a likeness.
      (await importFile(path, displayName).catch(() => [])).map(prepareSession),
    kept: openFindings(join(PROGRAMS_FOLDER, "findings")),
    version: `${ROOM_TOKENS} ${await codeVersion(dirname(dirname(fileURLToPath(import.meta.url))))}`,
    endsAfterMs: minutes === null ? null : Number(minutes) * MS_PER_MINUTE,
    nowMs: () => performance.now(),
    say: (line) => process.stderr.write(`${line}\n`),
  });
  if (found === null) {
    process.exitCode = UNFINISHED;
    return;
  }
  report(
    comparisons.map(({ likeness, compare }) => ({
      likeness,
      tallies: compare === null ? null : tallied(found.get(likeness) ?? [], likeness.differences),
    })),
    files.length,
  );
}

function report(results: readonly LikenessResult[], fileCount: number): void {
  const page = differentialPage(results, fileCount);
  process.stdout.write(page);
  const lines = results.flatMap(undeclaredLines);
  for (const line of lines) process.stderr.write(`${line}\n`);
  const left = results.filter(({ tallies }) => tallies === null).length;
  process.stderr.write(
    `${results.length - left} compared, ${left} left out, ${lines.length} lines of undeclared differences\n`,
  );
  process.exitCode = lines.length === 0 ? 0 : 1;
}

function optionOf(option: string, args: readonly string[]): string | null {
  const at = args.indexOf(option);
  return at < 0 ? null : (args[at + 1] ?? null);
}

type Compare = (asked: Pick<Parameters<typeof compareProgram>[0], "session">) => Promise<readonly Compared[]>;

/** How a likeness is compared, and what its findings depend on; `null` if its program is not there. */
async function comparison(likeness: Likeness): Promise<{ readonly of: string; readonly compare: Compare } | null> {
  const reference = REFERENCE_PROGRAMS.find(
    (each) => each.likeness === likeness.policy && called(each.package) === likeness.follows,
  );
  const preset = [...PRESETS, ...PEERS.map((peer) => peer.policy)].find(({ name }) => name === likeness.policy);
  if (reference === undefined || preset === undefined) return null;
  const policy = asPublished(preset);
  const made = await programComparison(reference, policy);
  return made === null ? null : { of: `${likeness.follows} ${shortHash(JSON.stringify(policy))}`, compare: made };
}

/** pi keeps a log of its own and is compared in its words; the others are asked about a context. */
async function programComparison(reference: ReferenceProgram, policy: EnginePolicy): Promise<Compare | null> {
  const asked = { policy, roomTokens: ROOM_TOKENS };
  if (reference.package === PI || reference.package === PI_OLD) {
    const address = canRun(reference.package) ? installedEntry(reference.package) : null;
    if (address === null) return null;
    const module = await loadPi(address);
    return ({ session }) => comparePi({ ...asked, session, module });
  }
  const program = programOf(reference);
  return program === null ? null : ({ session }) => compareProgram({ ...asked, session, program });
}

await main();
