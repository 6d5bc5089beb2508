import { openStepStart } from "../cut-point.ts";
import type { AppliedReplaceHistory, AppliedReplacePart, AppliedReplaceSpans, MessageSpan } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { isHuman, type Message, type Part } from "../message/message.ts";

type ViewEdit =
  | Pick<AppliedReplaceSpans, "kind" | "spans" | "message" | "moved" | "note">
  | AppliedReplacePart
  | AppliedReplaceHistory;

/**
 * The view after the edits, each applied to the result of the edits before it. Untouched messages keep their identity. Linear in the view for each
 * edit that moves messages; neighbouring replacements of parts are one pass for all of them.
 *
 * @throws PlimsollError `bad-edit` if an edit names a message or part that the view does not hold, if spans overlap, or
 * if a replacement is no part that such a message can have.
 */
export function applyEdits(messages: readonly Message[], edits: readonly ViewEdit[]): readonly Message[] {
  let view = messages;
  let replacements: AppliedReplacePart[] = [];
  for (const edit of edits) {
    if (edit.kind === "replace-part") {
      replacements.push(edit);
      continue;
    }
    view = applyEdit(replaceParts(view, replacements), edit);
    replacements = [];
  }
  return replaceParts(view, replacements);
}

function applyEdit(view: readonly Message[], edit: Exclude<ViewEdit, AppliedReplacePart>): readonly Message[] {
  if (edit.kind === "replace-spans") {
    const { spans, message, moved = [], note } = edit;
    const edited = replaceSpans(view, spans, message);
    const behind = moved.flatMap((each) => view.find(({ id }) => id === each) ?? []);
    return edited.concat(behind, note ?? []);
  }
  const { through, messages } = edit;
  if (through === null) return messages;
  // Of several with that id the newest counts: a damaged history may hold it twice, and the edit was made of all of it.
  const place = placeIn(placesOf(view, [{ from: through, through }]), through);
  return [...messages, ...view.slice(place + 1)];
}

/** Removes the spans and puts a message, if there is one, where the first of them began. Spans are in order and do not overlap. */
function replaceSpans(view: readonly Message[], spans: readonly MessageSpan[], message: Message | null): readonly Message[] {
  const places = placesOf(view, spans);
  const result: Message[] = [];
  let next = 0;
  for (const [order, span] of spans.entries()) {
    const from = placeIn(places, span.from);
    const through = placeIn(places, span.through);
    if (from < next || through < from) throw badEdit(`spans overlap or run backwards at message ${span.from}`, span.from);
    result.push(...view.slice(next, from));
    if (order === 0 && message !== null) result.push(message);
    next = through + 1;
  }
  return result.concat(view.slice(next));
}

/** Where the ends of spans are, of several messages with one id the last; without those that the view does not hold. */
export function placesOf(messages: readonly Message[], spans: readonly MessageSpan[]): ReadonlyMap<string, number> {
  const ends = new Set(spans.flatMap(({ from, through }) => [from, through]));
  const places = new Map<string, number>();
  // The wanted ones are seldom among many: a map of all of them costs ten times as much.
  for (let index = 0; index < messages.length; index++) {
    const id = messages[index]?.id;
    if (id !== undefined && ends.has(id)) places.set(id, index);
  }
  return places;
}

function replaceParts(messages: readonly Message[], edits: readonly AppliedReplacePart[]): readonly Message[] {
  const replacements = new Map<string, Map<number, Part>>();
  for (const edit of edits) {
    const parts = replacements.get(edit.messageId) ?? new Map<number, Part>();
    parts.set(edit.partIndex, edit.part);
    replacements.set(edit.messageId, parts);
  }
  if (replacements.size === 0) return messages;
  const view = messages.map((message) => {
    const parts = replacements.get(message.id);
    replacements.delete(message.id);
    return parts === undefined ? message : withParts(message, parts);
  });
  const [missing] = replacements.keys();
  if (missing !== undefined) throw badEdit(`no message ${missing} in the view`, missing);
  return view;
}

