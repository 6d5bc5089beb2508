import type { AgentEvent } from "@plimsoll/agent";
import { formatNumberOf, formatTokens } from "@plimsoll/bench/extend";
import { beginningOf, COLUMNS, fitted, printable, shortened } from "@plimsoll/bench/terminal";
import { type CompactionEntry, type ContextEvent, textOf } from "@plimsoll/core";
import { compactionKind, PART_WORDS, type REQUEST_UNITS } from "@plimsoll/core/extend";
import { flushed, LINE_START, printableLines, type WrapState, wrapPiece } from "../terminal/word-wrap.ts";

const NAME_CHARS = 40;

const SUB_AGENT_INDENT = "  ";

/** An event's line for the session that a person looks at; a sub-agent's lines are a little to the right. */
export function lineFor(event: AgentEvent, sessionId: string | null): string | null {
  const line = eventLine(event);
  return line === null || sessionId === null || event.sessionId === sessionId ? line : `${SUB_AGENT_INDENT}${line}`;
}

/** How much of a line is left behind its beginning, in a sub-agent's line as well. */
function roomBehind(start: string): number {
  return COLUMNS - SUB_AGENT_INDENT.length - [...start].length;
}
type WindowFilled = Extract<ContextEvent, { readonly type: "window-filled" }>;

const NAMED_PARTS = 6;

/** Lists the parts of a window that no cut takes, largest first. */
function filledWords({ parts, overheadTokens, budgetTokens }: WindowFilled): string {
  const named = parts.slice(0, NAMED_PARTS).map((part) => `${fillingWords(part)} ${formatTokens(part.tokens)}`);
  const restTokens = parts.slice(NAMED_PARTS).reduce((sum, { tokens }) => sum + tokens, 0);
  const rest = restTokens === 0 ? [] : [`the rest ${formatTokens(restTokens)}`];
  return `about ${formatTokens(overheadTokens)} of ${formatTokens(budgetTokens)} tokens are sent with every request, and no compaction takes them: ${[...named, ...rest].join(", ")}`;
}

function fillingWords({ what, name, toolCount }: WindowFilled["parts"][number]): string {
  const shown = name === null ? "" : shortened(name, NAME_CHARS);
  switch (what) {
    case "tools":
      return name === null
        ? `${formatNumberOf(toolCount, "tool")} of the agent`
        : `${formatNumberOf(toolCount, "tool")} of ${shown}`;
    case "instructions":
      return shown;
    case "system":
      return "system text";
    case "dynamic-context":
      return "dynamic context";
    case "not-in-log":
      return "counted by the provider, not in the log";
    default:
      return what satisfies never;
  }
}

function partWords(parts: Extract<ContextEvent, { readonly type: "context-irreducible" }>["parts"]): string {
  const filled = parts.filter(({ tokens }) => tokens > 0);
  return filled.map(({ what, tokens }) => `${formatTokens(tokens)} for ${PART_WORDS[what]}`).join(", ");
}

/** One line for a log or a terminal about an event; `null` for events printed elsewhere or not at all. */
function eventLine(event: AgentEvent): string | null {
  switch (event.type) {
    case "tool-start": {
      const start = `▸ ${shortened(event.toolName, NAME_CHARS)} `;
      return `${start}${shortened(event.argumentsJson, roomBehind(start))}`;
    }
    case "tool-end": {
      const start = `✗ ${shortened(event.toolName, NAME_CHARS)}: `;
      return event.isError ? `${start}${beginningOf(textOf(event.message), roomBehind(start))}` : null;
    }
    case "overflow-detected":
      return `◇ too long for the provider${ofTokens(event.requestedTokens)}${event.limitTokens === null ? "" : `, limit ${formatTokens(event.limitTokens)}`}${event.recovery === 0 ? "" : "; compacting"}`;
    case "output-lowered":
      return `◇ the reply did not fit next to the prompt${event.limitTokens === null ? "" : ` in ${formatTokens(event.limitTokens)} tokens`}: asking for at most ${formatTokens(event.maxOutputTokens)} tokens now`;
    case "request-retry":
      return `◇ the model did not answer (${printable(event.class)}): asked again in ${Math.round(event.waitMs / MS_PER_SECOND)} s, attempt ${event.attempt + 1}`;
    case "message-queued":
      return "▹ for the next step";
    case "agent-start":
    case "step-start":
    case "message":
    case "turn-end":
    case "agent-end":
    case "text-delta":
    case "reasoning-delta":
    case "usage-update":
      return null;
    default: {
      const words = contextWords(event, "set context_window to its real size");
      return words === null ? null : `${event.type === "compaction-end" ? "◆" : "◇"} ${words}`;
    }
  }
}

