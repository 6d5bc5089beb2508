import type { AssistantMessage, Message } from "../../message/message.ts";
import { isHuman } from "../../message/message.ts";
import type { Base, Ledger, LedgerCopy, ReplyReport } from "../ledger.ts";
import { EMPTY_TURN, ledgerCopy, NOTHING_UNREPORTED, nextModelIdOf } from "../ledger.ts";
import type { ModelPriors } from "../model-prior.ts";
import type { ContentOf, ContentSum } from "./content.ts";
import { fixedTokensOf, isSameContent, NO_CONTENT, withContent } from "./content.ts";
import type { Model } from "./model-fit.ts";
import { modelOf } from "./model-fit.ts";
import { arrivalOf, vanishesAtTurn } from "./next-prompt.ts";
import type { SizesOf } from "./size-index.ts";
import { writeBack } from "./write-back.ts";

/** How messages are read, and models and measured sizes looked up. */
export interface Reading {
  readonly contentOf: ContentOf;
  readonly priors: ModelPriors;
  readonly sizesOf: SizesOf;
}

/** The ledger after one more message: its own content is read, nothing else. */
export function withMessage(ledger: Ledger, message: Message, { contentOf, priors }: Reading): LedgerCopy {
  const content = contentOf(message);
  const fixedTokens = fixedTokensOf(content, priors(nextModelIdOf(ledger) ?? "").image);
  const { reply, unreported, unreportedMessages, hasUnreportedHuman } = ledger;
  const next = ledgerCopy(ledger);
  next.view = withContent(ledger.view, content, fixedTokens);
  if (message.role === "assistant" && reply !== null && isReplyOf(message, reply, unreportedMessages.size)) {
    const { requestId, outputTokens, reasoningTokens } = reply;
    next.reply = { requestId, messageId: message.id, outputTokens, reasoningTokens, content };
    return next;
  }
  next.unreported = withContent(unreported, content, fixedTokens);
  next.unreportedMessages = unreportedMessages.append({ id: message.id, content, fixedTokens });
  next.hasUnreportedHuman = hasUnreportedHuman || isHuman(message);
  return next;
}

/** A reply is known by its request; if its log keeps none, it is the first message after the report. */
function isReplyOf({ requestId }: AssistantMessage, reply: ReplyReport, unreportedCount: number): boolean {
  if (reply.messageId !== null) return false;
  return requestId === null ? unreportedCount === 0 : requestId === reply.requestId;
}

/**
 * The ledger after edits or an undo: the view is added up again from what its messages measured. If the next request goes to another model
 * than the newest report came from, these sizes do not apply to it, and all messages are weighed.
 */
export function withView(
  ledger: Ledger,
  { messages, by }: { readonly messages: Iterable<Message>; readonly by: "engine" | "others" },
  reading: Reading,
): LedgerCopy {
  const modelId = nextModelIdOf(ledger);
  const model = modelOf(ledger, modelId, reading.priors);
  const isReported = modelId !== null && modelId === ledger.reportedModelId;
  const measured = isReported ? measuredByWeight(ledger, model, modelId) : ledger.measured;
  const next = ledgerCopy(ledger);
  next.measured = measured;
  const { view, measuredTokens, measuredContent, unmeasuredContent } = sumView(next, model, {
    messages: [...messages],
    reading,
  });
  if (ledger.base.kind !== "nothing") next.base = { kind: "cut", by, measuredTokens, measuredContent, unmeasuredContent };
  next.view = view;
  next.reply = NOTHING_UNREPORTED.reply;
  next.unreported = NOTHING_UNREPORTED.unreported;
  next.unreportedMessages = NOTHING_UNREPORTED.unreportedMessages;
  next.hasUnreportedHuman = NOTHING_UNREPORTED.hasUnreportedHuman;
  next.turnReasoningTokens = EMPTY_TURN.turnReasoningTokens;
  next.turnUnexplainedTokens = EMPTY_TURN.turnUnexplainedTokens;
  return next;
}

/** Unreported messages of an edited view are in no report of their own: they keep their weights. */
function measuredByWeight(ledger: Ledger, model: Model, modelId: string): Ledger["measured"] {
  const { returnedTokens: tokens, returnedReasoningTokens: reasoningTokens } = arrivalOf(ledger, model);
  return writeBack(ledger, model, { modelId, returned: { tokens, reasoningTokens }, arrivedTokens: null });
}

function sumView(
  ledger: Ledger,
  model: Model,
  { messages, reading: { contentOf, sizesOf } }: { readonly messages: readonly Message[]; readonly reading: Reading },
): Omit<Extract<Base, { kind: "cut" }>, "kind" | "by"> & { readonly view: ContentSum } {
  const modelId = nextModelIdOf(ledger);
  const sizes = sizesOf(ledger.measured);
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
