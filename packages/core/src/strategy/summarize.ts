import { z } from "zod";
import { type Boundary, cutAtBoundary, cutKeeping, safeCutAtOrBefore, safeCuts, spansBetween } from "../cut-point.ts";
import type { PromptedSpan } from "../entry.ts";
import { isDeclared, isSummary, type Message } from "../message/message.ts";
import { defineStrategy, type StrategyAnswer, type StrategyInput, type StrategyKind } from "./strategy.ts";

/** Replaces the oldest part by a summary, up to a cut that leaves the kept part whole. */
export interface SummarizeSpec {
  readonly kind: "summarize";
  /** The writer: the model, the deterministic digest, or the vendor, whose block covers everything before the cut. */
  readonly writer: "model" | "digest" | "vendor";
  /**
   * Where a cut may fall: at any place that splits no call from its result, keeping more (`any-safe`) or, if
   * something is left to keep, less (`next-safe`) than asked; only if neither side is inside a batch of tool calls; or only before a human message if
   * there is one.
   */
  readonly boundary: Boundary;
  readonly promptId: string;
  /** Prompt for the older part of a turn that the cut splits; `null` summarises it with the rest. */
  readonly turnPrefixPromptId: string | null;
  /** A turn's older part of fewer messages, its human one counted, is summarised with the rest; 0 by default. */
  readonly turnPrefixFromMessages?: number | undefined;
  /** Histories of at most so many messages are summarised whole, regardless of `keep`; not if someone asked for it. */
  readonly keepNothingUpToMessages?: number | undefined;
  /** Whether a summary is written anew although nothing but an earlier one lies before the cut; `again` by default. */
  readonly summaryAlone?: "again" | "stays" | undefined;
  /** If there is no cut although a provider rejected the context, all but so many messages are summarised. */
  readonly forcedKeepMessages?: number | undefined;
}

const COUNT = z.int().nonnegative();
const maybe = <Of extends z.ZodType>(of: Of, meaning: string) => of.optional().describe(meaning);

/**
 * Summarises everything before the cut. If the cut falls inside the newest turn, that turn's human message stays literal between the summary and the
 * first kept message, and the messages on both sides of it go into one summary. The messages before that turn and the turn's own beginning are
 * written with prompts of their own, if the policy has them and both are there.
 */
export const SUMMARIZE: StrategyKind = defineStrategy<SummarizeSpec>({
  kind: "summarize",
  schema: z.strictObject({
    kind: z.literal("summarize"),
    writer: z
      .enum(["model", "digest", "vendor"])
      .describe("The writer: the model, the digest of quotations, or the vendor where its wire compacts on request."),
    boundary: z
      .enum(["any-safe", "next-safe", "not-in-tool-batch", "turn", "human"])
      .describe("Where a cut may fall; a call and its result stay together."),
    promptId: z.string().min(1).describe("The prompt, by its id."),
    turnPrefixPromptId: z
      .string()
      .min(1)
      .nullable()
      .describe("The prompt for the older part of a turn that a cut splits; null: none."),
    turnPrefixFromMessages: maybe(z.int().positive(), "Used if that part has at least this many messages."),
    keepNothingUpToMessages: maybe(COUNT, "Histories of at most this number of messages are summarised whole."),
    summaryAlone: maybe(z.enum(["again", "stays"]), "Whether to summarise again if only an earlier summary precedes the cut."),
    forcedKeepMessages: maybe(COUNT, "Messages that stay after a provider's refusal if no cut point exists."),
  }),
  needsModel: ({ writer }) => writer !== "digest",
  label: ({ writer }) => (writer === "model" ? "summarize" : writer),
  plan: summarize,
});

function summarize(spec: SummarizeSpec, input: StrategyInput): StrategyAnswer {
  const cut = spec.writer === "vendor" ? vendorCut(input, cutFor(spec, input)) : cutFor(spec, input);
  if (cut === null) return { kind: "not-applicable", reason: "every message is among the newest, which stay" };
  if (spec.writer === "vendor") return byVendor(input, cut, spec);
  const spans = promptedSpans(input, cut, spec);
  if (spans.length === 0) return { kind: "not-applicable", reason: "only the last human message lies before the cut" };
  if (spec.summaryAlone === "stays" && input.messages.slice(0, cut).every(isSummary))
    return { kind: "not-applicable", reason: "only an earlier summary lies before the cut" };
  return { kind: "edits", edits: [{ kind: "replace-spans", spans, by: spec.writer === "model" ? "summary" : "digest" }] };
}

/**
 * The cut that the policy's `keep` asks for; if its boundary leaves nothing to summarise, or so much that the trigger would fire again at once, the
 * newest safe cut, so that a batch of calls is never in the way for ever; a policy that cuts only at human messages wants no other.
 */
