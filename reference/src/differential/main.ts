import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { asPublished, importFile, PEERS } from "@plimsoll/bench";
import { LIKENESSES, type Likeness, prepareSession } from "@plimsoll/bench/internal";
import { PRESETS } from "@plimsoll/core";
import { canRun, installedEntry } from "../install.ts";
import { ranOnNode22 } from "../node-22.ts";
import { called, PI, PI_OLD, type ProgramPackage } from "../packages.ts";
import { loadPi, type PiModule } from "../pi/pi-module.ts";
import { ROOT, type SessionFile, sessionFiles } from "../sessions.ts";
import { type Compared, tallied } from "./compared.ts";
import { differentialPage, type LikenessResult, undeclaredLines } from "./page.ts";
import { comparePi } from "./pi-differential.ts";

/** Working room of the comparison: what most recorded sessions exceed several times. */
const ROOM_TOKENS = 64_000;

const PACKAGES: readonly ProgramPackage[] = [PI, PI_OLD];

/**
 * Compares each policy that follows a published program with the program itself, call by call, and writes docs/differential.md. Fails on a
 * difference that is not declared.
 */
async function main(): Promise<void> {
  if (ranOnNode22(PACKAGES)) return;
  const files = sessionFiles();
  const results: LikenessResult[] = [];
  for (const likeness of LIKENESSES) results.push(await resultOf(likeness, files));
  const page = join(ROOT, "docs/differential.md");
  if (process.argv.includes("--write")) writeFileSync(page, differentialPage(results, files.length));
  process.stdout.write(differentialPage(results, files.length));
  const lines = results.flatMap(undeclaredLines);
  for (const line of lines) process.stderr.write(`${line}\n`);
  const left = results.filter(({ tallies }) => tallies === null).length;
  process.stderr.write(
    `${results.length - left} compared, ${left} left out, ${lines.length} lines of undeclared differences\n`,
  );
  process.exitCode = lines.length === 0 ? 0 : 1;
}

async function resultOf(likeness: Likeness, files: readonly SessionFile[]): Promise<LikenessResult> {
  const published = PACKAGES.find((each) => called(each) === likeness.follows);
  const address = published === undefined || !canRun(published) ? null : installedEntry(published);
  const policy = [...PRESETS, ...PEERS.map((peer) => peer.policy)].find(({ name }) => name === likeness.policy);
  if (address === null || policy === undefined) return { likeness, tallies: null };
  const module: PiModule = await loadPi(address);
  const all: Compared[] = [];
  for (const { path, displayName } of files) {
    // A format that has no importer yet is no finding about the likeness.
    for (const transcript of await importFile(path, displayName).catch(() => [])) {
      const session = prepareSession(transcript);
      all.push(...(await comparePi({ session, policy: asPublished(policy), module, roomTokens: ROOM_TOKENS })));
    }
  }
  return { likeness, tallies: tallied(all, likeness.differences) };
}

await main();
