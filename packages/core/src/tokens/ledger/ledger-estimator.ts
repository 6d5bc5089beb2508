import { z } from "zod";
import type { Message } from "../../message/message.ts";
import type { Sequence } from "../../sequence.ts";
import { charClass } from "../char-class.ts";
import type { ClassCounts } from "../char-classes.ts";
import type { Estimator, EstimatorKind, EstimatorSources, Overhead, Prediction } from "../estimator.ts";
import { defineEstimator } from "../estimator.ts";
import type { Ledger, MeasuredMessage } from "../ledger.ts";
import type { WorkCounter } from "../work.ts";
import type { ContentOf, MessageContent, OverheadCounts } from "./content.ts";
import { addCounts, contentReader, countTexts, fixedTokensOf, isSameContent, NO_CONTENT, withContent } from "./content.ts";
import { nextModelIdOf, withMessage, withReport, withView } from "./fold.ts";
import type { Model } from "./model-fit.ts";
import { contentTokens, modelOf, slopeOf } from "./model-fit.ts";
import { arrivalOf, nextPrompt, upperRatioAfterCut, upperTokensOf } from "./next-prompt.ts";

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

function ledgerEstimator({ work, priors }: EstimatorSources): Estimator {
  const contentOf = contentReader(work);
  const countsOf = overheadReader(work);
  const sizeOf = sizeLookup(contentOf);
  const reading = { contentOf, priors };
  const modelFor = (ledger: Ledger): Model => modelOf(ledger, nextModelIdOf(ledger), priors);
  const withFactor = (ledger: Ledger): Ledger => ({ ...ledger, factor: slopeOf(modelFor(ledger)) });
  return {
    name: NAME,
    measure: charClass(work, contentOf),
    scaleRatio: (ledger) => slopeOf(modelFor(ledger)),
    messageTokens: (message, ledger) => sizeOf(message, ledger, modelFor(ledger)),
    upperRatioAfterCut,
    append: (ledger, message) => withFactor(withMessage(ledger, message, reading)),
    recount: (ledger, messages) => withFactor(withView(ledger, messages, reading)),
    changeModel: (ledger, modelId) => withFactor({ ...ledger, nextModelId: modelId }),
    observe: (ledger, entry, overhead) => withFactor(withReport(ledger, entry, { priors, overhead: countsOf(overhead) })),
    predict: (ledger, overhead) => predict(ledger, modelFor(ledger), { overhead, counts: countsOf(overhead) }),
  };
}

function predict(
  ledger: Ledger,
  model: Model,
  { overhead, counts }: { readonly overhead: Overhead; readonly counts: OverheadCounts },
): Prediction {
  const prompt = nextPrompt(ledger, model, counts);
  const overheadTokens = Math.max(0, Math.round(prompt.overheadTokens));
  // The engine adds messages and overhead up apart when it plans a cut. The same sum makes the planned view fit after it.
  const expectedTokens =
    ledger.base.kind === "cut"
      ? overheadTokens + Math.max(0, Math.floor(prompt.expectedTokens - prompt.overheadTokens))
      : Math.max(0, Math.round(prompt.expectedTokens));
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
function overheadReader(work: WorkCounter): (overhead: Overhead) => OverheadCounts {
  let known: { readonly overhead: Overhead; readonly counts: ClassCounts; readonly toolCounts: ClassCounts } | null = null;
  return (overhead) => {
    const { system, tools, dynamicContext, hiddenTokens } = overhead;
    if (known === null || known.overhead.system !== system || known.overhead.tools !== tools) {
      const toolTexts = tools.flatMap((tool) => [tool.name, tool.description, tool.parametersJson]);
      known = { overhead, counts: countTexts([system], work), toolCounts: countTexts(toolTexts, work) };
    }
    const { counts, toolCounts } = known;
    const all = dynamicContext === null ? counts : addCounts(counts, countTexts([dynamicContext], work));
    return { counts: all, toolCounts, hiddenTokens };
  };
}

/** Tokens of a message: as the next request's model measured it, else by weight. */
function sizeLookup(contentOf: ContentOf): (message: Message, ledger: Ledger, model: Model) => number {
  const sizesOf = sizeIndex();
  return (message, ledger, model) => {
    const content = contentOf(message);
    const modelId = nextModelIdOf(ledger);
    const isReported = modelId === ledger.reportedModelId;
    if (isReported && isReply(ledger, message, content)) return arrivalOf(ledger, model).returnedTokens;
    const size = sizesOf(ledger.measured).get(message.id);
    if (size !== undefined && isSameContent(size.content, content) && size.modelId === modelId) return size.tokens;
    return contentTokens(withContent(NO_CONTENT, content, fixedTokensOf(content, model.prior.image)), model);
  };
}

/** True for the reply of the newest report, unedited; a log that is read again has another value of it. */
function isReply({ reply }: Ledger, message: Message, content: MessageContent): boolean {
  if (reply === null || reply.content === null || reply.messageId !== message.id) return false;
  return isSameContent(reply.content, content);
}

/** Sizes by message id. A sequence that goes on from the one before costs only its new messages; any other is read anew. */
function sizeIndex(): (measured: Sequence<MeasuredMessage>) => ReadonlyMap<string, MeasuredMessage> {
  let known: Sequence<MeasuredMessage> | null = null;
  let sizes = new Map<string, MeasuredMessage>();
  return (measured) => {
    const seen = known === null ? 0 : known.size;
    const goesOn = known !== null && measured.size >= seen && measured.at(seen - 1) === known.at(seen - 1);
    if (!goesOn) sizes = new Map();
    for (const message of measured.slice(goesOn ? seen : 0)) sizes.set(message.id, message);
    known = measured;
    return sizes;
  };
}
