import fc from "fast-check";
import { type AddedToScenarios, arbitraryScenario } from "../src/testing/arbitrary-session.ts";
import { playSession } from "../src/testing/play-session.ts";

/** Most acts of a generated session, as in the engine's property. */
const MAXIMUM_ACTS = 40;

/** Generated sessions to play: so many of a seed, or the one at a path, which is made smaller as long as it fails. */
export interface Chunk {
  readonly seed: number;
  readonly sessions: number;
  readonly path: string | null;
  /** Milliseconds after which no other session is begun. */
  readonly atMostMs: number;
}

/** The record of a chunk: the sessions that were played, and the first one that broke a rule. */
export interface PlayedChunk {
  readonly seed: number;
  readonly sessions: number;
  readonly compactions: number;
  readonly failure: { readonly path: string | null; readonly error: string; readonly scenario: string } | null;
}

/** Plays generated sessions on the engine until one breaks a rule. The same chunk gives the same sessions. */
export async function playChunk({ seed, sessions, path, atMostMs }: Chunk, added: AddedToScenarios): Promise<PlayedChunk> {
  const total = { sessions: 0, compactions: 0 };
  const property = fc.asyncProperty(arbitraryScenario(MAXIMUM_ACTS, added), async (scenario) => {
    const played = await playSession(scenario);
    total.sessions += 1;
    total.compactions += played.compactions;
    if (played.violations.length > 0) throw new Error(JSON.stringify(played.violations));
  });
  const again = path === null ? { endOnFailure: true } : { path };
  const time = { interruptAfterTimeLimit: atMostMs, markInterruptAsFailure: false };
  const run = await fc.check(property, { seed, numRuns: sessions, ...time, ...again });
  if (!run.failed) return { seed, ...total, failure: null };
  // Kinds are code; a path and a seed give them again.
  const scenario = run.counterexample?.map(({ kinds: _, ...data }) => data)[0];
  const error =
    run.errorInstance instanceof Error ? (run.errorInstance.stack ?? run.errorInstance.message) : String(run.errorInstance);
  return { seed, ...total, failure: { path: run.counterexamplePath, error, scenario: JSON.stringify(scenario) } };
}
