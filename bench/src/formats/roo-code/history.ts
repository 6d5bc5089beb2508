import { contentParts } from "../content-parts.ts";
import { type Fields, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import { callIdChain, type LogItem, type ReplyPart, replyItem, userItem } from "../log-items.ts";
import { isEnvironment, textReply, textResultItems } from "../text-calls.ts";
import { modelNamedIn, replyPartsIn, TOOLS, withAnthropicBlocks, withListedFiles } from "./contents.ts";
import { type Requests, usageByTime } from "./requests.ts";

/**
 * The items of a history. A compaction stands where its summary or marker was put, which is not always where it was made:
 * a summary as a user's message is made at its place and nothing else stays (since 2026-01); one as an assistant's stands before the
 * three messages that stayed (`N_MESSAGES_TO_KEEP`); a truncation hides the older half of the messages behind the first, so that about as
 * many stayed as it hid (`truncateConversation` with a half, rounded down to an even number: right, or two messages too early).
 */
export function historyItems(given: readonly Fields[], requests: Requests): readonly LogItem[] {
  const items: LogItem[] = [];
  const reader = createReader(requests);
  const hiddenCounts = countsBy(given, "truncationParent");
  const first: LogItem[] = [];
  const waiting: WaitingBoundary[] = [];
  let condensed = 0;
  for (const message of given) {
    const atMs = timeMsAt(message, "ts");
    const summary = () => userItem("summary", contentParts(message.content), { atMs });
    if (message.isTruncationMarker === true) {
      const id = stringAt(message, "truncationId") ?? "";
      const tokensBefore = requests.tokensBeforeTruncation.get(id) ?? null;
      const parts = contentParts(message.content);
      const item = { ...boundary(userItem("notice", parts, { atMs }), tokensBefore), isAutomatic: true } as const;
      waiting.push({ item, kept: [...first], messagesLeft: hiddenCounts.get(id) ?? 0 });
    } else if (message.isSummary === true) {
      const tokensBefore = requests.tokensBeforeCondensing[condensed] ?? null;
      condensed += 1;
      const isFresh = message.role === "user";
      const item = boundary(summary(), tokensBefore);
      if (isFresh) items.push(...waiting.splice(0).map(closed), item);
      else waiting.push({ item, kept: [...first], messagesLeft: KEPT_BEHIND_SUMMARY });
    } else {
      const read = reader(message);
      if (first.length === 0) first.push(...read);
      items.push(...read);
      for (const open of waiting) {
        open.kept.push(...read);
        open.messagesLeft -= 1;
      }
    }
    while (waiting[0] !== undefined && waiting[0].messagesLeft <= 0) items.push(...waiting.splice(0, 1).map(closed));
  }
  return [...items, ...waiting.map(closed)];
}

/** `N_MESSAGES_TO_KEEP` in Roo's src/core/condense/index.ts, 2025. */
const KEPT_BEHIND_SUMMARY = 3;

/** A compaction that is made some messages further on, with what stays. */
interface WaitingBoundary {
  readonly item: Extract<LogItem, { kind: "boundary" }>;
  readonly kept: LogItem[];
  messagesLeft: number;
}

function closed({ item, kept }: WaitingBoundary): LogItem {
  return { ...item, kept: { kind: "items", items: kept } };
}

function boundary(
  summary: Extract<LogItem, { kind: "user" }>,
  tokensBefore: number | null,
): Extract<LogItem, { kind: "boundary" }> {
  const { atMs } = summary;
  return { kind: "boundary", summary, kept: { kind: "items", items: [] }, tokensBefore, line: null, sourceId: null, atMs };
}

function countsBy(messages: readonly Fields[], key: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const message of messages) {
    const value = stringAt(message, key);
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

/** Reads one message after the other: a reply is answered by what follows it, and reasoning may stand before its reply. */
function createReader(requests: Requests): (message: Fields) => readonly LogItem[] {
  const callIdOf = callIdChain();
  const usageAt = usageByTime(requests);
  const reasoning: ReplyPart[] = [];
  let openCallId: string | null = null;
  let modelId: string | null = null;
  return (given) => {
    const message = withAnthropicBlocks(given);
    const atMs = timeMsAt(message, "ts");
    if (message.type === "reasoning" && message.role === undefined) {
      const text = recordsAt(message, "summary").flatMap((part) => stringAt(part, "text") ?? []);
      reasoning.push({ type: "reasoning", text: text.join("\n"), opaque: stringAt(message, "encrypted_content") });
      return [];
    }
    if (message.role === "assistant") {
      const reply = textReply(TOOLS, replyPartsIn(message), callIdOf);
      openCallId = reply.textCallId;
      const parts = withListedFiles([...reasoning.splice(0), ...reply.parts]);
      return [replyItem(parts, usageAt(atMs), { atMs, modelId })];
    }
    modelId = modelOf(message) ?? modelId;
    return textResultItems(message, openCallId, { sourceId: null, atMs });
  };
}

/** The model that the surroundings in a message name. */
function modelOf(message: Fields): string | null {
  const said = contentParts(message.content).flatMap((part) =>
    part.type === "text" && isEnvironment(part.text) ? [part] : [],
  );
  return modelNamedIn(said.at(-1)?.text ?? "");
}
