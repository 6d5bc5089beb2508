import type { Transcript } from "@plimsoll/bench";
import { cellOf, drive, prepareSession } from "@plimsoll/bench/internal";
import type { Message, Policy } from "@plimsoll/core";
import { textOf, toolCallsOf } from "@plimsoll/core";
import { MODEL_CATALOG } from "@plimsoll/providers";

/** The window above the overhead in which the sessions are cut; chosen: small enough that a context can be read to its end. */
export const SHOWN_ROOM_TOKENS = 32_000;

/** Of a message that stayed word for word so many lines are printed: a reader knows what they are. What a compaction wrote is printed whole. */
const HEAD_LINES = 6;
const TAIL_LINES = 2;
/** Longer lines are shortened. */
const LINE_CHARS = 160;

/** What a request looks like after a cut. */
export interface ShownContext {
  /** Place of the call that sent it, the first is 1, and of how many cuts it is the last. */
  readonly call: number;
  readonly cuts: number;
  readonly promptTokens: number;
  readonly messages: readonly Message[];
}

/** The request after a policy's last cut of a session; `null` if it cuts nothing. */
export async function contextAfterCut(transcript: Transcript, policy: Policy): Promise<ShownContext | null> {
  const session = prepareSession(transcript);
  const window = { kind: "working-room", tokens: SHOWN_ROOM_TOKENS } as const;
  let shown: ShownContext | null = null;
  let cuts = 0;
  await drive(session, cellOf(session, { policy, window, catalog: MODEL_CATALOG }), (sent) => {
    cuts += sent.compactions.length;
    if (sent.compactions.length === 0) return;
    shown = { call: sent.call + 1, cuts, promptTokens: sent.promptTokens, messages: sent.context.slice() };
  });
  return shown;
}

/** A context as Markdown: each message under who said it. */
export function contextMarkdown(name: string, shown: ShownContext | null): string {
  if (shown === null) return `### ${name}\n\nCuts nothing.\n`;
  const { call, cuts, promptTokens, messages } = shown;
  const size = promptTokens.toLocaleString("en");
  return [
    `### ${name}: cut ${cuts}, sent with call ${call}, ${size} tokens, ${messages.length} messages`,
    ...messages.map(messageMarkdown),
  ].join("\n\n");
}

function messageMarkdown(message: Message): string {
  const text = [textOf(message), ...toolCallsOf(message).map(({ toolName, argumentsJson }) => `${toolName} ${argumentsJson}`)]
    .filter((part) => part !== "")
    .join("\n");
  const isResult = message.role === "tool-result";
  const shown = !isResult && message.origin === "summary" ? text : shortened(text);
  const who = isResult ? `result of ${message.toolName}` : `${message.role}, ${message.origin}`;
  const fence = "`".repeat(Math.max(3, 1 + longestRun(shown)));
  return `**${who}**\n\n${fence}text\n${shown}\n${fence}`;
}

function shortened(text: string): string {
  const lines = text.split("\n").map((line) => (line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)} …` : line));
  const left = lines.length - HEAD_LINES - TAIL_LINES;
  return left <= 1
    ? lines.join("\n")
    : [...lines.slice(0, HEAD_LINES), `… ${left} more lines, word for word …`, ...lines.slice(-TAIL_LINES)].join("\n");
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
