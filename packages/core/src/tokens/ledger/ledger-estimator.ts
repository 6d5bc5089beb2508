import { z } from "zod";
import type { UsageEntry } from "../../entry.ts";
import { isRecord } from "../../json.ts";
import { isHuman, type Message } from "../../message/message.ts";
import type { Sequence } from "../../sequence.ts";
import { toolTexts } from "../../tool.ts";
import type { ContentOf, MessageContent, OverheadCounts } from "../char-class.ts";
import { charClass, contentReader, countTexts, fixedTokensOf, isSameContent, NO_CONTENT, withContent } from "../char-class.ts";
import type { Estimator, EstimatorKind, EstimatorSources, Ledger, Overhead, Prediction } from "../estimator.ts";
import { defineEstimator } from "../estimator.ts";
import type { ClassCounts, ContentSum, ModelPrior, ModelPriors, WorkCounter } from "../measure.ts";
import { addCounts, contentTokens, slopeOf, wholeTokens } from "../measure.ts";
import { withReport, writeBack } from "./learn-from-report.ts";
import type { Base, MeasuredMessage, MeasuredState, Model } from "./model-fit.ts";
import { modelOf, NOTHING_MEASURED, NOTHING_UNREPORTED } from "./model-fit.ts";
import { arrivalOf, nextPrompt, upperRatioAfterCut, upperTokensOf, vanishesAtTurn } from "./next-prompt.ts";

/** Measures every message by the reports that cover it, and everything else by weights that the session's own reports correct. */
export interface LedgerSpec {
  readonly kind: "ledger";
}

const NAME = "ledger(char-class)";

/** The kind of {@link LedgerSpec}. */
export const LEDGER: EstimatorKind = defineEstimator<LedgerSpec>({
  kind: "ledger",
  schema: () => z.strictObject({ kind: z.literal("ledger") }),
  create: (_, sources) => ledgerEstimator(sources),
});

function ledgerEstimator({ work, priors: given }: EstimatorSources): Estimator {
  const [contentOf, priors] = [contentReader(work, given.countTokens), oncePerModel(given)];
  const { countTokens } = given;
  const state: ReaderState = { work, countTokens, contentOf, priors, sizesOf: sizeIndex(), overhead: null, newest: null };
  return {
    name: NAME,
    measure: charClass(work, contentOf),
    scaleRatio: (ledger) => slopeOf(modelFor(state, measuredIn(ledger))),
    messageTokens: (message, ledger) => sizeOf(state, message, measuredIn(ledger)),
    upperRatioAfterCut: (ledger) => upperRatioAfterCut(measuredIn(ledger)),
    append: (ledger, message) => keep(state, ledger, withMessage(measuredIn(ledger), message, state)),
    recount: (ledger, messages, by) => keep(state, ledger, withView(measuredIn(ledger), { messages, by }, state)),
    changeModel: (ledger, modelId) => keep(state, ledger, { ...measuredIn(ledger), nextModelId: modelId }),
    observe: (ledger, entry, overhead) => {
      const next = withReport(measuredIn(ledger), entry, { priors, overhead: countsOf(state, overhead) });
      // Report by report: at the first price of a long log all at once would take long.
      state.sizesOf(next.measured);
      return keep(state, ledger, next);
    },
    predict: (ledger, overhead) => {
      const measured = measuredIn(ledger);
      return predict(measured, modelFor(state, measured), { overhead, counts: countsOf(state, overhead) });
    },
  };
}

/** The state of this estimator in a ledger; nothing in one of another estimator. */
export function measuredIn({ own }: Ledger): MeasuredState {
  const isMeasured = (state: unknown): state is MeasuredState => isRecord(state) && state.kind === NOTHING_MEASURED.kind;
  return isMeasured(own) ? own : NOTHING_MEASURED;
}

/** The state of an estimator's reading. Its functions are the module's: compiled code of a closure is lost with it, session after session. */
interface ReaderState extends Reading {
  readonly work: WorkCounter;
  readonly countTokens: ModelPriors["countTokens"];
  /** The newest overhead without its dynamic context. */
  overhead: { readonly of: Overhead; readonly counts: OverheadCounts } | null;
  /** The newest model, and a ledger that it was made of. */
  newest: { readonly of: MeasuredState; readonly model: Model } | null;
}

function modelFor(state: ReaderState, ledger: MeasuredState): Model {
  const { of, model: before } = state.newest ?? {};
  const { fits, reportedModelId, nextModelId, firstReport, view } = ledger;
  const isSwitch = reportedModelId !== null && nextModelId !== null && nextModelId !== reportedModelId;
  const isSame = of?.fits === fits && of.reportedModelId === reportedModelId && of.nextModelId === nextModelId;
  // A message changes no model, unless models are switched and the view is weighed for both.
  if (isSame && of.firstReport?.modelId === firstReport?.modelId && (!isSwitch || of.view === view) && before) return before;
  const model = modelOf(ledger, nextModelIdOf(ledger), state.priors);
  state.newest = { of: ledger, model };
  return model;
}

