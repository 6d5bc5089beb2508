import { BUILT_IN_KINDS, type EnginePolicy } from "@plimsoll/core/extend";
import { MODEL_CATALOG } from "@plimsoll/providers";
import type { SimulatedReply } from "@plimsoll/providers/simulator";
import type { AskedContext } from "../src/ask/ask-report.ts";
import { type AskPlan, planAsk } from "../src/ask/plan-ask.ts";
import { prepareSession } from "../src/replay/prepared-session.ts";
import { digestSource } from "../src/replay/summary-source.ts";
import type { Transcript } from "../src/transcript.ts";
import { madeTranscript } from "./made-session.ts";

/** The model that is asked in tests. */
export const ASKED_MODEL = { host: "anthropic", modelId: "claude-haiku-4-5" };
const MADE = { turns: 8, toolCallsPerTurn: 6, resultChars: 4000, overheadTokens: 2000 };

/** A made session whose calls read a part of the turn's file. */
function readingSession(name: string): Transcript {
  const made = madeTranscript(MADE, name);
  const entries = made.entries.map((entry) => {
    if (entry.type !== "message" || entry.message.role !== "assistant") return entry;
    const parts = entry.message.parts.map((part) => {
      if (part.type !== "tool-call") return part;
      const [, turn = "", step = ""] = part.callId.split("-");
      return { ...part, ...reads(Number(turn), Number(step)) };
    });
    return { ...entry, message: { ...entry.message, parts } };
  });
  return { ...made, entries };
}

function reads(turn: number, part: number | string) {
  return { toolName: "read", argumentsJson: JSON.stringify({ path: `src/module-${turn}.ts`, part }) };
}

/** Turn and step of the call that follows a result, by the number that its text has (`made-session.ts`). */
const AFTER_RESULT: ReadonlyMap<string, readonly [turn: number, step: number]> = new Map(
  Array.from({ length: MADE.turns * MADE.toolCallsPerTurn }, (_, at) => {
    const [turn, step] = [Math.floor(at / MADE.toolCallsPerTurn), at % MADE.toolCallsPerTurn];
    return [`value_${turn * 31 + step * 7}`, [turn, step + 1]];
  }),
);

/** Tells the recorded agent's next action after this text: the person names the turn's file, a result tells its turn and step. */
function recordedAfter(newestText: string): readonly [turn: number, step: number] {
  const asked = Number(/module-(\d+)/.exec(newestText)?.[1]);
  return AFTER_RESULT.get(/value_\d+/.exec(newestText)?.[0] ?? "") ?? [asked, 0];
}

const SUMMARY_MARK = "[Conversation summary";

/** Which context a request has: a summary stands in the compacted one alone, the session's first message in the full one. */
export function contextOf(body: unknown): Exclude<AskedContext, "again"> {
  const text = JSON.stringify(body);
  if (text.includes(SUMMARY_MARK)) return "compacted";
  return text.includes("module-0.ts and mend it") ? "full" : "tail";
}

/** With the full history it does what was recorded, with the compacted one it reads another part, with the tail it does something else. */
export function scripted(context: Exclude<AskedContext, "again">, newestText: string): SimulatedReply {
  const [turn, step] = recordedAfter(newestText);
  const call = {
    full: reads(turn, step),
    compacted: reads(turn, "other"),
    tail: { toolName: "search", argumentsJson: '{"pattern":"x"}' },
  }[context];
  return {
    parts: [
      { type: "text", text: "I go on." },
      { type: "tool-call", ...call },
    ],
  };
}

/** Two such sessions in a small window: what a model would be asked about. */
export async function askedPlan(policies: readonly EnginePolicy[], callsAPolicy = 6): Promise<AskPlan> {
  const sources = ["a.jsonl", "b.jsonl"].map((file) => ({
    file,
    load: () => Promise.resolve([prepareSession(readingSession(file))]),
  }));
  const window = { kind: "working-room", tokens: 24_000 } as const;
  const given = { catalog: MODEL_CATALOG, kinds: BUILT_IN_KINDS, summaries: digestSource };
  return await planAsk({ ...given, sources, policies, window, model: ASKED_MODEL, callsAPolicy });
}
