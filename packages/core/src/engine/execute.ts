import type { Edit, ReplacePartEdit, ReplaceSpansEdit } from "../edit/apply-edits.ts";
import { applyEdits, placesOf, refuseBrokenPromises } from "../edit/apply-edits.ts";
import type { AppliedEdit, AppliedReplacePart, AppliedReplaceSpans, MessageSpan, PromptedSpan } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { canonicalJson, wellFormed } from "../json.ts";
import { frozen } from "../kind.ts";
import type { Recaller } from "../memory.ts";
import { historyViolations } from "../message/check.ts";
import { partHandle, spanHandle } from "../message/handle.ts";
import { isDeclared, isHuman, type Message, type Part, withId } from "../message/message.ts";
import { coverageOf, partChars } from "../message/size.ts";
import type { SummaryPolicy } from "../policy/policy.ts";
import type { Prompt, Summarizer, SummaryRequest } from "../ports.ts";
import { clearedText, droppedText, summaryText, truncateText } from "../prompts/notices.ts";
import type { StrategyInput } from "../strategy/strategy.ts";
import { withinTokens } from "../summarizer/sections.ts";
import { type SummaryAuthor, usableSummary } from "../summarizer/usable.ts";
import { isUnsized } from "../tokens/measure.ts";
import { movedBy, type VendorInput, vendorSpans } from "./vendor-summary.ts";

/** The edits, and the ports that carry them out. */
export interface ExecuteInput extends VendorInput {
  readonly edits: readonly Edit[];
  /** Messages that keep rules hold: they are left out of the edits, except a vendor's. */
  readonly kept: ReadonlySet<Message>;
  readonly summary: SummaryPolicy;
  readonly focus: string | null;
  readonly prompts: readonly Prompt[];
  readonly summarizer: Summarizer;
  /** The writer behind `summarizer`; `asked` by default. */
  readonly author?: SummaryAuthor;
  readonly recaller: Recaller;
  /** Tokens of a text by the policy's measure. */
  readonly textTokens: (text: string) => number;
  /** Whether a step at the end of the view waits for the model: see `StrategyInput`. */
  readonly lastStep?: StrategyInput["lastStep"];
}

/** The edits as they were applied, and the view that they give. */
export interface Executed {
  readonly applied: readonly AppliedEdit[];
  readonly messages: readonly Message[];
}

/**
 * Fetches the summaries that the edits ask for, applies them, and refuses a view that a provider would reject. Kept messages and the agent's declarations are left
 * out of the edits, but documents of unknown size become stubs; if nothing is left of the edits, nothing is applied. Edits are applied first without texts: those that
 * break a promise are refused before a summary is asked for.
 *
 * @throws PlimsollError `bad-edit` for edits that do not fit the view, or that take a promised part; `summary-failed` for an unusable summary; `unsendable` for a
 * view with violations that were not there before; and the summariser's own errors.
 */
export async function execute(input: ExecuteInput, signal: AbortSignal): Promise<Executed> {
  const { messages: before, pending } = input;
  const around = aroundKept(input.edits, { messages: before, kept: new Set([...input.kept, ...before.filter(isDeclared)]) });
  const isVendors = around.some((edit) => edit.kind === "replace-spans" && edit.by === "vendor");
  const edits = around.length === 0 || isVendors ? around : [...around, ...unsizedStubs(input.kept)];
  // Of several messages with one id the first counts. Found once: a plan may have an edit for every message.
  const byId = new Map<string, Message>();
  if (edits.some(({ kind }) => kind === "replace-part"))
    for (const message of before) if (!byId.has(message.id)) byId.set(message.id, message);
  const unwritten = edits.map((edit) =>
    edit.kind === "replace-part"
      ? replacement(edit, byId.get(edit.messageId))
      : { ...edit, message: null, moved: movedBy(edit, input) },
  );
  let movedCount = 0;
  for (const edit of unwritten) if (edit.kind === "replace-spans") movedCount += edit.moved.length;
  const lastHuman = isVendors && pending.some(isHuman) ? "goes" : input.lastHuman;
  refuseBrokenPromises(before, applyEdits(before, unwritten), { ...input, lastHuman, movedCount });
  const applied: AppliedEdit[] = [];
  for (const edit of unwritten) applied.push(edit.kind === "replace-part" ? edit : await appliedSpans(edit, input, signal));
  const messages = applyEdits(before, applied);
  refuseUnsendable([...before, ...pending], [...messages, ...pending]);
  return { applied, messages };
}