function oncePerModel(priors: ModelPriors): ModelPriors {
  const known = new Map<string, ModelPrior>();
  return (modelId) => {
    const prior = known.get(modelId) ?? priors(modelId);
    known.set(modelId, prior);
    return prior;
  };
}

function keep(state: ReaderState, ledger: Ledger, own: MeasuredState): Ledger {
  return { ...ledger, own, factor: slopeOf(modelFor(state, own)) };
}

function predict(
  ledger: MeasuredState,
  model: Model,
  { overhead, counts }: { readonly overhead: Overhead; readonly counts: OverheadCounts },
): Prediction {
  const prompt = nextPrompt(ledger, model, counts);
  const overheadTokens = Math.max(0, Math.round(prompt.overheadTokens));
  // The engine adds messages and overhead up apart when it plans a cut. The same sum makes the planned view fit after it; before any report nothing
  // distinguishes a view that was cut from another.
  const expectedTokens =
    ledger.base.kind === "report"
      ? Math.max(0, Math.round(prompt.expectedTokens))
      : overheadTokens + Math.max(0, wholeTokens(prompt.expectedTokens - prompt.overheadTokens));
  const isKnown =
    ledger.firstReport !== null || overhead.system !== "" || overhead.tools.length > 0 || overhead.hiddenTokens > 0;
  const reportedTokens = Math.min(expectedTokens, Math.round(prompt.reportedTokens));
  return {
    expectedTokens,
    upperTokens: Math.ceil(upperTokensOf(ledger, model, prompt)),
    reportedTokens,
    estimatedTokens: expectedTokens - reportedTokens,
    overheadTokens,
    basis: isKnown ? NAME : "unanchored",
  };
}

/** Counts an overhead. System and tools are read once for each value; only the dynamic context is read at every request. */
function countsOf(state: ReaderState, overhead: Overhead): OverheadCounts {
  const { work, countTokens } = state;
  const { system, tools, dynamicContext, hiddenTokens } = overhead;
  if (state.overhead === null || state.overhead.of.system !== system || state.overhead.of.tools !== tools) {
    const toolCounts = countTexts(tools.flatMap(toolTexts), work, countTokens);
    state.overhead = { of: overhead, counts: { counts: countTexts([system], work, countTokens), toolCounts, hiddenTokens } };
  }
  const { counts } = state.overhead;
  // The same value for the same overhead: identity shows that it has not changed.
  if (dynamicContext === null && counts.hiddenTokens === hiddenTokens) return counts;
  const all =
    dynamicContext === null ? counts.counts : addCounts(counts.counts, countTexts([dynamicContext], work, countTokens));
  return { counts: all, toolCounts: counts.toolCounts, hiddenTokens };
}

/** Tokens of a message: as the next request's model measured it, else by weight. */
function sizeOf(state: ReaderState, message: Message, ledger: MeasuredState): number {
  const model = modelFor(state, ledger);
  const content = state.contentOf(message);
  const modelId = nextModelIdOf(ledger);
  const isReported = modelId === ledger.reportedModelId;
  if (isReported && isReply(ledger, message, content)) return arrivalOf(ledger, model).returnedTokens;
  const size = state.sizesOf(ledger.measured).get(message.id);
  if (size !== undefined && isSameContent(size.content, content) && size.modelId === modelId) return size.tokens;
  const fixedTokens = fixedTokensOf(content, model.prior.image, ledger.loadedTool.tokens);
  return contentTokens({ counts: content.counts, messages: 1, fixedTokens }, model);
}

/** True for the reply of the newest report, unedited; a log that is read again has another value of it. */
function isReply({ reply }: MeasuredState, message: Message, content: MessageContent): boolean {
  if (reply === null || reply.content === null || reply.messageId !== message.id) return false;
  return isSameContent(reply.content, content);
}

/** The messages between two usage reports: their characters by class, and the tokens by which they made the prompt grow. Weights are fitted on these. */
export interface Measured {
  readonly modelId: string;
  readonly counts: ClassCounts;
  readonly messages: number;
  readonly tokens: number;
}

/** Measures the messages since the last usage report by the next one; `null` at the first report, after a cut or a human message, and with images. */
export function measuredBy(of: Ledger, { modelId, usage }: UsageEntry, priors: ModelPriors): Measured | null {
  const ledger = measuredIn(of);
  const { base, unreported } = ledger;
  const promptTokens = usage.input.totalTokens;
  if (promptTokens === null || base.kind !== "report" || ledger.reportedModelId !== modelId) return null;
  if (ledger.hasUnreportedHuman || ledger.unreportedTools > 0 || unreported.fixedTokens > 0 || unreported.messages === 0)
    return null;
  const { returnedTokens } = arrivalOf(ledger, modelOf(ledger, modelId, priors));
  const tokens = promptTokens - base.promptTokens - returnedTokens;
  return tokens > 0 ? { modelId, counts: unreported.counts, messages: unreported.messages, tokens } : null;
}

