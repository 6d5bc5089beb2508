import { applyEdits } from "../edit/apply-edits.ts";
import {
  type AppliedReplacePart,
  type CompactionEntry,
  type MessageSpan,
  messagesWrittenBy,
  type WorkCount,
} from "../entry.ts";
import { type RemovedReasoning, withoutReasoning } from "../message/bound-reasoning.ts";
import { checkMessages, STRICT_WIRE_RULES } from "../message/check.ts";
import { spanHandle } from "../message/handle.ts";
import { isHuman, type Message, wellFormedMessage } from "../message/message.ts";
import { type CoverageCount, coverageOf, messageChars, partChars } from "../message/size.ts";
import type { Recalled, RecallRange } from "../session/recall.ts";
import type { Report } from "./session-scenario.ts";

/** A compaction with its input and its result; `after` is without the messages that arrived meanwhile. */
export interface CompactionCheck {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly entry: CompactionEntry;
  /** Reasoning that left with it, and with a switch of the model after it. */
  readonly removed: readonly RemovedReasoning[];
  readonly pending: readonly Message[];
  /** UTF-16 units that summaries, kept state and overhead had, in addition to the view. */
  readonly otherChars: number;
  readonly recall: (handle: string, range: RecallRange) => Promise<Recalled | null>;
  /** The message as it was appended. */
  readonly original: (messageId: string) => Message | undefined;
  /** Expected tokens of messages by the policy's measure. */
  readonly tokensOf: (messages: readonly Message[]) => number;
  readonly report: Report;
}

/** Checks everything that a compaction must keep, but its size against the budget. */
export async function checkCompaction(check: CompactionCheck): Promise<void> {
  const { before, after, entry, report, tokensOf } = check;
  const [violation] = checkMessages([...after, ...check.pending.map(wellFormedMessage)], {
    ...STRICT_WIRE_RULES,
    lastMessage: "any",
  });
  if (violation !== undefined) report("sendable", `${violation.code} at ${violation.index}`);
  const human = before.findLast(isHuman);
  if (human !== undefined && !after.includes(human)) report("the last human message is literal", human.id);
  if (tokensOf(after) >= tokensOf(before)) report("progress", `${tokensOf(before)} → ${tokensOf(after)} tokens`);
  await checkEdits(check);
  checkWork(entry.record.work, check);
}

/** Checks that exactly the parts that the edits name have left the view, that their counts say so, and that nothing else changed. */
async function checkEdits({ before, after, entry, removed, recall, original, report }: CompactionCheck): Promise<void> {
  let view = before;
  for (const edit of entry.edits) {
    const next = applyEdits(view, [edit]);
    switch (edit.kind) {
      case "replace-spans":
        if ((edit.message === null) !== (edit.by === "nothing"))
          report("an edit has a message unless it is by nothing", entry.id);
        checkCovered({ view, next, spans: edit.spans, made: messagesWrittenBy(edit), covered: edit.covered }, report);
        await checkSpanHandles(edit.spans, recall, report);
        break;
      case "replace-part":
        await checkReplacedPart({ view, next, edit }, { recall, original, report });
        break;
      case "replace-history":
        report("the engine replaces no history", entry.id);
        break;
      default:
        edit satisfies never;
    }
    view = next;
  }
  view = withoutReasoning(view, removed);
  const kept = new Set(before);
  const isStaying = (message: Message, index: number) =>
    message.id === after[index]?.id && (!kept.has(message) || message === after[index]);
  if (view.length !== after.length || !view.every(isStaying)) report("untouched messages keep their identity", entry.id);
}

function checkCovered(
  step: {
    readonly view: readonly Message[];
    readonly next: readonly Message[];
    readonly spans: readonly MessageSpan[];
    readonly made: readonly Message[];
    readonly covered: CoverageCount;
  },
  report: Report,
): void {
  const { view, next, spans, made } = step;
  const covered = spans.flatMap((span) =>
    view.slice(
      view.findIndex((message) => message.id === span.from),
      view.findIndex((message) => message.id === span.through) + 1,
    ),
  );
  const staying = new Set(next);
  const gone = view.filter((message) => !staying.has(message));
  if (gone.length !== covered.length || gone.some((message, index) => message !== covered[index]))
    report("nothing is lost silently", spans.map(spanHandle).join(" "));
  const there = new Set(view);
  const fresh = next.filter((message) => !there.has(message));
  if (fresh.length !== made.length || fresh.some((message, index) => message !== made[index]))
    report("untouched messages keep their identity", fresh.map((message) => message.id).join(" "));
  const count = coverageOf(covered);
  if (count.messages !== step.covered.messages || count.parts !== step.covered.parts || count.chars !== step.covered.chars)
    report("coverage is counted exactly", spans.map(spanHandle).join(" "));
}

