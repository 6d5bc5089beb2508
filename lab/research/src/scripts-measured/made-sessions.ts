import type { Transcript } from "@plimsoll/bench";
import { type Message, type SessionEntry, usageOf } from "@plimsoll/core";
import type { CountTokens } from "@plimsoll/core/extend";
import { CODE } from "./texts.ts";

/** Tokens that a chat template puts around a message; the open models' have four or five. */
const FRAME_TOKENS = 4;

const SYSTEM = "You are a careful programmer. Read before you write, and run the tests.";

/** Calls of a made session, and sentences of each message. */
const CALLS = 12;
const SENTENCES = 20;

/** A session whose reports are what a real tokenizer counts: sentences of one script, with code between them. The last question ends with what is `pasted`. */
export function sessionIn(
  sentences: readonly string[],
  { modelId, count }: { readonly modelId: string; readonly count: CountTokens },
  pasted = "",
): Transcript {
  const start = { version: 2, id: modelId, createdMs: null, tools: [], parent: null, agent: null } as const;
  const entries: SessionEntry[] = [{ type: "session", ...start, system: SYSTEM }];
  const unhashed = { overheadHash: null, viewHash: null, atMs: null };
  let promptTokens = count(SYSTEM) + FRAME_TOKENS;
  const say = (message: Message, text: string) => {
    entries.push({ type: "message", message });
    promptTokens += count(text) + FRAME_TOKENS;
  };
  for (let call = 0; call < CALLS; call++) {
    const asked = textOf(sentences, 3 * call) + (call === CALLS - 1 ? pasted : "");
    say({ role: "user", origin: "human", id: `h${call}`, parts: [{ type: "text", text: asked }], atMs: null }, asked);
    const answer = textOf(sentences, 3 * call + 1, 3);
    const usage = usageOf({ totalInputTokens: promptTokens, outputTokens: count(answer) });
    entries.push({ type: "usage", requestId: `r${call}`, modelId, throughMessageId: `h${call}`, usage, ...unhashed });
    const reply = { id: `a${call}`, parts: [{ type: "text", text: answer }], modelId, requestId: `r${call}` } as const;
    say({ role: "assistant", origin: "model", stopReason: null, atMs: null, ...reply }, answer);
  }
  return { name: modelId, file: modelId, format: "made", entries, parentName: null, hasUsage: true, notes: [] };
}

function textOf(sentences: readonly string[], from: number, length = SENTENCES): string {
  return Array.from({ length }, (_, index) => {
    const sentence = sentences[(from + index) % sentences.length] ?? "";
    return index % 4 === 3 ? `${sentence}\n${CODE[(from + index) % CODE.length] ?? ""}` : sentence;
  }).join(" ");
}