function withParts(message: Message, replacements: ReadonlyMap<number, Part>): Message {
  for (const [partIndex, part] of replacements) {
    if (message.parts[partIndex] === undefined) throw badEdit(`message ${message.id} has no part ${partIndex}`, message.id);
    const isAssistantPart = part.type === "reasoning" || part.type === "tool-call";
    if (message.role === "assistant" ? part.type === "image" : isAssistantPart)
      throw badEdit(`a ${part.type} part cannot stand in the ${message.role} message ${message.id}`, message.id);
  }
  const partAt = (part: Part, index: number): Part => replacements.get(index) ?? part;
  if (message.role === "assistant")
    return { ...message, parts: message.parts.map(partAt).filter((part) => part.type !== "image") };
  return { ...message, parts: message.parts.map(partAt).filter((part) => part.type === "text" || part.type === "image") };
}

function placeIn(places: ReadonlyMap<string, number>, messageId: string): number {
  const place = places.get(messageId);
  if (place === undefined) throw badEdit(`no message ${messageId} in the view`, messageId);
  return place;
}

function badEdit(what: string, messageId: string): PlimsollError {
  return new PlimsollError("bad-edit", `the edit cannot be applied: ${what}`, { messageId });
}

/**
 * Refuses edits that no plan may make, from any planner: the last human message is still there unchanged, and so are the open step's calls, with
 * their reasoning, and its results. The text of results, and of the reply that made the calls, may be replaced. One pass. With `lastHuman: "goes"`
 * the human message is not promised, with `lastStep: "answered"` no step is.
 *
 * @throws PlimsollError `bad-edit` if a promise is broken; `details` name the promise and the message.
 */
export function refuseBrokenPromises(
  before: readonly Message[],
  after: readonly Message[],
  promised: {
    readonly lastHuman?: "stays" | "goes" | undefined;
    readonly lastStep?: "open" | "answered" | undefined;
    /** Messages that edits moved to the end. */
    readonly movedCount?: number;
  } = {},
): void {
  const human = promised.lastHuman === "goes" ? undefined : before.findLast(isHuman);
  if (human !== undefined && !after.includes(human)) throw brokenPromise("last-human-message", human.id);
  const step = promised.lastStep === "answered" ? [] : before.slice(openStepStart(before));
  // A summary or notice is where the first message that it covers was, so an untouched open step must still be at the end of the view, before the moved messages.
  const start = after.length - step.length - (promised.movedCount ?? 0);
  for (const [index, message] of step.entries()) {
    const now = after[start + index];
    if (now?.id !== message.id || now.role !== message.role) throw brokenPromise("open-step", message.id);
    if (now === message || message.role === "tool-result") continue;
    for (const [at, part] of message.parts.entries())
      if (part.type !== "text" && part !== now.parts[at]) throw brokenPromise("open-step", message.id);
  }
}

function brokenPromise(promise: "last-human-message" | "open-step", messageId: string): PlimsollError {
  const message = `the plan takes or changes what must stay (${promise}): ${messageId}`;
  return new PlimsollError("bad-edit", message, { promise, messageId });
}

/** A change of the context that a strategy asks for, as plain data that names messages by id. The engine turns it into an applied edit. */
export type Edit = ReplaceSpansEdit | ReplacePartEdit;

/**
 * Spans to replace by one message, or by nothing. The message takes the place where the first span began: a turn that was split keeps its human
 * message between two spans.
 */
export interface ReplaceSpansEdit extends Pick<AppliedReplaceSpans, "kind" | "spans" | "by"> {
  /** Whether a notice counts the messages that went in all (`count`, if absent) or by role. */
  readonly noticeForm?: "count" | "roles";
  /** The summary, if it was written beforehand: then no model is asked. */
  readonly written?: WrittenSummary;
}

/** A summary's own text, without the engine's additions, and its cost. */
export interface WrittenSummary extends Pick<AppliedReplaceSpans, "usage" | "prompts" | "repairs"> {
  readonly text: string;
}

/** A part to replace by the text given: a stub, or the part's own head and tail. `handle` finds the original again. */
export interface ReplacePartEdit extends Omit<AppliedReplacePart, "part" | "removedChars"> {
  readonly text: string;
}
