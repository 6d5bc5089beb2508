import { atOnce } from "../kind.ts";
import { CONTEXT_FRAMING, quotedText } from "../message/framing.ts";
import { type Message, oncePerMessage, type ToolResultMessage, textOf } from "../message/message.ts";
import { characterBoundaryAtOrAfter, characterBoundaryAtOrBefore, lineCount, MOST_BYTES_PER_UNIT, utf8Bytes } from "../text.ts";
import type { OutputCategory } from "../tool.ts";
import { BUILT_IN_TRUNCATIONS, cutterFor } from "./built-in-truncations.ts";
import { diagnosisCount, keepingDiagnoses } from "./diagnoses.ts";
import type { Span, Truncation, TruncationPolicy } from "./span.ts";
import { commonCap, headEnd, isLineStart, lineStartAtOrAfter, lineStartAtOrBefore } from "./span.ts";

/** UTF-8 bytes a token in caps: sven's uncalibrated measure (its document, "Layer 4"). */
export const CAP_BYTES_PER_TOKEN = 4;

interface TruncationRequest {
  readonly category: OutputCategory;
  /** The most the output may take, its notice included: four UTF-8 bytes a token. 0 switches truncation off. */
  readonly capTokens: number;
  /** The same in UTF-8 bytes, for a text that has only a part of it. */
  readonly capBytes?: number;
  /** The tool's advice on how to see the rest, e.g. "use offset and limit to see more"; one line without brackets. */
  readonly hint?: string;
  /** How each category is cut; the built-in truncations by default. */
  readonly truncations?: readonly Truncation[];
  /** Lines that look like a diagnosis stay in every category, and the notices describe the omitted part. Absent: only the category decides. */
  readonly keeps?: TruncationPolicy["keeps"];
}

/** Output as it enters history, and the counts of its omitted part. */
interface TruncatedText {
  readonly text: string;
  readonly isTruncated: boolean;
  /** Lines that are gone as a whole. */
  readonly omittedLines: number;
  readonly omittedBytes: number;
}

/**
 * A tool's output within its cap. Text that fits comes back as it is. Each gap has a notice that counts its omitted part; a notice that would take
 * more than half of the cap gives way to a shorter one, and below that only the text is cut and only the returned counts show it. The result is never
 * larger than the text. Linear in the text.
 */
export function truncateToolResult(text: string, request: TruncationRequest): TruncatedText {
  const { capTokens, capBytes = capTokens * CAP_BYTES_PER_TOKEN } = request;
  const totalBytes = utf8Bytes(text);
  if (capTokens === 0 || totalBytes <= capBytes) return { text, isTruncated: false, omittedLines: 0, omittedBytes: 0 };
  const total = { lines: lineCount(text), bytes: totalBytes };
  for (const form of NOTICE_FORMS) {
    const cut = cutWithNotice(text, form, { ...request, capBytes, total });
    if (cut !== null && cut.text.length <= text.length && utf8Bytes(cut.text) <= capBytes) return cut;
  }
  // Without a notice only the beginning is kept, so that no two pieces that were apart are joined; in whole lines if that is half of it.
  const end = headEnd(text, { bytes: capBytes, lines: Number.POSITIVE_INFINITY, cutsLongLine: true });
  return joinWithNotices(text, [{ start: 0, end }], () => "");
}

/** The text with notices of one form; `null` if that form takes more than half of the cap. */
function cutWithNotice(
  text: string,
  form: (typeof NOTICE_FORMS)[number],
  request: TruncationRequest & { readonly capBytes: number; readonly total: Omission },
): TruncatedText | null {
  const hint = request.hint ?? null;
  const kind = request.keeps === undefined ? null : (NOUNS[request.category] ?? "output");
  const largest = omissionNotice(form, { ...request.total, kind, errors: kind === null ? 0 : request.total.lines }, hint);
  const noticeBytes = utf8Bytes(largest) + LINE_ENDS_BYTES;
  if (noticeBytes * 2 > request.capBytes) return null;
  const later = kind === null ? form : "short";
  const gapBytes = utf8Bytes(omissionNotice(later, { ...request.total, kind, errors: 0 }, null)) + LINE_ENDS_BYTES;
  const byCategory = cutterFor(request.category, request.truncations ?? BUILT_IN_TRUNCATIONS);
  const cut = request.keeps === undefined ? byCategory : keepingDiagnoses(byCategory);
  const asked = cut({ text, roomBytes: request.capBytes - noticeBytes, gapBytes });
  const kept = atOnce(`the truncation ${request.category}`, asked);
  const spans = inOrder(text, kept);
  const errors =
    kind === null
      ? 0
      : diagnosisCount(text) - spans.reduce((sum, span) => sum + diagnosisCount(text.slice(span.start, span.end)), 0);
  return joinWithNotices(text, spans, (omission, gap) =>
    gap === 0
      ? omissionNotice(form, { ...omission, kind, errors: Math.max(0, errors) }, hint)
      : omissionNotice(later, { ...omission, kind, errors: 0 }, null),
  );
}

/** Puts a cutter's spans in order between characters, for any answer of it. */
function inOrder(text: string, kept: readonly Span[]): readonly Span[] {
  const spans: Span[] = [];
  let next = 0;
  for (const { start, end } of kept) {
    const from = characterBoundaryAtOrAfter(text, Math.max(next, start));
    const until = characterBoundaryAtOrBefore(text, Math.min(text.length, end));
    if (until <= from) continue;
    spans.push({ start: from, end: until });
    next = until;
  }
  return spans;
}

/** A notice's length: everything, everything but the tool's hint, or only the bytes. */
const NOTICE_FORMS = ["with-hint", "full", "short"] as const;

