import { applyEdits } from "../edit/apply-edits.ts";
import type { DropEdit, Edit, ReplacePartEdit, SummarizeEdit } from "../edit/edit.ts";
import { refuseBrokenPromises } from "../edit/promises.ts";
import type { AppliedDrop, AppliedEdit, AppliedReplacePart, AppliedSummarize, MessageSpan } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { checkMessages, STRICT_WIRE_RULES } from "../message/check.ts";
import { spanHandle } from "../message/handle.ts";
import { withId } from "../message/ids.ts";
import type { Message, Part } from "../message/message.ts";
import { coverageOf, partChars } from "../message/size.ts";
import { wellFormed } from "../message/well-formed.ts";
import type { Summarizer } from "../ports.ts";
import { droppedText } from "../prompts/dropped.ts";
import { summaryText } from "../prompts/header.ts";
import { truncateText } from "../prompts/truncate.ts";
import { validSummaryText } from "../summarizer/validate.ts";
import type { ExcerptWriter } from "./excerpt-writer.ts";
import type { SummaryCircumstances } from "./summary-request.ts";
import { summaryRequestFor } from "./summary-request.ts";

/** What edits are carried out with. */
export interface ExecuteInput extends SummaryCircumstances {
  readonly edits: readonly Edit[];
  /** What will be sent after the messages: the view may be emptied where something is. */
  readonly pending: readonly Message[];
  readonly summarizer: Summarizer;
  readonly digest: Summarizer;
  /** What survives beside every summary and notice, as text; `null` for nothing. */
  readonly facts: string | null;
  readonly excerpts: ExcerptWriter;
  readonly nowMs: number | null;
}

/** The edits as they were applied, and the view that they give. */
export interface Executed {
  readonly applied: readonly AppliedEdit[];
  readonly messages: readonly Message[];
}

/**
 * Fetches the summaries that the edits ask for, applies them, and refuses a view that a provider would reject. Edits that break a promise
 * are refused before a summary is asked for.
 *
 * @throws PlimsollError `bad-edit` for edits that do not fit the view, or that take what must stay; `summary-failed` for an unusable
 * summary; `unsendable` for a view with violations that were not there before; and whatever the summariser rejects with.
 */
export async function execute(input: ExecuteInput, signal: AbortSignal): Promise<Executed> {
  refuseBrokenPromises(input.messages, whatStays(input));
  const applied: AppliedEdit[] = [];
  const drops = input.edits.filter((edit) => edit.kind === "drop");
  for (const edit of input.edits) {
    switch (edit.kind) {
      case "summarize":
        applied.push(await appliedSummarize(edit, input, signal));
        break;
      case "drop":
        applied.push(appliedDrop(edit, drops, input));
        break;
      case "replace-part":
        applied.push(appliedReplacement(edit, input.messages));
        break;
      default:
        edit satisfies never;
    }
  }
  const messages = applyEdits(input.messages, applied);
  refuseUnsendable([...input.messages, ...input.pending], [...messages, ...input.pending]);
  return { applied, messages };
}

/** The view after the edits, without the summaries and notices that are not written yet. */
function whatStays({ messages, edits }: ExecuteInput): readonly Message[] {
  const covered = coverageOf([]);
  const removals = edits.flatMap((edit): readonly AppliedEdit[] => {
    if (edit.kind === "replace-part") return [appliedReplacement(edit, messages)];
    const spans = edit.kind === "drop" ? [edit] : edit.spans;
    return spans.map(({ from, through }) => ({ kind: "drop", from, through, notice: null, covered }));
  });
  return applyEdits(messages, removals);
}