function cutFor(spec: SummarizeSpec, input: StrategyInput): number | null {
  const { messages, messageTokens, isKept, keep, cause } = input;
  const isAll = cause !== "demand" && messages.length <= (spec.keepNothingUpToMessages ?? 0);
  const newestKept = "tokens" in keep && spec.boundary === "turn" ? { overTokens: keep.tokens } : keep;
  const wanted = isAll ? messages.length : cutKeeping(messages, newestKept, input.keptMessageTokens);
  if (wanted > 0) {
    const cut = cutAtBoundary(messages, wanted, spec.boundary);
    if (spec.boundary === "human") return cut > 0 ? cut : null;
    const kept = messages.filter((message, at) => at >= cut || isKept(message));
    if (cut > 0 && kept.reduce((sum, message) => sum + messageTokens(message), 0) < input.lineTokens) return cut;
    const newest = Math.max(cut, safeCutAtOrBefore(safeCuts(messages), wanted));
    if (newest > 0) return newest;
  }
  if (cause !== "overflow" || spec.forcedKeepMessages === undefined) return null;
  const forced = safeCutAtOrBefore(safeCuts(messages), messages.length - spec.forcedKeepMessages);
  return forced > 0 ? forced : null;
}

/** The share of the room that the vendor is asked to summarise at most: the expected size may be too small. Chosen. */
const ASKED_RATIO = 0.9;

/**
 * The cut nearest to the one that is wanted at which the wire's roles change: a vendor joins neighbours of one role, and the cut would fall into a message. The
 * vendor's own call has to fit the window, too: later messages stay.
 */
function vendorCut({ messages, messageTokens, budget }: StrategyInput, asked: number | null): number | null {
  const safe = safeCuts(messages);
  let tokens = 0;
  const over = messages.findIndex((message) => {
    tokens += messageTokens(message);
    return tokens > (budget.roomTokens ?? budget.inputBudgetTokens) * ASKED_RATIO;
  });
  const wanted = asked === null || over < 0 ? asked : Math.min(asked, over);
  const isMet = (cut: number) => safe[cut] === true && cut > 0 && roleAt(messages, cut) !== roleAt(messages, cut - 1);
  const fits = [...messages.keys(), messages.length].filter((cut) => isMet(cut) && roleAt(messages, cut) !== "declared");
  return fits.findLast((cut) => cut <= (wanted ?? 0)) ?? (wanted === null ? null : (fits[0] ?? null));
}

function roleAt(messages: readonly Message[], index: number): "assistant" | "user" | "declared" | undefined {
  const message = messages[index];
  if (message === undefined || message.role === "assistant") return message?.role;
  return isDeclared(message) ? "declared" : "user";
}

function byVendor({ messages }: StrategyInput, cut: number, { promptId }: SummarizeSpec): StrategyAnswer {
  const [from, through] = [messages[0]?.id, messages[cut - 1]?.id];
  if (from === undefined || through === undefined || messages.slice(0, cut).every(isSummary))
    return { kind: "not-applicable", reason: "only an earlier summary lies before the cut" };
  return { kind: "edits", edits: [{ kind: "replace-spans", spans: [{ from, through, promptId }], by: "vendor" }] };
}

/** Returns the spans before the cut, each with its prompt: the older part, and the beginning of the turn that the cut splits. */
function promptedSpans(input: StrategyInput, cut: number, spec: SummarizeSpec): readonly PromptedSpan[] {
  const { messages, lastHuman } = input;
  const { promptId, turnPrefixPromptId, turnPrefixFromMessages = 0 } = spec;
  const start = splitTurnStart(input, cut);
  const isApart = start !== null && cut - start >= turnPrefixFromMessages;
  const older = isApart ? spansBetween(messages, { start: 0, cut: start, lastHuman }) : [];
  const isSplit = turnPrefixPromptId !== null && isApart && older.length > 0;
  const newer = spansBetween(messages, { start: isSplit ? start : 0, cut, lastHuman });
  const newerId = isSplit ? turnPrefixPromptId : promptId;
  return [
    ...(isSplit ? older.map((span) => ({ ...span, promptId })) : []),
    ...newer.map((span) => ({ ...span, promptId: newerId })),
  ];
}

/** `null` for a cut at a turn's beginning, and if that beginning is in a summary already: then the messages after it are history like any other. */
function splitTurnStart({ messages, isLeftOver }: StrategyInput, cut: number): number | null {
  const first = messages[cut];
  if (first !== undefined && beginsTurn(first)) return null;
  const start = messages.slice(0, cut).findLastIndex((message) => beginsTurn(message) || isSummary(message));
  const begins = messages[start];
  return begins === undefined || isSummary(begins) || isLeftOver(begins) ? null : start;
}

/** True if a message begins a turn: the person's, or one that is put before the model in the person's name. */
function beginsTurn(message: Message): boolean {
  return message.role === "user" && !isSummary(message) && !isDeclared(message);
}