/** The text that a gap leaves out. `lines` are those that are gone as a whole. */
interface Omission {
  readonly lines: number;
  readonly bytes: number;
}

/** A gap as a notice describes it: `kind` names the omitted text, `errors` counts the lines of all gaps that look like a diagnosis; without a kind neither is given. */
interface ToldOmission extends Omission {
  readonly kind: string | null;
  readonly errors: number;
}

/** The notice of one gap, without line ends around it. `hint` is the tool's advice how to see the rest. */
function omissionNotice(form: (typeof NOTICE_FORMS)[number], omission: ToldOmission, hint: string | null): string {
  const { lines, bytes, kind, errors } = omission;
  if (form === "short") return `[… ${bytes} bytes omitted]`;
  const counted = lines === 0 ? `${bytes} bytes` : `${lines} ${lines === 1 ? "line" : "lines"} / ${bytes} bytes`;
  const among = errors === 0 ? "" : `; in all gaps ${errors} ${errors === 1 ? "line looks" : "lines look"} like an error`;
  const full = kind === null ? `[… ${counted} omitted]` : `[… ${counted} of ${kind} omitted${among}]`;
  return form === "full" || hint === null ? full : `${full}\n[… ${hint}]`;
}

const CUT = { omitted: /^\[… (?:\d+ lines? \/ )?(\d+) bytes /gm, whole: /^\[… (?:.{0,1000}; )?handle (\S{1,200})\]$/m };

/** Bytes that a cap cut from a result, and the handle of its whole text, by the notices in it; `null` for none. Under a cap no line of a tool reads so. */
export function capCutIn(message: Message): { readonly handle: string; readonly omittedBytes: number } | null {
  const text = message.role === "tool-result" ? textOf(message) : "";
  const handle = CUT.whole.exec(text)?.[1];
  if (handle === undefined) return null;
  return { handle, omittedBytes: Array.from(text.matchAll(CUT.omitted)).reduce((sum, [, bytes]) => sum + Number(bytes), 0) };
}

/** The words for outputs by category. */
const NOUNS: Partial<Record<string, string>> = {
  "head-tail": "command output",
  "match-list": "search results",
  "file-content": "file text",
};

/** A notice is on a line of its own: at most one line end before it and one after it. */
const LINE_ENDS_BYTES = 2;

function joinWithNotices(
  text: string,
  kept: readonly Span[],
  noticeOf: (omission: Omission, gap: number) => string,
): TruncatedText {
  const pieces: string[] = [];
  let omittedLines = 0;
  let omittedBytes = 0;
  let gaps = 0;
  const skip = (gap: Span) => {
    if (gap.start === gap.end) return;
    const start = lineStartAtOrAfter(text, gap.start);
    // Lines that begin and end within the gap.
    const lines = lineCount(text.slice(start, Math.max(start, lineStartAtOrBefore(text, gap.end))));
    const omission = { lines, bytes: utf8Bytes(text.slice(gap.start, gap.end)) };
    const notice = noticeOf(omission, gaps);
    const lineEndBefore = notice === "" || isLineStart(text, gap.start) ? "" : "\n";
    const lineEndAfter = notice === "" || gap.end === text.length ? "" : "\n";
    pieces.push(`${lineEndBefore}${notice}${lineEndAfter}`);
    omittedLines += omission.lines;
    omittedBytes += omission.bytes;
    gaps += 1;
  };
  let next = 0;
  for (const span of kept) {
    skip({ start: next, end: span.start });
    pieces.push(text.slice(span.start, span.end));
    next = span.end;
  }
  skip({ start: next, end: text.length });
  return { text: pieces.join(""), isTruncated: true, omittedLines, omittedBytes };
}

/**
 * Cuts a tool result to the policy's cap, by its own category; a `truncation` of `null` cuts nothing. The cap applies to all text parts together: small ones stay
 * whole, large ones share the rest. Images are neither counted nor cut. If there is a cap, lines of the result that would read as a notice, stub or summary of ours
 * are quoted first: unquoted ones behind it are ours. It gives the message itself if nothing was cut or quoted.
 */
export function truncateMessage(
  message: ToolResultMessage,
  truncation: TruncationPolicy | null,
  how: Pick<TruncationRequest, "hint" | "truncations"> = {},
): { readonly message: ToolResultMessage; readonly isTruncated: boolean } {
  const capTokens = truncation?.capTokens ?? 0;
  const whole = capTokens === 0 ? message : quotedResult(message);
  const roomBytes = capTokens * CAP_BYTES_PER_TOKEN;
  // Most results are far within the cap: their bytes are not counted.
  const units = whole.parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  if (capTokens === 0 || units * MOST_BYTES_PER_UNIT <= roomBytes) return { message: whole, isTruncated: false };
  const sizes = whole.parts.map((part) => (part.type === "text" ? utf8Bytes(part.text) : 0));
  const capBytes = commonCap(sizes, roomBytes);
  const parts = whole.parts.map((part) => {
    if (part.type !== "text") return part;
    const cut = truncateToolResult(part.text, { category: message.category, capBytes, ...how, ...truncation, capTokens });
    return cut.isTruncated ? { ...part, text: cut.text } : part;
  });
  const isTruncated = parts.some((part, index) => part !== whole.parts[index]);
  return { message: isTruncated ? { ...whole, parts } : whole, isTruncated };
}

/** A result in which lines that would read as ours are quoted; the value given if none would. */
const quotedResult = oncePerMessage((message: ToolResultMessage): ToolResultMessage => {
  const parts = message.parts.map((part) => {
    const text = part.type === "text" ? quotedText(part.text, CONTEXT_FRAMING) : "";
    return part.type === "text" && text !== part.text ? { ...part, text } : part;
  });
  return parts.every((part, index) => part === message.parts[index]) ? message : { ...message, parts };
});
