import type { UsageEntry } from "../../entry.ts";
import type { AssistantMessage, Message } from "../../message/message.ts";
import { isHuman } from "../../message/message.ts";
import { sequenceOf } from "../../sequence.ts";
import { isRejectedUsage } from "../../usage.ts";
import type { Base, FirstReport, Ledger } from "../ledger.ts";
import type { ModelPriors } from "../model-prior.ts";
import type { ContentOf, ContentSum, OverheadCounts } from "./content.ts";
import { addSums, fixedTokensOf, isSameContent, NO_CONTENT, withContent } from "./content.ts";
import { learnFrom, writeBack } from "./learn-from-report.ts";
import type { Model } from "./model-fit.ts";
import { contentTokens, modelOf } from "./model-fit.ts";
import { arrivalOf, nextPrompt, nextResiduals, situationOf, vanishesAtTurn } from "./next-prompt.ts";
import type { ReplyReport } from "./reply.ts";

/** How messages are read and models looked up. */
export interface Reading {
  readonly contentOf: ContentOf;
  readonly priors: ModelPriors;
}

/** The model that the next request goes to: the newest reported one until another is named. `null` before the first. */
export function nextModelIdOf({ nextModelId, reportedModelId }: Ledger): string | null {
  return nextModelId ?? reportedModelId;
}

/** The ledger after one more message: its own content is read, nothing else. */
export function withMessage(ledger: Ledger, message: Message, { contentOf, priors }: Reading): Ledger {
  const content = contentOf(message);
  const fixedTokens = fixedTokensOf(content, priors(nextModelIdOf(ledger) ?? "").image);
  const view = withContent(ledger.view, content, fixedTokens);
  const { reply } = ledger;
  if (message.role === "assistant" && reply !== null && isReplyOf(message, reply, ledger.unreportedMessages.size)) {
    return { ...ledger, view, reply: { ...reply, messageId: message.id, content } };
  }
  return {
    ...ledger,
    view,
    unreported: withContent(ledger.unreported, content, fixedTokens),
    unreportedMessages: ledger.unreportedMessages.append({ id: message.id, content, fixedTokens }),
    hasUnreportedHuman: ledger.hasUnreportedHuman || isHuman(message),
  };
}

/** A reply is known by its request; if its log keeps none, it is the first message after the report. */
function isReplyOf({ requestId }: AssistantMessage, reply: ReplyReport, unreportedCount: number): boolean {
  if (reply.messageId !== null) return false;
  return requestId === null ? unreportedCount === 0 : requestId === reply.requestId;
}

/** Nothing came since the base. */
const NOTHING_UNREPORTED: Pick<Ledger, "reply" | "unreported" | "unreportedMessages" | "hasUnreportedHuman"> = {
  reply: null,
  unreported: NO_CONTENT,
  unreportedMessages: sequenceOf(),
  hasUnreportedHuman: false,
};

/** No tokens of this turn can vanish at its end. */
const EMPTY_TURN = { turnReasoningTokens: 0, turnUnexplainedTokens: 0 };

/** More than any window holds, a hundred times over: a report of more is none. Chosen. */
const LARGEST_PROMPT_TOKENS = 1_000_000_000;

/** The ledger after a report. One without a size, or with one that cannot be, only names the model. */
export function withReport(
  ledger: Ledger,
  { modelId, requestId, usage }: UsageEntry,
  { priors, overhead }: { readonly priors: ModelPriors; readonly overhead: OverheadCounts },
): Ledger {
  const promptTokens = usage.input.totalTokens;
  if (promptTokens === null || promptTokens <= 0 || promptTokens > LARGEST_PROMPT_TOKENS)
    return { ...ledger, nextModelId: modelId };
  const model = modelOf(ledger, modelId, priors);
  const prompt = nextPrompt({ ...ledger, nextModelId: modelId }, model, overhead);
  const report = { modelId, promptTokens, prompt, overhead };
  const isNext = ledger.base.kind === "report" && ledger.reportedModelId === modelId;
  const unlearned = { fit: model.fit, measured: ledger.measured, ...EMPTY_TURN };
  const { fit, ...learned } = isNext ? learnFrom(ledger, model, report) : unlearned;
  const { totalTokens: outputTokens, reasoningTokens } = usage.output;
  return {
    ...ledger,
    ...NOTHING_UNREPORTED,
    ...learned,
    reportedModelId: modelId,
    nextModelId: modelId,
    fits: { ...ledger.fits, [modelId]: fit },
    base: { kind: "report", promptTokens, overhead },
    reply: isRejectedUsage(usage) ? null : { requestId, messageId: null, outputTokens, reasoningTokens, content: null },
    firstReport: firstReportAfter(ledger, model, report),
    residuals: nextResiduals(ledger.residuals, situationOf(ledger, modelId), {
      expectedTokens: prompt.expectedTokens,
      promptTokens,
    }),
  };
}