/** Describes an event of a context; `null` for events that a person need not know. `toStateWindow` says how to state a window that is not known. */
export function contextWords(event: ContextEvent, toStateWindow: string): string | null {
  switch (event.type) {
    case "compaction-end": {
      const { tokensBefore, tokensAfter, messagesRemoved, strategies, reason, unkept, missed } = event;
      const size = `${formatTokens(tokensBefore)} → ${formatTokens(tokensAfter)} tokens`;
      const left =
        missed === undefined
          ? ""
          : `; more than ${formatTokens(missed.budgetTokens)} tokens are expected to remain (${partWords(missed.parts)}); they are sent anyway`;
      return `compacted (${reason}): ${size}, ${formatNumberOf(messagesRemoved, "message")} fewer, by ${strategies.join(" and ")}${unkept.map((line) => `; ${printable(line)}`).join("")}${left}`;
    }
    case "compaction-failed":
      if (event.reason === "manual" && event.steps.every(({ outcome }) => outcome === "not-applicable"))
        return "Nothing to compact: everything is recent.";
      return `compaction failed (${event.reason}): ${[...new Set(event.steps.map(({ strategy, detail }) => `${strategy}: ${printable(detail ?? "nothing to do")}`))].join("; ")}`;
    case "compaction-undone":
      return `the cut after the provider's error ${event.refusal.status ?? ""} is undone: the whole context is sent again`;
    case "compaction-cancelled":
      return `compaction cancelled: ${printable(event.why)}`;
    case "compaction-off":
      return event.why === "vendors-history"
        ? vendorsWords(event.named)
        : `compaction is off: the context window is not known; ${toStateWindow}`;
    case "context-irreducible":
      return overWords(event.parts) === null
        ? `the context cannot be made to fit ${formatTokens(event.budgetTokens)} tokens: ${partWords(event.parts)}`
        : `the request exceeds the limits of the vendor: ${overWords(event.parts)}`;
    case "breaker-open":
      return `no more summaries by a model for now: ${printable(event.why)}`;
    case "reply-lowered":
      return `a reply of ${formatTokens(event.askedTokens ?? 0)} tokens leaves no room in a window of ${formatTokens(event.contextWindowTokens ?? 0)}: asking for at most ${formatTokens(event.maxOutputTokens ?? 0)}`;
    case "window-filled":
      return filledWords(event);
    case "silent-truncation":
      return `the provider read ${formatTokens(event.reportedTokens)} tokens of about ${formatTokens(event.expectedTokens)} sent: it cuts prompts silently; ${toStateWindow}`;
    case "usage-refused":
      return `the provider's usage is impossible: it reports ${formatTokens(event.reportedTokens)} tokens for about ${formatTokens(event.expectedTokens)} sent; sizes are estimated from now on`;
    case "session-repaired":
      return `the session was repaired: ${event.entries.length} entries added`;
    case "compaction-start":
    case "summary-prepared":
    case "summary-unused":
    case "result-cut":
      return null;
    default:
      return event satisfies never;
  }
}

/** Says why nothing is compacted of a history that the vendor keeps. */
export function vendorsWords(named: string): string {
  return `nothing is compacted: the vendor keeps or compacts this history (${printable(named)}); send it whole and without that to have it compacted here`;
}

