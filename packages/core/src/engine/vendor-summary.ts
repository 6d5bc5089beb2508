import type { ReplaceSpansEdit } from "../edit/apply-edits.ts";
import type { AppliedReplaceSpans, CompactionEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { canonicalJson, wellFormed } from "../json.ts";
import { type Context, isDeclared, isHuman, type Message, VENDOR_SUMMARY, withId } from "../message/message.ts";
import { coverageOf } from "../message/size.ts";
import type { Summarizer, SummaryRequest, VendorSummary } from "../ports.ts";
import { summaryText } from "../prompts/notices.ts";
import type { StrategyInput } from "../strategy/strategy.ts";
import { usableSummary } from "../summarizer/usable.ts";
import type { FitView } from "./fit-input.ts";

/** The view that a summary is of, and the ports that write one without a model of the session's own. */
export interface VendorInput {
  /** The view that the edits are of. */
  readonly messages: readonly Message[];
  /** Messages that will be sent after the view: the view may be emptied if there is one. */
  readonly pending: readonly Message[];
  /** The system text and tools that every request of the session sends before its messages. */
  readonly opening: Pick<Context, "system" | "tools">;
  readonly digest: Summarizer;
  /** Has the vendor summarise the messages of a context; left out where it does not. */
  readonly vendor?: ((context: Context, signal: AbortSignal) => Promise<VendorSummary>) | undefined;
  /** Messages that the rule `pinned` holds: they stay, behind a vendor's summary too. */
  readonly pinned?: ReadonlySet<Message>;
  /** Writes the facts that survive with every summary and notice, or only pinned passages, as text beside messages that stay; `null` for none. */
  readonly facts: (staying: readonly Message[], what?: "all" | "pins") => string | null;
  /** Whether the last human message may be covered by a summary: see `StrategyInput`. */
  readonly lastHuman?: StrategyInput["lastHuman"];
  readonly nowMs: number | null;
}

/** Makes the message with the vendor's block and the digest, which is sent wherever the block cannot be. The facts follow in a note at the view's end. */
export async function vendorSpans(
  edit: ReplaceSpansEdit & Pick<AppliedReplaceSpans, "moved" | "covered"> & { readonly gone: readonly Message[] },
  { request, input, signal }: { readonly request: SummaryRequest; readonly input: VendorInput; readonly signal: AbortSignal },
): Promise<AppliedReplaceSpans> {
  const { kind, spans, by, moved = [], covered, gone } = edit;
  const { vendor, opening, nowMs: atMs } = input;
  if (vendor === undefined) throw new PlimsollError("summary-failed", "the model's wire has no summaries of the vendor");
  const { system, tools } = opening;
  const { block, text, usage } = await vendor({ system, tools, messages: gone, dynamicContext: null }, signal);
  const { text: digest } = usableSummary(await input.digest(request, signal), request, "hook");
  signal.throwIfAborted();
  const opaque = { type: VENDOR_SUMMARY, block };
  const parts = [
    { type: "reasoning", text: wellFormed(text), opaque },
    { type: "text", text: wellFormed(summaryText(digest)) },
  ] as const;
  const ofNoRequest = { modelId: null, requestId: null, stopReason: null };
  const drafted = { role: "assistant", origin: "summary", parts, atMs, ...ofNoRequest } as const;
  const message = withId(drafted, canonicalJson(spans.map(({ from, through }) => [from, through])));
  const staying = input.messages.filter((each) => !gone.includes(each) || moved.includes(each.id));
  const facts = input.facts([...staying, ...input.pending]);
  const said = { role: "user", origin: "notice", parts: [{ type: "text", text: wellFormed(facts ?? "") }], atMs } as const;
  const note = facts === null ? {} : { note: withId(said, message.id) };
  return { kind, spans, by, covered, usage, message, ...(moved.length === 0 ? {} : { moved }), ...note };
}

/** Names the promised messages that a vendor's summary would take: they go behind what stays, the person's words first. */
export function movedBy(
  { by, spans }: ReplaceSpansEdit,
  { messages, pending, pinned, lastHuman }: Pick<VendorInput, "messages" | "pending" | "pinned" | "lastHuman">,
): readonly string[] {
  if (by !== "vendor") return [];
  const end = messages.findIndex(({ id }) => id === spans[0]?.through) + 1;
  const human = lastHuman === "goes" || pending.some(isHuman) ? undefined : messages.findLast(isHuman);
  const gone = messages
    .slice(0, end)
    .filter((message) => message === human || pinned?.has(message) === true || isDeclared(message));
  return [...gone.filter((each) => !isDeclared(each)), ...gone.filter(isDeclared)].map(({ id }) => id);
}

/** Moves messages that came since the plan behind those that its edits put at the view's end. */
export function withNewestLast(entry: CompactionEntry, planned: FitView, now: FitView): CompactionEntry {
  const moved = now.messages.slice(planned.messages.size).map(({ id }) => id);
  const [from, through] = [moved[0], moved.at(-1)];
  if (from === undefined || through === undefined) return entry;
  if (!entry.edits.some((edit) => edit.kind === "replace-spans" && (edit.moved ?? edit.note) !== undefined)) return entry;
  const move = { kind: "replace-spans", by: "nothing", message: null, moved, covered: coverageOf([]), usage: null } as const;
  return { ...entry, edits: [...entry.edits, { ...move, spans: [{ from, through, promptId: null }] }] };
}
