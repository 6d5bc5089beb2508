import type { UsageEntry } from "../../entry.ts";
import type { AssistantMessage, Message } from "../../message/message.ts";
import { isHuman } from "../../message/message.ts";
import { sequenceOf } from "../../sequence.ts";
import { isRejectedUsage } from "../../usage.ts";
import type { ModelPriors } from "../model-prior.ts";
import type { Account, Base, Beside, Epoch } from "./account.ts";
import type { ContentOf } from "./content.ts";
import { fixedTokensOf, isSameContent } from "./content.ts";
import { arrivedTokensBy, learnRules, learnText, nextSurgeTokens } from "./learn-from-report.ts";
import type { Load } from "./load.ts";
import { addLoads, NO_LOAD, withContent } from "./load.ts";
import type { KnownModel, Model } from "./model-fit.ts";
import { doubted, fitFrom, loadTokens } from "./model-fit.ts";
import type { NextPrompt } from "./next-prompt.ts";
import { arrivalOf, nextPrompt } from "./next-prompt.ts";
import { regimeOf } from "./regime.ts";
import type { ReplyReport } from "./reply-return.ts";
import { afterReport } from "./residuals.ts";
import { settle, sizesById } from "./settle.ts";

/** The model by what the account has learned of it. */
export function modelOf(account: Account, modelId: string | null, priors: ModelPriors): Model {
  const known = knownOf(account, modelId, priors);
  const { reportedModelId, epoch, view } = account;
  const otherOf = (id: string | null) => (id === null || id === modelId ? known : knownOf(account, id, priors));
  const reported = otherOf(reportedModelId);
  const switchRatio = reported === known || view.messages === 0 ? 1 : loadTokens(view, known) / loadTokens(view, reported);
  return { ...known, switchRatio, reported, epoch: otherOf(epoch?.modelId ?? null) };
}

function knownOf({ fits, reportedModelId }: Account, modelId: string | null, priors: ModelPriors): KnownModel {
  const prior = priors(modelId ?? "");
  const own = modelId === null ? undefined : fits[modelId];
  if (own !== undefined) return { prior, fit: own };
  const before = reportedModelId === null ? undefined : fits[reportedModelId];
  if (before === undefined) return { prior, fit: fitFrom(prior, 1) };
  const priorBefore = priors(reportedModelId ?? "");
  if (priorBefore === prior) return { prior, fit: doubted(before) };
  return { prior, fit: fitFrom(prior, clampedTextRatio(before.regression.slopeRatio / priorBefore.slopeRatio)) };
}

/** Texts of a session that cost more or less than their model's prior says do so with the next model too, within these bounds; chosen. */
const TEXT_RATIO_BOUNDS = [0.8, 1.25] as const;

function clampedTextRatio(ratio: number): number {
  return Math.min(TEXT_RATIO_BOUNDS[1], Math.max(TEXT_RATIO_BOUNDS[0], ratio));
}

/** The account after one more message: its own content is read, nothing else. */
export function withMessage(account: Account, message: Message, { contentOf, priors }: Reading): Account {
  const content = contentOf(message);
  const modelId = account.nextModelId ?? account.reportedModelId;
  const fixedTokens = fixedTokensOf(content, priors(modelId ?? "").image);
  const view = withContent(account.view, content, fixedTokens);
  const { reply } = account;
  if (message.role === "assistant" && reply !== null && isReplyOf(message, reply, account.pendingMessages.size)) {
    return { ...account, view, reply: { ...reply, messageId: message.id, content } };
  }
  return {
    ...account,
    view,
    pending: withContent(account.pending, content, fixedTokens),
    pendingMessages: account.pendingMessages.append({ id: message.id, content, fixedTokens }),
    pendingHuman: account.pendingHuman || isHuman(message),
  };
}

/** A reply is told by its request; where its log keeps none, it is the first message after the report. */
function isReplyOf({ requestId }: AssistantMessage, reply: ReplyReport, pendingCount: number): boolean {
  if (reply.messageId !== null) return false;
  return requestId === null ? pendingCount === 0 : requestId === reply.requestId;
}

/** How messages are read and models looked up. */
export interface Reading {
  readonly contentOf: ContentOf;
  readonly priors: ModelPriors;
}

/** More than any window holds, a hundred times over: a report of more is none. Chosen. */
const LARGEST_PROMPT_TOKENS = 1_000_000_000;

/** The account after a report. One without a size, or with one that cannot be, only names the model. */
export function withReport(account: Account, entry: UsageEntry, from: { priors: ModelPriors; beside: Beside }): Account {
  const { modelId, requestId, usage } = entry;
  const promptTokens = usage.input.totalTokens;
  if (promptTokens === null || promptTokens <= 0 || promptTokens > LARGEST_PROMPT_TOKENS)
    return { ...account, nextModelId: modelId };
  const expecting = modelOf(account, modelId, from.priors);
  const prompt = nextPrompt({ ...account, nextModelId: modelId }, expecting, from.beside);
  const isNext = account.base.kind === "report" && account.reportedModelId === modelId;
  const learned = isNext ? learnedFrom(account, expecting, { prompt, promptTokens, modelId, beside: from.beside }) : null;
  const fit = learned?.fit ?? expecting.fit;
  return {
    ...account,
    reportedModelId: modelId,
    nextModelId: modelId,
    fits: { ...account.fits, [modelId]: fit },
    base: { kind: "report", promptTokens, beside: from.beside },
    reply: isRejectedUsage(usage)
      ? null
      : {
          requestId,
          messageId: null,
          outputTokens: usage.output.totalTokens,
          reasoningTokens: usage.output.reasoningTokens,
          content: null,
        },
    pending: NO_LOAD,
    pendingMessages: sequenceOf(),
    pendingHuman: false,
    measured: learned?.measured ?? account.measured,
    epoch: epochAfter(account, expecting, { modelId, promptTokens, beside: from.beside }),
    turnReasoningTokens: learned?.turnReasoningTokens ?? 0,
    turnSurgeTokens: learned?.turnSurgeTokens ?? 0,
    residuals: afterReport(account.residuals, regimeOf(account, modelId), {
      expectedTokens: prompt.expectedTokens,
      promptTokens,
    }),
  };
}

