import type { Edit, ReplacePartEdit, ReplaceSpansEdit, WrittenSummary } from "../edit/apply-edits.ts";
import { applyEdits, placesOf, refuseBrokenPromises } from "../edit/apply-edits.ts";
import type { AppliedEdit, AppliedReplacePart, AppliedReplaceSpans, MessageSpan, PromptedSpan } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { canonicalJson, wellFormed } from "../json.ts";
import type { Recaller } from "../memory.ts";
import { historyViolations } from "../message/check.ts";
import { partHandle, spanHandle } from "../message/handle.ts";
import { type Context, isDeclared, type Message, type Part, withId } from "../message/message.ts";
import { coverageOf, partChars } from "../message/size.ts";
import type { SummaryPolicy } from "../policy/policy.ts";
import type { Prompt, Summarizer, SummaryRequest } from "../ports.ts";
import { clearedText, droppedText, summaryText, truncateText } from "../prompts/notices.ts";
import type { StrategyInput } from "../strategy/strategy.ts";
import { type SummaryAuthor, usableSummary } from "../summarizer/usable.ts";
import { isUnsized } from "../tokens/measure.ts";

/** The circumstances under which an edit's summary is written. */
interface SummaryCircumstances {
  readonly summary: SummaryPolicy;
  /** The view that the edit is of. */
  readonly messages: readonly Message[];
  /** The system text and tools that every request of the session sends before its messages. */
  readonly opening: Pick<Context, "system" | "tools">;
  readonly focus: string | null;
  readonly prompts: readonly Prompt[];
}

/** The edits, and the ports that carry them out. */
export interface ExecuteInput extends SummaryCircumstances {
  readonly edits: readonly Edit[];
  /** Messages that keep rules hold: no edit takes or changes them. */
  readonly kept: ReadonlySet<Message>;
  /** Messages that will be sent after the view: the view may be emptied if there is one. */
  readonly pending: readonly Message[];
  readonly summarizer: Summarizer;
  /** Who writes what `summarizer` gives; somebody who is asked if nothing is said. */
  readonly author?: SummaryAuthor;
  readonly digest: Summarizer;
  /** Writes the facts that survive with every summary and notice, as text beside messages that stay; `null` for none. */
  readonly facts: (staying: readonly Message[]) => string | null;
  readonly recaller: Recaller;
  /** Whether the last human message may be covered by a summary: see `StrategyInput`. */
  readonly lastHuman?: StrategyInput["lastHuman"];
  /** Whether a step at the end of the view waits for the model: see `StrategyInput`. */
  readonly lastStep?: StrategyInput["lastStep"];
  readonly nowMs: number | null;
}

/** The edits as they were applied, and the view that they give. */
export interface Executed {
  readonly applied: readonly AppliedEdit[];
  readonly messages: readonly Message[];
}

/**
 * Fetches the summaries that the edits ask for, applies them, and refuses a view that a provider would reject. What keep rules hold, and what the agent
 * declared, is left out of the edits, but documents of unknown size become stubs; if nothing is left of the edits, nothing is applied. Edits that break a promise are refused before a summary is asked for.
 *
 * @throws PlimsollError `bad-edit` for edits that do not fit the view, or that take what must stay; `summary-failed` for an unusable
 * summary; `unsendable` for a view with violations that were not there before; and whatever the summariser rejects with.
 */
export async function execute(input: ExecuteInput, signal: AbortSignal): Promise<Executed> {
  const { messages: before, pending } = input;
  const around = aroundKept(input.edits, { messages: before, kept: new Set([...input.kept, ...before.filter(isDeclared)]) });
  const edits = around.length === 0 ? around : [...around, ...unsizedStubs(input.kept)];
  refuseBrokenPromises(before, whatStays(before, edits), input);
  const replacement = replacementsIn(before);
  const applied: AppliedEdit[] = [];
  for (const edit of edits)
    applied.push(edit.kind === "replace-part" ? replacement(edit) : await appliedSpans(edit, input, signal));
  const messages = applyEdits(before, applied);
  refuseUnsendable([...before, ...pending], [...messages, ...pending]);
  return { applied, messages };
}

/** The view after the edits, without what is still to be written in the place of spans. */
function whatStays(messages: readonly Message[], edits: readonly Edit[]): readonly Message[] {
  const replacement = replacementsIn(messages);
  return applyEdits(
    messages,
    edits.map((edit) =>
      edit.kind === "replace-part" ? replacement(edit) : { kind: edit.kind, spans: edit.spans, message: null },
    ),
  );
}