const MS_PER_SECOND = 1_000;

function ofTokens(tokens: number | null): string {
  return tokens === null ? "" : `: ${formatTokens(tokens)} tokens`;
}

/** Where a chat's events are shown. `sessionId` is `null` until the session is open. */
interface ChatScreen {
  write(text: string): void;
  status(): string;
  sessionId(): string | null;
  /** At which the model's words are broken; `null` for an output that is no terminal. */
  readonly columns: number | null;
}

/** Shows words as they come and everything else as lines of their own. */
export function createRenderer({ write, status, sessionId, columns }: ChatScreen): (event: AgentEvent) => void {
  let cursor: Cursor = "line-start";
  return (event) => {
    const rendered = rendering(cursor, event, { status, sessionId: sessionId(), columns });
    cursor = rendered.cursor;
    if (rendered.text !== "") write(rendered.text);
  };
}

/** Where the next text goes: a line that the model's words began is still open, or not. */
export type Cursor = "line-start" | WrapState;

/** Renders an event, and says where the cursor is then. The status is asked for only if it is shown. */
export function rendering(
  cursor: Cursor,
  event: AgentEvent,
  { status, sessionId, columns }: Pick<ChatScreen, "status" | "columns"> & { readonly sessionId: string | null },
): { readonly cursor: Cursor; readonly text: string } {
  const isOwn = sessionId === null || event.sessionId === sessionId;
  const width = columns ?? Number.POSITIVE_INFINITY;
  // A sub-agent's text is for its parent.
  if (event.type === "text-delta") {
    if (!isOwn) return { cursor, text: "" };
    const { state, text } = wrapPiece(cursor === "line-start" ? LINE_START : cursor, printableLines(event.text), width);
    return { cursor: state, text };
  }
  const line = lineFor(event, sessionId);
  const isStepEnd = isOwn && (event.type === "usage-update" || event.type === "agent-end");
  if (line === null && !isStepEnd) return { cursor, text: "" };
  const shown = line === null || columns === null ? line : fitted(line);
  const lines = [...(shown === null ? [] : [shown]), ...(isOwn && event.type === "usage-update" ? [status()] : [])];
  const words = cursor === "line-start" ? "" : `${flushed(cursor, width).text}\n`;
  return { cursor: "line-start", text: `${words}${lines.map((each) => `${each}\n`).join("")}` };
}

/** The words for each unit of a request's limits in messages for a person. */
export const UNIT_WORDS: Readonly<Record<(typeof REQUEST_UNITS)[number], string>> = {
  bytes: "bytes a request",
  images: "images and documents a request",
  documents: "documents a request",
  pages: "pages and images a request",
  documentBytes: "bytes of documents a request",
  imageBytes: "bytes an image",
  imagePx: "pixels a side of an image",
  manyImagePx: "pixels a side of an image among many",
};

/** Says which limits in other units than tokens are exceeded; `null` if none is. */
function overWords(parts: Extract<ContextEvent, { readonly type: "context-irreducible" }>["parts"]): string | null {
  const overs = parts.flatMap(({ what, over }) =>
    over === undefined ? [] : [`${what.replaceAll("-", " ")}: ${over.size} ${UNIT_WORDS[over.unit]}, at most ${over.limit}`],
  );
  return overs.length === 0 ? null : overs.join("; ");
}

/**
 * The log line of a compaction, e.g. `[plimsoll:context:compacted:structured] 60674 → 7144 tokens (tool round 11)`; without the round
 * before the first step and if steps are not counted.
 */
export function compactionLogLine(entry: CompactionEntry): string {
  const { tokensBefore, tokensAfter, step = 0 } = entry.record;
  const round = step === 0 ? "" : ` (tool round ${step})`;
  return `[plimsoll:context:compacted:${compactionKind(entry)}] ${tokensBefore ?? "?"} → ${tokensAfter ?? "?"} tokens${round}`;
}