async function checkReplacedPart(
  step: { readonly view: readonly Message[]; readonly next: readonly Message[]; readonly edit: AppliedReplacePart },
  { recall, original, report }: Pick<CompactionCheck, "recall" | "original" | "report">,
): Promise<void> {
  const { view, next, edit } = step;
  for (const [index, message] of view.entries()) {
    const now = next[index];
    if (message.id !== edit.messageId ? now !== message : now?.id !== message.id || now.role !== message.role)
      report("untouched messages keep their identity", message.id);
    if (message.id !== edit.messageId || now === undefined) continue;
    const others = message.parts.filter((part, partIndex) => partIndex !== edit.partIndex && now.parts[partIndex] !== part);
    if (others.length > 0 || now.parts.length !== message.parts.length) report("untouched parts stay", message.id);
    const [part, replaced] = [message.parts[edit.partIndex], now.parts[edit.partIndex]];
    const removedChars = (part === undefined ? 0 : partChars(part)) - (replaced === undefined ? 0 : partChars(replaced));
    if (removedChars !== edit.removedChars) report("coverage is counted exactly", edit.handle);
    if (message.role === "user" || (message.role === "assistant" && part?.type !== "text"))
      report("human messages, calls and reasoning are never cut", message.id);
  }
  if (edit.part.type !== "text" || !edit.part.text.includes(edit.handle)) report("a cut part names its handle", edit.handle);
  const found = await recall(edit.handle, { startChar: 0, maximumChars: 50 });
  const part = original(edit.messageId)?.parts[edit.partIndex];
  if (found === null || (part?.type === "text" && !(found.totalChars === part.text.length && part.text.startsWith(found.text))))
    report("a handle finds the original", edit.handle);
}

async function checkSpanHandles(
  spans: readonly MessageSpan[],
  recall: CompactionCheck["recall"],
  report: Report,
): Promise<void> {
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) return;
  for (const span of [...spans, { from: first.from, through: last.through }])
    if (((await recall(spanHandle(span), { startChar: 0, maximumChars: 50 }))?.text ?? "") === "")
      report("a handle finds the original", spanHandle(span));
}

/** A view is priced by the estimator and by that of cuts, each message once, and each step's written and recalled text once more: half of the view at most. */
const PRICINGS_PER_CHAR = 4;

/** A notice, stubs and a digest are priced too, for any size of the view. */
const SCANNED_OTHER_CHARS = 20_000;

/** Each step looks at each message, and a cut prices its parts. */
const VISITS_PER_MESSAGE = 20;

/** Steps whose edits were made and priced, and did not stay. A cut measures its result before rules keep parts of it. */
function inVainOf({ record }: CompactionEntry): number {
  return record.steps.filter(
    ({ strategy, outcome }) =>
      outcome === "no-progress" || outcome === "failed" || (strategy === "cut-oversized" && outcome === "not-applicable"),
  ).length;
}

function checkWork(work: WorkCount, check: CompactionCheck): void {
  const { before, pending, entry, otherChars, report } = check;
  const viewChars = [...before, ...pending].reduce((sum, message) => sum + messageChars(message), 0);
  const madeChars = entry.edits.reduce((sum, edit) => sum + (edit.kind === "replace-part" ? partChars(edit.part) : 0), 0);
  const readings = PRICINGS_PER_CHAR + inVainOf(entry);
  const scanBound = readings * (viewChars + madeChars + otherChars) + SCANNED_OTHER_CHARS;
  if (work.charactersScanned > scanBound)
    report("work is bounded", `${work.charactersScanned} characters scanned for a view of ${viewChars}`);
  if (work.messagesVisited > VISITS_PER_MESSAGE * (before.length + pending.length + 2))
    report("work is bounded", `${work.messagesVisited} visits for ${before.length} messages`);
}