/** The spans with the message that takes their place. */
async function appliedSpans(edit: ReplaceSpansEdit, input: ExecuteInput, signal: AbortSignal): Promise<AppliedReplaceSpans> {
  const places = placesOf(input.messages, edit.spans);
  const parts = edit.spans.map(({ promptId, ...span }) => ({
    promptId: promptId ?? edit.by,
    messages: spanOf(span, input.messages, places),
  }));
  const gone = parts.flatMap((part) => part.messages);
  const covered = coverageOf(gone);
  const { kind, spans, by } = edit;
  switch (edit.by) {
    case "nothing":
      return { kind, spans, by, covered, usage: null, message: null };
    case "notice": {
      const handle = spanHandle({ from: edit.spans[0]?.from ?? "", through: edit.spans.at(-1)?.through ?? "" });
      const text = edit.noticeForm === "roles" ? truncateText(gone, handle) : droppedText(covered, handle);
      const message = engineMessage({ role: "user", origin: "notice", text, input, spans: edit.spans }, gone);
      return { kind, spans, by, covered, usage: null, message };
    }
    case "summary":
    case "digest": {
      const { text: written, usage, prompts, repairs } = await writtenBy(edit, parts, { input, signal });
      const text = summaryText(written);
      const message = engineMessage({ role: input.summary.role, origin: "summary", text, input, spans: edit.spans }, gone);
      const said = { ...(prompts === undefined ? {} : { prompts }), ...(repairs === undefined ? {} : { repairs }) };
      return { kind, spans, by, covered, usage, message, ...said };
    }
    default:
      return edit.by satisfies never;
  }
}

/** The summary of the parts, by whom the edit wants to write it; one that was written before is held to the same rules. */
async function writtenBy(
  { by, written }: Pick<ReplaceSpansEdit, "by" | "written">,
  parts: SummaryRequest["parts"],
  { input, signal }: { readonly input: ExecuteInput; readonly signal: AbortSignal },
): Promise<WrittenSummary> {
  const request = summaryRequestFor(parts, input);
  const write = by === "summary" ? input.summarizer : input.digest;
  const summary = written === undefined ? await write(request, signal) : ({ ...written, stopReason: "end" } as const);
  signal.throwIfAborted();
  return usableSummary(summary, request, by === "summary" ? input.author : "hook");
}

/** Makes replacements in a view applicable. What is found once is not looked for again: a plan may have one for every message. */
function replacementsIn(messages: readonly Message[]): (edit: ReplacePartEdit) => AppliedReplacePart {
  let byId: ReadonlyMap<string, Message> | null = null;
  return (edit) => {
    // Of several messages with one id the first counts.
    byId ??= new Map(messages.toReversed().map((message) => [message.id, message]));
    return appliedReplacement(edit, byId.get(edit.messageId));
  };
}