interface Learned {
  readonly fit: Model["fit"];
  readonly measured: Account["measured"];
  readonly turnReasoningTokens: number;
  readonly turnSurgeTokens: number;
}

function learnedFrom(
  account: Account,
  model: Model,
  { prompt, promptTokens, modelId, beside }: { prompt: NextPrompt; promptTokens: number; modelId: string; beside: Beside },
): Learned {
  const addedTokens = prompt.returnedTokens + prompt.arrivedTokens - prompt.vanishingTokens;
  const differenceTokens = promptTokens - (prompt.expectedTokens - addedTokens);
  const byRules = { ...model, fit: learnRules(account, model, { prompt, differenceTokens }) };
  const difference = { prompt: nextPrompt(account, byRules, beside), differenceTokens };
  const fit = learnText(account, byRules, difference);
  const returned = { tokens: difference.prompt.returnedTokens, reasoningTokens: difference.prompt.returnedReasoningTokens };
  const arrivedTokens = arrivedTokensBy(difference, account, byRules);
  const measured = settle(account, { ...model, fit }, { modelId, returned, arrivedTokens });
  const turnReasoningTokens = account.pendingHuman ? 0 : account.turnReasoningTokens + returned.reasoningTokens;
  return { fit, measured, turnReasoningTokens, turnSurgeTokens: nextSurgeTokens(account, byRules, difference) };
}

/** A switch begins an epoch only where at most this share of the prompt is messages: beyond it their weight's error outweighs a rescaled overhead's. Chosen. */
const LARGEST_VIEW_RATIO = 0.5;

/** The epoch after a report: a new one at the first, after a cut, and after a switch early on; any other report goes on with its epoch. */
function epochAfter(
  { base, view, pending, reportedModelId, epoch }: Account,
  model: Model,
  { modelId, promptTokens, beside }: { modelId: string; promptTokens: number; beside: Beside },
): Epoch | null {
  const isSwitch = modelId !== reportedModelId;
  const fromView: Epoch = { modelId, promptTokens, measuredTokens: 0, load: view, beside };
  if (base.kind === "nothing") return fromView;
  if (base.kind === "report")
    return isSwitch && loadTokens(view, model) <= LARGEST_VIEW_RATIO * promptTokens ? fromView : epoch;
  return isSwitch ? fromView : { ...fromView, measuredTokens: base.measuredTokens, load: addLoads(base.load, pending) };
}

/**
 * The account after edits or an undo: the view is added up again from what its messages were measured as. Where the next request goes to
 * another model than the newest report came from, what was measured says nothing of it, and all is weighed.
 */
export function withView(account: Account, messages: Iterable<Message>, { contentOf, priors }: Reading): Account {
  const modelId = account.nextModelId ?? account.reportedModelId;
  const model = modelOf(account, modelId, priors);
  const isReported = modelId !== null && modelId === account.reportedModelId;
  const measured = isReported ? settledByWeight(account, model, modelId) : account.measured;
  const known = sizesById(measured);
  const list = [...messages];
  const lastHuman = list.findLastIndex(isHuman);
  const goes = model.fit.turnLosses.goes < model.fit.turnLosses.stays;
  let measuredTokens = 0;
  let measuredLoad: Load = NO_LOAD;
  let load: Load = NO_LOAD;
  let view: Load = NO_LOAD;
  for (const [index, message] of list.entries()) {
    const content = contentOf(message);
    const fixedTokens = fixedTokensOf(content, model.prior.image);
    view = withContent(view, content, fixedTokens);
    const size = known.get(message.id);
    if (size !== undefined && size.modelId === modelId && isSameContent(size.content, content)) {
      measuredTokens += size.tokens - (goes && index < lastHuman ? size.reasoningTokens : 0);
      measuredLoad = withContent(measuredLoad, content, fixedTokens);
    } else load = withContent(load, content, fixedTokens);
  }
  const base: Base = account.base.kind === "nothing" ? account.base : { kind: "cut", measuredTokens, measuredLoad, load };
  return {
    ...account,
    base,
    reply: null,
    pending: NO_LOAD,
    pendingMessages: sequenceOf(),
    pendingHuman: false,
    view,
    measured,
    turnReasoningTokens: 0,
    turnSurgeTokens: 0,
  };
}

/** What is pending when the view is edited is no longer told by a report: it keeps its weight. */
function settledByWeight(account: Account, model: Model, modelId: string): Account["measured"] {
  const { returnedTokens: tokens, returnedReasoningTokens: reasoningTokens } = arrivalOf(account, model);
  return settle(account, model, { modelId, returned: { tokens, reasoningTokens }, arrivedTokens: null });
}