/** The spans with the message that takes their place. An earlier summary must meet the same rules as a requested one. */
async function appliedSpans(
  edit: ReplaceSpansEdit & Pick<AppliedReplaceSpans, "moved">,
  input: ExecuteInput,
  signal: AbortSignal,
): Promise<AppliedReplaceSpans> {
  const { kind, spans, by } = edit;
  const places = placesOf(input.messages, spans);
  // Edits of messages that the view does not have were refused before.
  const parts = spans.map(({ promptId, from, through }) => ({
    promptId: promptId ?? by,
    messages: input.messages.slice(places.get(from), (places.get(through) ?? -1) + 1),
  }));
  const gone = parts.flatMap((part) => part.messages);
  const covered = coverageOf(gone);
  if (by === "nothing") {
    const pins = input.facts(stayingIn(input, gone), "pins");
    const message = pins === null ? null : ownMessage(input, "notice", { texts: [pins], spans });
    return { kind, spans, by: pins === null ? by : "notice", covered, usage: null, message };
  }
  if (by === "notice") {
    const handle = spanHandle({ from: spans[0]?.from ?? "", through: spans.at(-1)?.through ?? "" });
    const text = edit.noticeForm === "roles" ? truncateText(gone, handle) : droppedText(covered, handle);
    const message = engineMessage(input, "notice", { text, spans, gone });
    return { kind, spans, by, covered, usage: null, message };
  }
  const request = summaryRequestFor(parts, input);
  if (by !== "digest") frozen([parts, input.messages]);
  if (by === "vendor") return await vendorSpans({ ...edit, covered, gone }, { request, input, signal });
  const write = by === "summary" ? input.summarizer : input.digest;
  const summary = edit.written === undefined ? await write(request, signal) : { ...edit.written, stopReason: "end" as const };
  signal.throwIfAborted();
  const author = by === "summary" ? input.author : "hook";
  const { usage, prompts, repairs = [], text: whole } = usableSummary(summary, request, author);
  // One as long as its covered text is no progress, however it is shortened.
  const isHeld = by === "summary" && whole.length < covered.chars;
  // If the start of a split turn is summarised separately, it has its own token limit.
  const isSplit = new Set(parts.map(({ promptId }) => promptId)).size > 1;
  const mostTokens = request.maxTokens + (isSplit ? request.turnPrefixMaxTokens : 0);
  const text = isHeld ? withinTokens(whole, mostTokens, input.textTokens) : whole;
  const message = engineMessage(input, "summary", { text: summaryText(text), spans, gone });
  const mended = text === whole ? repairs : [...repairs, "shortened"];
  const said = { ...(prompts === undefined ? {} : { prompts }), ...(mended.length === 0 ? {} : { repairs: mended }) };
  return { kind, spans, by, covered, usage, message, ...said };
}

/** Makes the replacement of a part of this message applicable. */
function replacement(edit: ReplacePartEdit, message: Message | undefined): AppliedReplacePart {
  const { kind, messageId, partIndex, text, handle } = edit;
  const before = message?.parts[partIndex];
  if (before === undefined) throw new PlimsollError("bad-edit", `message ${messageId} has no part ${partIndex}`);
  const part: Part = { type: "text", text: wellFormed(text) };
  return { kind, messageId, partIndex, part, handle, removedChars: partChars(before) - partChars(part) };
}

/**
 * A message of the engine's own. Its id follows from its text and its covered spans, so that a replay gives the same one, and two with one text about
 * different spans differ: a handle that ends with one must not find the other's messages.
 */
function engineMessage(
  input: ExecuteInput,
  origin: "summary" | "notice",
  { text, spans, gone }: { readonly text: string; readonly spans: readonly MessageSpan[]; readonly gone: readonly Message[] },
): Message {
  const kept = stayingIn(input, gone);
  const said = [text, input.facts(kept)].filter((each) => each !== null);
  const recalled = input.recaller.recall(kept, coverageOf(gone).chars, said.join("\n"));
  return ownMessage(input, origin, { texts: recalled === null ? said : [...said, recalled], spans });
}

function stayingIn({ messages, pending }: ExecuteInput, gone: readonly Message[]): readonly Message[] {
  const covered = new Set(gone);
  return [...messages.filter((message) => !covered.has(message)), ...pending];
}