function appliedReplacement(edit: ReplacePartEdit, message: Message | undefined): AppliedReplacePart {
  const part = message?.parts[edit.partIndex];
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

interface EngineContent {
  readonly role: "user" | "assistant";
  readonly origin: "summary" | "notice";
  readonly text: string;
  readonly input: ExecuteInput;
  readonly spans: readonly MessageSpan[];
}

/**
 * A message of the engine's own. Its id follows from what it covers and says, so that a replay gives the same one, and two that say the same of
 * different spans are told apart: a handle that ends with one must not find what the other covers.
 */
function engineMessage(content: EngineContent, covered: readonly Message[]): Message {
  const { facts, messages, pending, recaller } = content.input;
  const gone = new Set(covered);
  const kept = [...messages.filter((message) => !gone.has(message)), ...pending];
  const said = [content.text, facts(kept)].filter((text) => text !== null);
  const recalled = recaller.recall(kept, coverageOf(covered).chars, said.join("\n"));
  const parts = [...said, ...(recalled === null ? [] : [recalled])].map(
    (text) => ({ type: "text", text: wellFormed(text) }) as const,
  );
  const { origin } = content;
  const atMs = content.input.nowMs;
  const previousId = canonicalJson(content.spans.map(({ from, through }) => [from, through]));
  return content.role === "user"
    ? withId({ origin, parts, atMs, role: "user" }, previousId)
    : withId({ origin, parts, atMs, role: "assistant", modelId: null, requestId: null, stopReason: null }, previousId);
}

/** The messages of a span that the view has: edits with others were refused before. */
function spanOf(
  { from, through }: MessageSpan,
  messages: readonly Message[],
  places: ReadonlyMap<string, number>,
): readonly Message[] {
  return messages.slice(places.get(from), (places.get(through) ?? -1) + 1);
}

function refuseUnsendable(before: readonly Message[], after: readonly Message[]): void {
  // What was wrong before is no reason to refuse, so that messages that stay as they were need not be read.
  const violations = historyViolations(after, new Set(before));
  // It is looked for only if something is wrong now.
  if (violations.length === 0) return;
  const known = new Set(historyViolations(before).map((each) => `${each.code} ${each.subject}`));
  const violation = violations.find((each) => !known.has(`${each.code} ${each.subject}`));
  if (violation !== undefined) {
    throw new PlimsollError("unsendable", `the edited context has ${violation.code} at message ${violation.index}`, {
      code: violation.code,
      index: violation.index,
      subject: violation.subject,
    });
  }
}

/** The request for an edit's summary; `parts` are the messages of its spans. */
function summaryRequestFor(parts: SummaryRequest["parts"], circumstances: SummaryCircumstances): SummaryRequest {
  const { sections, maxTokens, turnPrefixMaxTokens, resultCapChars, labels, calls, textless, joints } = circumstances.summary;
  const { focus, prompts, messages: view } = circumstances;
  const style = { resultCapChars, labels, calls, textless, joints };
  const form = formOf(parts, circumstances);
  return { parts, view, sections, maxTokens, turnPrefixMaxTokens, focus, prompts, ...style, ...form };
}

function formOf(
  parts: SummaryRequest["parts"],
  { summary: { request }, messages, opening }: SummaryCircumstances,
): Pick<SummaryRequest, "conversation" | "modelId"> {
  if (request === "serialised") return {};
  if (request !== "prefix") return { modelId: request.cheaper.modelId };
  const newest = parts.at(-1)?.messages.at(-1);
  const end = newest === undefined ? 0 : messages.indexOf(newest) + 1;
  const { system, tools } = opening;
  return { conversation: { system, tools, messages: messages.slice(0, end), dynamicContext: null } };
}

/**
 * The edits without what they would take of the messages that are kept: spans are split around them, and no part of one is replaced. An edit
 * of which nothing is left is left out. One pass over the view for each edit of spans.
 */
export function aroundKept(
  edits: readonly Edit[],
  { messages, kept }: { readonly messages: readonly Message[]; readonly kept: ReadonlySet<Message> },
): readonly Edit[] {
  if (kept.size === 0) return edits;
  const keptIds = new Set([...kept].map(({ id }) => id));
  return edits.flatMap((edit): readonly Edit[] => {
    if (edit.kind === "replace-part") return keptIds.has(edit.messageId) ? [] : [edit];
    const spans = edit.spans.flatMap((span) => splitAround(span, messages, kept));
    return spans.length === 0 ? [] : [{ ...edit, spans }];
  });
}

/**
 * Stubs for what keep rules hold without knowing its size: a document of unknown pages may fill the window, and would bring on one cut after another. The
 * words of its message stay.
 */
function unsizedStubs(kept: ReadonlySet<Message>): readonly ReplacePartEdit[] {
  return [...kept].flatMap(({ id, parts }) =>
    parts.flatMap((part, partIndex): readonly ReplacePartEdit[] => {
      if (part.type !== "image" || !isUnsized(part)) return [];
      const handle = partHandle(id, partIndex);
      return [{ kind: "replace-part", messageId: id, partIndex, text: clearedText(part.mediaType, 0, handle), handle }];
    }),
  );
}

/** Splits a span into the pieces between the messages that are kept. A span that the view does not have is left to whoever applies it. */
function splitAround(span: PromptedSpan, messages: readonly Message[], kept: ReadonlySet<Message>): readonly PromptedSpan[] {
  const from = messages.findIndex(({ id }) => id === span.from);
  const through = messages.findIndex(({ id }) => id === span.through);
  if (from < 0 || through < from) return [span];
  const spans: PromptedSpan[] = [];
  let first: Message | null = null;
  let last: Message | null = null;
  const end = () => {
    if (first !== null && last !== null) spans.push({ ...span, from: first.id, through: last.id });
    first = null;
  };
  // By index: a long view is walked once, and ids are read only where a piece begins or ends.
  for (let at = from; at <= through; at++) {
    const message = messages[at];
    if (message === undefined || kept.has(message)) {
      end();
      continue;
    }
    first ??= message;
    last = message;
  }
  end();
  return spans;
}
