import { type CompactionEntry, type Message, NONE_POLICY, type SummaryRequest } from "@plimsoll/core";
import { coverageOf, createWorkCounter, type EnginePolicy, shortHash } from "@plimsoll/core/extend";
import type { PreparedSession } from "../open/prepared-session.ts";
import { type Cell, limitsOf } from "./cell.ts";
import { createEngineRun, type EngineRun, type FitMoment } from "./engine-run.ts";
import { createFailureLog } from "./part-failures.ts";
import type { Program, ProgramRun, ProgramSummary, ProgramUsage, StandIn } from "./program.ts";
import type { AskedSummary } from "./replayed-call.ts";

/** Makes the policy under which a program is replayed: it edits nothing, and allows as many recoveries of a rejected request as the program does. */
export function programPolicy({ name, maxRecoveries, resultCapChars }: Omit<Program, "start">): EnginePolicy {
  return {
    ...NONE_POLICY,
    name,
    gates: { at: [], countPending: false },
    fallback: null,
    overflow: { keep: [{ kind: "recent", messages: 0 }], maxRecoveries },
    summary: { ...NONE_POLICY.summary, resultCapChars },
    enabled: true,
  };
}

/**
 * A program in the engine's place: the log is ours, so that everything is measured as it is for a policy, and each answer of the program is
 * an entry that replaces the whole view.
 */
export async function createProgramRun(session: PreparedSession, cell: Cell, program: Program): Promise<EngineRun> {
  const engine = createEngineRun(session, cell);
  const signal = new AbortController();
  const summaries: AskedSummary[] = [];
  let position = 0;
  let failedCompactions = 0;
  let reported: ProgramUsage | null = null;
  const failures = createFailureLog();
  const write = cell.summaries({
    session,
    position: () => position,
    note: (asked) => summaries.push(asked),
    stop: (error) => signal.abort(error),
  });
  const summarize: StandIn = async (asked) => {
    const { text } = await write(summaryRequestOf(asked, engine.view().messages.slice()), signal.signal);
    signal.signal.throwIfAborted();
    return text;
  };
  const run = await program.start({ limits: limitsOf(cell), overheadTokens: cell.overheadTokens, summarize });
  return {
    ...engine,
    report: async (sent, usage) => {
      const { input, output } = usage.usage;
      reported = { promptTokens: input.totalTokens ?? 0, outputTokens: output.totalTokens ?? 0 };
      return await engine.report(sent, usage);
    },
    reach: (entryIndex) => {
      position = entryIndex;
      engine.reach(entryIndex);
    },
    fit: async (gate, moment) => {
      const before = engine.view().messages.slice();
      const after = await answerOf(run, { gate, before, moment, reported });
      signal.signal.throwIfAborted();
      const step = { strategy: program.name, outcome: "applied", detail: null } as const;
      failures.add([typeof after === "string" ? { ...step, outcome: "failed", detail: after } : step]);
      if (typeof after === "string") failedCompactions += 1;
      const isSame = before.length === after.length && before.every((message, place) => message === after[place]);
      if (typeof after === "string" || isSame) return { kind: "unchanged", off: null };
      const entry = replacingEntry({ before, after, gate, program, moment, throughEntryId: engine.view().lastEntryId });
      engine.append(entry);
      engine.note(entry);
      return { kind: "compacted", entry };
    },
    end: failures.result,
    takeDone: () => {
      const done = { ...engine.takeDone(), failedCompactions, summaries: summaries.splice(0) };
      failedCompactions = 0;
      return done;
    },
  };
}

interface Asked {
  readonly gate: Parameters<EngineRun["fit"]>[0];
  readonly before: readonly Message[];
  readonly moment: FitMoment;
  readonly reported: ProgramUsage | null;
}

/** Asks the program, and returns its answer, or its failure, which is a finding about it and not about the replay. */
async function answerOf(run: ProgramRun, { gate, before, moment, reported }: Asked): Promise<readonly Message[] | string> {
  try {
    return await run.at({ gate, messages: before, pending: moment.pending, reported, nowMs: moment.nowMs });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The entry that replaces the whole view by the answer. */
function replacingEntry(change: {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly gate: Asked["gate"];
  readonly program: Pick<Program, "runs">;
  readonly moment: FitMoment;
  readonly throughEntryId: string | null;
}): CompactionEntry {
  const { before, after, gate, program, moment, throughEntryId } = change;
  const stays = new Set(after);
  return {
    type: "compaction",
    id: shortHash(`program\n${gate}\n${throughEntryId ?? ""}\n${after.map(({ id }) => id).join("\n")}`),
    throughEntryId,
    edits: [
      {
        kind: "replace-history",
        through: before.at(-1)?.id ?? null,
        messages: after,
        covered: coverageOf(before.filter((message) => !stays.has(message))),
      },
    ],
    record: {
      policy: program.runs,
      reason: gate === "on-overflow" ? "overflow" : "threshold",
      gate,
      steps: [{ strategy: program.runs, outcome: "applied", detail: null }],
      estimator: "none",
      cutEstimator: null,
      modelId: null,
      budgetTokens: null,
      tokensBefore: null,
      tokensAfter: null,
      messagesBefore: before.length,
      messagesAfter: after.length,
      work: createWorkCounter().total(),
    },
    atMs: moment.nowMs,
  };
}

/** It asks the stand-in as for a policy's summary; a program words its own request. */
function summaryRequestOf({ messages, maxTokens, form }: ProgramSummary, view: readonly Message[]): SummaryRequest {
  const { sections, labels, resultCapChars } = NONE_POLICY.summary;
  const asked = {
    parts: [{ promptId: "checkpoint", messages }],
    view,
    sections,
    maxTokens,
    turnPrefixMaxTokens: maxTokens,
    focus: null,
    resultCapChars,
    labels,
  };
  if (form === "serialised") return asked;
  return { ...asked, conversation: { system: "", tools: [], messages, dynamicContext: null } };
}