function ownMessage(
  { summary, nowMs: atMs }: ExecuteInput,
  origin: "summary" | "notice",
  { texts, spans }: { readonly texts: readonly string[]; readonly spans: readonly MessageSpan[] },
): Message {
  const parts = texts.map((each) => ({ type: "text", text: wellFormed(each) }) as const);
  const previousId = canonicalJson(spans.map(({ from, through }) => [from, through]));
  return origin === "notice" || summary.role === "user"
    ? withId({ origin, parts, atMs, role: "user" }, previousId)
    : withId({ origin, parts, atMs, role: "assistant", modelId: null, requestId: null, stopReason: null }, previousId);
}

function refuseUnsendable(before: readonly Message[], after: readonly Message[]): void {
  // Earlier faults are no reason to refuse, so that unchanged messages need not be read.
  const violations = historyViolations(after, new Set(before));
  // It is looked for only if something is wrong now.
  if (violations.length === 0) return;
  const known = new Set(historyViolations(before).map((each) => `${each.code} ${each.subject}`));
  const violation = violations.find((each) => !known.has(`${each.code} ${each.subject}`));
  if (violation === undefined) return;
  const { code, index, subject } = violation;
  throw new PlimsollError("unsendable", `the edited context has ${code} at message ${index}`, { code, index, subject });
}

function summaryRequestFor(parts: SummaryRequest["parts"], input: ExecuteInput): SummaryRequest {
  const { messages: view, focus, prompts, opening } = input;
  const { role: _, request: form, ...shape } = input.summary;
  const request = { parts, view, ...shape, focus, prompts };
  if (form === "serialised") return request;
  if (form !== "prefix") return { ...request, modelId: form.cheaper.modelId };
  const newest = parts.at(-1)?.messages.at(-1);
  const messages = view.slice(0, newest === undefined ? 0 : view.indexOf(newest) + 1);
  return { ...request, conversation: { system: opening.system, tools: opening.tools, messages, dynamicContext: null } };
}

/**
 * The edits without their effect on kept messages: spans are split around those, and none of their parts is replaced. An edit without effect is left
 * out. One pass over the view for each edit of spans.
 */
export function aroundKept(
  edits: readonly Edit[],
  { messages, kept }: { readonly messages: readonly Message[]; readonly kept: ReadonlySet<Message> },
): readonly Edit[] {
  if (kept.size === 0) return edits;
  const keptIds = new Set([...kept].map(({ id }) => id));
  return edits.flatMap((edit): readonly Edit[] => {
    if (edit.kind === "replace-part") return keptIds.has(edit.messageId) ? [] : [edit];
    if (edit.by === "vendor") return [edit];
    const spans = edit.spans.flatMap((span) => splitAround(span, messages, kept));
    return spans.length === 0 ? [] : [{ ...edit, spans }];
  });
}

/** Stubs for kept documents of unknown size, which may fill the window and bring on one cut after another. The words of their messages stay. */
function unsizedStubs(kept: ReadonlySet<Message>): readonly ReplacePartEdit[] {
  return [...kept].flatMap(({ id, parts }) =>
    parts.flatMap((part, partIndex): readonly ReplacePartEdit[] => {
      if (part.type !== "image" || !isUnsized(part)) return [];
      const handle = partHandle(id, partIndex);
      return [{ kind: "replace-part", messageId: id, partIndex, text: clearedText(part.mediaType, 0, handle), handle }];
    }),
  );
}

/** Splits a span into the pieces between the kept messages. A span that the view does not have is left to the caller that applies it. */
function splitAround(span: PromptedSpan, messages: readonly Message[], kept: ReadonlySet<Message>): readonly PromptedSpan[] {
  const from = messages.findIndex(({ id }) => id === span.from);
  const through = messages.findIndex(({ id }) => id === span.through);
  if (from < 0 || through < from) return [span];
  const spans: (PromptedSpan & { through: string })[] = [];
  let isOpen = false;
  for (const message of messages.slice(from, through + 1)) {
    const last = isOpen ? spans.at(-1) : undefined;
    isOpen = !kept.has(message);
    if (isOpen && last !== undefined) last.through = message.id;
    else if (isOpen) spans.push({ ...span, from: message.id, through: message.id });
  }
  return spans;
}