/**
 * After a switch of model its first report tells the overhead only if at most this share of the prompt is messages. Beyond it the error of
 * their weight is larger than that of a rescaled overhead. Chosen.
 */
const LARGEST_VIEW_RATIO = 0.5;

/** The first report is the very first one, the one after a cut, or the one after a switch early on. Any other report leaves it. */
function firstReportAfter(
  { base, view, unreported, reportedModelId, firstReport }: Ledger,
  model: Model,
  {
    modelId,
    promptTokens,
    overhead,
  }: { readonly modelId: string; readonly promptTokens: number; readonly overhead: OverheadCounts },
): FirstReport | null {
  const isSwitch = modelId !== reportedModelId;
  const ofView: FirstReport = { modelId, promptTokens, measuredTokens: 0, unmeasuredContent: view, overhead };
  if (base.kind === "nothing") return ofView;
  if (base.kind === "report")
    return isSwitch && contentTokens(view, model) <= LARGEST_VIEW_RATIO * promptTokens ? ofView : firstReport;
  if (isSwitch) return ofView;
  return { ...ofView, measuredTokens: base.measuredTokens, unmeasuredContent: addSums(base.unmeasuredContent, unreported) };
}

/**
 * The ledger after edits or an undo: the view is added up again from what its messages measured. If the next request goes to another model
 * than the newest report came from, these sizes do not apply to it, and all messages are weighed.
 */
export function withView(ledger: Ledger, messages: Iterable<Message>, reading: Reading): Ledger {
  const modelId = nextModelIdOf(ledger);
  const model = modelOf(ledger, modelId, reading.priors);
  const isReported = modelId !== null && modelId === ledger.reportedModelId;
  const measured = isReported ? measuredByWeight(ledger, model, modelId) : ledger.measured;
  const { view, ...kept } = sumView({ ...ledger, measured }, model, { messages: [...messages], contentOf: reading.contentOf });
  const base: Base = ledger.base.kind === "nothing" ? ledger.base : { kind: "cut", ...kept };
  return { ...ledger, ...NOTHING_UNREPORTED, ...EMPTY_TURN, base, view, measured };
}

/** Unreported messages of an edited view are in no report of their own: they keep their weights. */
function measuredByWeight(ledger: Ledger, model: Model, modelId: string): Ledger["measured"] {
  const { returnedTokens: tokens, returnedReasoningTokens: reasoningTokens } = arrivalOf(ledger, model);
  return writeBack(ledger, model, { modelId, returned: { tokens, reasoningTokens }, arrivedTokens: null });
}

function sumView(
  ledger: Ledger,
  model: Model,
  { messages, contentOf }: { readonly messages: readonly Message[]; readonly contentOf: ContentOf },
): Omit<Extract<Base, { kind: "cut" }>, "kind"> & { readonly view: ContentSum } {
  const modelId = nextModelIdOf(ledger);
  const sizes = new Map([...ledger.measured].map((message) => [message.id, message]));
  const lastHuman = messages.findLastIndex(isHuman);
  const vanishes = vanishesAtTurn(model);
  let measuredTokens = 0;
  let measuredContent = NO_CONTENT;
  let unmeasuredContent = NO_CONTENT;
  let view = NO_CONTENT;
  for (const [index, message] of messages.entries()) {
    const content = contentOf(message);
    const fixedTokens = fixedTokensOf(content, model.prior.image);
    view = withContent(view, content, fixedTokens);
    const size = sizes.get(message.id);
    if (size !== undefined && size.modelId === modelId && isSameContent(size.content, content)) {
      measuredTokens += size.tokens - (vanishes && index < lastHuman ? size.reasoningTokens : 0);
      measuredContent = withContent(measuredContent, content, fixedTokens);
    } else unmeasuredContent = withContent(unmeasuredContent, content, fixedTokens);
  }
  return { measuredTokens, measuredContent, unmeasuredContent, view };
}
