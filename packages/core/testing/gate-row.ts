import type { FitOutcome } from "../src/engine/fit-input.ts";
import type { CompactionEntry } from "../src/entry.ts";
import { svenPolicy } from "../src/policy/presets/sven.ts";
import { compactionKind } from "../src/session/events.ts";
import { human } from "../src/testing/builders.ts";
import { type EngineSession, type EngineSessionOptions, engineSession } from "./engine-session.ts";
import { lettered, shapeOf } from "./lettered.ts";

/** A row: sizes are the document's times 100, as our header, facts and notice have their own size. */
export interface GateRow {
  readonly letters: string;
  /** 1,000 if nothing else is said. */
  readonly tokens?: number | readonly number[];
  /** 100 if nothing else is said. */
  readonly systemTokens?: number;
  readonly windowTokens: number;
  readonly keep: number;
  readonly threshold?: number;
  readonly reserve?: number;
  readonly more?: Partial<EngineSessionOptions>;
  readonly strategy?: "structured" | "narrative";
}

/** The result of playing a row: the compaction's kind, or the outcome's, and the view by ids. */
export interface PlayedRow {
  readonly session: EngineSession;
  readonly outcome: FitOutcome;
  readonly kind: string;
  readonly shape: string;
}

/** Opens the row's session and asks the gate once: the one behind the batch if a result is the newest message. */
export async function played(row: GateRow): Promise<PlayedRow> {
  const session = engineSession({
    policy: svenPolicy({
      compaction_keep_recent: row.keep,
      compaction_threshold: row.threshold ?? 0.85,
      compaction_overhead_reserve: row.reserve ?? 0.1,
      compaction_strategy: row.strategy ?? "structured",
    }),
    windowTokens: row.windowTokens,
    systemTokens: row.systemTokens ?? 100,
    messages: lettered(row.letters, row.tokens ?? 1000),
    ...row.more,
  });
  const outcome = await session.fit(
    row.letters.endsWith("R")
      ? { gate: "after-tool-batch", pending: [], step: 1 }
      : { gate: "before-submit", pending: [human("new", "go on")], step: 0 },
  );
  const kind = outcome.entry !== undefined ? compactionKind(outcome.entry) : outcome.kind;
  return { session, outcome, kind, shape: shapeOf(session.manager.view().messages) };
}

/** The compaction of an outcome; none if it did not compact. */
export function entriesOf(outcome: FitOutcome): readonly CompactionEntry[] {
  return outcome.entry === undefined ? [] : [outcome.entry];
}
