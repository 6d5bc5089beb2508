import process from "node:process";
import { asPublished, importFile, PEERS, type Program, programPolicy } from "@plimsoll/bench";
import { prepareSession, replay } from "@plimsoll/bench/internal";
import { PRESETS } from "@plimsoll/core";
import type { EnginePolicy } from "@plimsoll/core/build";
import { ranOnNode22 } from "./node-22.ts";
import { programSection, type Total } from "./program-rows.ts";
import { installedPrograms, REFERENCE_PROGRAMS } from "./programs.ts";
import { sampled, sessionFiles } from "./sessions.ts";

/** Working room of the comparison: that of the differential. */
const WINDOW = { kind: "working-room", tokens: 64_000 } as const;

const NOTHING: Total = { calls: 0, compactions: 0, overflows: 0, lost: 0, promptTokens: 0 };

/** A policy to replay, and the program that runs in its place. */
interface Run {
  readonly name: string;
  readonly policy: EnginePolicy;
  readonly program: Program | null;
}

/**
 * Replays recorded sessions under each program that can be had, and under our likeness of it as published; prints them side by side.
 * `--sample N` takes so many of the session files.
 */
async function main(): Promise<void> {
  if (ranOnNode22(REFERENCE_PROGRAMS.map((program) => program.package))) return;
  const programs = installedPrograms();
  const files = sampled(sessionFiles(), process.argv);
  const totals = new Map<string, Total>();
  let sessions = 0;
  for (const { path, displayName } of files) {
    // A format that has no importer yet is left out.
    for (const transcript of await importFile(path, displayName).catch(() => [])) {
      sessions += 1;
      const session = prepareSession(transcript);
      for (const { name, policy, program } of programs.flatMap(runsOf)) {
        const { metrics } = await replay(session, { policy, window: WINDOW, program });
        if (metrics !== null) totals.set(name, added(totals.get(name) ?? NOTHING, metrics));
      }
    }
  }
  const section = programSection(
    programs.map((program) => rowOf(program, totals)),
    { sessions, files: files.length, room: "64k" },
  );
  process.stdout.write(`${section}\n`);
  process.stderr.write(`${programs.length} programs run, ${REFERENCE_PROGRAMS.length - programs.length} left out\n`);
}

function likenessOf({ likeness }: Program): EnginePolicy | null {
  const policy = [...PRESETS, ...PEERS.map((peer) => peer.policy)].find(({ name }) => name === likeness);
  return policy === undefined ? null : asPublished(policy);
}

function runsOf(program: Program): readonly Run[] {
  const own = { name: program.name, policy: programPolicy(program), program };
  const likeness = likenessOf(program);
  return likeness === null ? [own] : [own, { name: likeness.name, policy: likeness, program: null }];
}

function rowOf(program: Program, totals: ReadonlyMap<string, Total>): Parameters<typeof programSection>[0][number] {
  const likeness = likenessOf(program);
  return {
    program: program.name,
    runs: program.runs,
    total: totals.get(program.name) ?? NOTHING,
    likeness: likeness === null ? null : { name: likeness.name, total: totals.get(likeness.name) ?? NOTHING },
  };
}

function added(total: Total, { safety, economy }: NonNullable<Awaited<ReturnType<typeof replay>>["metrics"]>): Total {
  return {
    calls: total.calls + safety.calls,
    compactions: total.compactions + economy.compactions,
    overflows: total.overflows + safety.overflowingRequests,
    lost: total.lost + safety.unrecoveredRequests,
    promptTokens: total.promptTokens + economy.promptTokens,
  };
}

await main();
