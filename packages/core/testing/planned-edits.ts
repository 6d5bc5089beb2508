import type { Edit } from "../src/edit/apply-edits.ts";
import { type Executed, execute } from "../src/engine/execute.ts";
import { RECALLS_NOTHING } from "../src/memory/recaller.ts";
import type { Message } from "../src/message/message.ts";
import { SVEN_POLICY } from "../src/policy/presets/sven.ts";
import type { Summarizer } from "../src/ports.ts";

/** Spans that a model summarises. */
export const summarize: (...spans: readonly (readonly [string, string])[]) => Edit = (...spans) => ({
  kind: "replace-spans",
  by: "summary",
  spans: spans.map(([from, through]) => ({ from, through, promptId: "structured" })),
});
/** A span that goes, with a notice or without. */
export const drop: (from: string, through: string, by?: "notice" | "nothing") => Edit = (from, through, by = "notice") => {
  return { kind: "replace-spans", by, spans: [{ from, through, promptId: null }] };
};
/** A part of a message that is cut. */
export const replace: (messageId: string, partIndex?: number) => Edit = (messageId, partIndex = 0) => {
  return { kind: "replace-part", messageId, partIndex, text: "cut", handle: "h" };
};

const writes: Summarizer = () => Promise.resolve({ text: "what happened", usage: null, stopReason: "end" });

/** Carries edits out as the engine does, with nothing kept and nothing pending; every summary is `what happened` if nothing else writes it. */
export function run(
  messages: readonly Message[],
  edits: readonly Edit[],
  { summarizer = writes, lastStep }: { readonly summarizer?: Summarizer; readonly lastStep?: "open" | "answered" } = {},
): Promise<Executed> {
  const textTokens = (text: string) => text.length / 4;
  const circumstances = {
    textTokens,
    summary: SVEN_POLICY.summary,
    opening: { system: "", tools: [] },
    focus: null,
    prompts: [],
  };
  const writers = { summarizer, digest: summarizer, facts: () => null, recaller: RECALLS_NOTHING, kept: new Set<Message>() };
  const input = { messages, edits, lastStep, pending: [], nowMs: null, ...circumstances, ...writers };
  return execute(input, new AbortController().signal);
}