async function appliedSummarize(edit: SummarizeEdit, input: ExecuteInput, signal: AbortSignal): Promise<AppliedSummarize> {
  const parts = edit.spans.map((span) => ({ promptId: span.promptId, messages: spanOf(input.messages, span) }));
  const { role } = input.summary;
  const write = edit.writer === "model" ? input.summarizer : input.digest;
  const summary = await write(summaryRequestFor(parts, input), signal);
  signal.throwIfAborted();
  const covered = parts.flatMap((part) => part.messages);
  const text = summaryText(validSummaryText(summary));
  const message = engineMessage({ role, origin: "summary", text, input }, covered);
  const { usage, prompts, repairs } = summary;
  const said = { ...(prompts === undefined ? {} : { prompts }), ...(repairs === undefined ? {} : { repairs }) };
  return { kind: "summarize", spans: edit.spans, message, covered: coverageOf(covered), usage, ...said };
}

/** The first of several drops carries the one notice, which counts them all. */
function appliedDrop(edit: DropEdit, drops: readonly DropEdit[], input: ExecuteInput): AppliedDrop {
  const covered = spanOf(input.messages, edit);
  const all = drops.flatMap((drop) => spanOf(input.messages, drop));
  const handle = spanHandle({ from: drops[0]?.from ?? edit.from, through: drops.at(-1)?.through ?? edit.through });
  const text = edit.notice === "roles" ? truncateText(all, handle) : droppedText(coverageOf(all), handle);
  const saysSo = edit.notice !== "none" && edit === drops[0];
  const notice = saysSo ? engineMessage({ role: "user", origin: "notice", text, input }, all) : null;
  return { kind: "drop", from: edit.from, through: edit.through, notice, covered: coverageOf(covered) };
}

function appliedReplacement(edit: ReplacePartEdit, messages: readonly Message[]): AppliedReplacePart {
  const part = messages.find((message) => message.id === edit.messageId)?.parts[edit.partIndex];
  if (part === undefined) throw new PlimsollError("bad-edit", `message ${edit.messageId} has no part ${edit.partIndex}`);
  const replacement: Part = { type: "text", text: wellFormed(edit.text) };
  return {
    kind: "replace-part",
    messageId: edit.messageId,
    partIndex: edit.partIndex,
    part: replacement,
    handle: edit.handle,
    removedChars: partChars(part) - partChars(replacement),
  };
}

/** A message of the engine's own. Its id follows from what it covers and says, so that a replay gives the same one. */
function engineMessage(
  content: { role: "user" | "assistant"; origin: "summary" | "notice"; text: string; input: ExecuteInput },
  covered: readonly Message[],
): Message {
  const { facts, messages, pending, excerpts } = content.input;
  const gone = new Set(covered);
  const kept = [...messages.filter((message) => !gone.has(message)), ...pending];
  const texts = [content.text, facts, excerpts.write(covered, kept)].filter((text) => text !== null);
  const parts = texts.map((text) => ({ type: "text", text: wellFormed(text) }) as const);
  const draft = { origin: content.origin, parts, atMs: content.input.nowMs };
  const previousId = covered.at(-1)?.id ?? null;
  return content.role === "user"
    ? withId({ ...draft, role: "user" }, previousId)
    : withId({ ...draft, role: "assistant", modelId: null, requestId: null, stopReason: null }, previousId);
}

function spanOf(messages: readonly Message[], span: MessageSpan): readonly Message[] {
  const from = messages.findIndex((message) => message.id === span.from);
  const through = messages.findIndex((message) => message.id === span.through);
  if (from < 0 || through < from)
    throw new PlimsollError("bad-edit", `no span from ${span.from} through ${span.through} in the view`);
  return messages.slice(from, through + 1);
}

function refuseUnsendable(before: readonly Message[], after: readonly Message[]): void {
  const rules = { ...STRICT_WIRE_RULES, lastMessage: "any" } as const;
  const known = new Set(checkMessages(before, rules).map((violation) => `${violation.code} ${violation.subject}`));
  const violation = checkMessages(after, rules).find((each) => !known.has(`${each.code} ${each.subject}`));
  if (violation !== undefined) {
    throw new PlimsollError("unsendable", `the edited context has ${violation.code} at message ${violation.index}`, {
      code: violation.code,
      index: violation.index,
      subject: violation.subject,
    });
  }
}