interface Reading {
  readonly contentOf: ContentOf;
  readonly priors: ModelPriors;
  readonly sizesOf: SizesOf;
}

/** The ledger after one more message: its own content is read, nothing else. */
function withMessage(ledger: MeasuredState, message: Message, { contentOf, priors }: Reading): MeasuredState {
  const content = contentOf(message);
  const fixedTokens = fixedTokensOf(content, priors(nextModelIdOf(ledger) ?? "").image, ledger.loadedTool.tokens);
  const { reply, unreported, unreportedMessages, hasUnreportedHuman } = ledger;
  const unreportedTools = ledger.unreportedTools + content.loadedTools;
  const next = { ...ledger, unreportedTools, view: withContent(ledger.view, content, fixedTokens) };
  // A reply is known by its request; if its log keeps none, it is the first message after the report.
  const requestId = message.role === "assistant" ? message.requestId || null : null;
  const isReply = message.role === "assistant" && (requestId ?? reply?.requestId) === reply?.requestId;
  if (isReply && reply?.messageId === null && (requestId !== null || unreportedMessages.size === 0)) {
    const loadedTokens = content.loadedTools * ledger.loadedTool.tokens;
    return { ...next, reply: { ...reply, messageId: message.id, content, loadedTokens } };
  }
  return {
    ...next,
    unreported: withContent(unreported, content, fixedTokens),
    unreportedMessages: unreportedMessages.append({ id: message.id, content, fixedTokens }),
    hasUnreportedHuman: hasUnreportedHuman || isHuman(message),
  };
}

/** After edits or an undo the view is added up again from its messages' measured sizes; for another model than the newest report's, all are weighed. */
function withView(
  ledger: MeasuredState,
  { messages, by }: { readonly messages: Iterable<Message>; readonly by: "engine" | "others" },
  reading: Reading,
): MeasuredState {
  const modelId = nextModelIdOf(ledger);
  const model = modelOf(ledger, modelId, reading.priors);
  const isReported = modelId !== null && modelId === ledger.reportedModelId;
  const measured = isReported ? measuredByWeight(ledger, model, modelId) : ledger.measured;
  const { view, ...cut } = sumView({ ...ledger, measured }, model, { messages: [...messages], reading });
  const base: Base = ledger.base.kind === "nothing" ? ledger.base : { kind: "cut", by, ...cut };
  return { ...ledger, ...NOTHING_UNREPORTED, measured, view, base, turnReasoningTokens: 0 };
}

/** Unreported messages of an edited view are in no report of their own: they keep their weights. */
function measuredByWeight(ledger: MeasuredState, model: Model, modelId: string): MeasuredState["measured"] {
  const { returnedTokens: tokens, returnedReasoningTokens: reasoningTokens } = arrivalOf(ledger, model);
  return writeBack(ledger, model, { modelId, returned: { tokens, reasoningTokens }, arrivedTokens: null });
}

function sumView(
  ledger: MeasuredState,
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
    const fixedTokens = fixedTokensOf(content, model.prior.image, ledger.loadedTool.tokens);
    view = withContent(view, content, fixedTokens);
    const size = sizes.get(message.id);
    if (size !== undefined && size.modelId === modelId && isSameContent(size.content, content)) {
      measuredTokens += size.tokens - (vanishes && index < lastHuman ? size.reasoningTokens : 0);
      measuredContent = withContent(measuredContent, content, fixedTokens);
    } else unmeasuredContent = withContent(unmeasuredContent, content, fixedTokens);
  }
  return { measuredTokens, measuredContent, unmeasuredContent, view };
}

/** Measured sizes by message id, the newest of each. */
type SizesOf = (measured: Sequence<MeasuredMessage>) => ReadonlyMap<string, MeasuredMessage>;

/** A {@link SizesOf}: a sequence that goes on from the one before costs only its new messages, any other is read anew. */
function sizeIndex(): SizesOf {
  let known: Sequence<MeasuredMessage> | null = null;
  let sizes = new Map<string, MeasuredMessage>();
  return (measured) => {
    if (measured === known) return sizes;
    const seen = known === null ? 0 : known.size;
    const goesOn = known !== null && measured.size >= seen && measured.at(seen - 1) === known.at(seen - 1);
    if (!goesOn) sizes = new Map();
    for (const message of measured.slice(goesOn ? seen : 0)) sizes.set(message.id, message);
    known = measured;
    return sizes;
  };
}

/** The model that the next request goes to: the newest reported one until another is named. `null` before the first. */
function nextModelIdOf({ nextModelId, reportedModelId }: MeasuredState): string | null {
  return nextModelId ?? reportedModelId;
}
