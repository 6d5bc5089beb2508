import type { Message } from "../../message/message.ts";
import type { Sequence } from "../../sequence.ts";
import type { CharClassSpec } from "../char-class.ts";
import { charClass } from "../char-class.ts";
import type { ClassCounts } from "../char-classes.ts";
import { countClasses, NO_COUNTS } from "../char-classes.ts";
import type { Ledger } from "../ledger.ts";
import type { ModelPriors } from "../model-prior.ts";
import type { Estimator, Overhead } from "../prediction.ts";
import type { WorkCounter } from "../work.ts";
import type { Account, Beside, MeasuredMessage } from "./account.ts";
import { EMPTY_ACCOUNT } from "./account.ts";
import type { ContentOf, MessageContent } from "./content.ts";
import { contentReader, fixedTokensOf, isSameContent } from "./content.ts";
import { modelOf, withMessage, withReport, withView } from "./fold-account.ts";
import { addCounts, NO_LOAD, withContent } from "./load.ts";
import type { Model } from "./model-fit.ts";
import { loadTokens, slopeOf } from "./model-fit.ts";
import { arrivalOf, nextPrompt } from "./next-prompt.ts";
import { upperRatioAfterCut, upperTokensOf } from "./upper.ts";

/** Measures every message by the reports that cover it, and everything else by weights that the session's own reports correct. */
export interface LedgerSpec {
  readonly kind: "ledger";
}

const NAME = "ledger(char-class)";

/** The estimator of the kind `ledger`. */
export function ledgerEstimator(work: WorkCounter, priors: ModelPriors): Estimator {
  const spec: CharClassSpec = { kind: "char-class" };
  const contentOf = contentReader(work);
  const measure = charClass(spec, { work, contentOf });
  const besideOf = besideReader(work);
  const sizeOf = sizeLookup(contentOf);
  const accountOf = (ledger: Ledger): Account => ledger.account ?? EMPTY_ACCOUNT;
  const modelFor = (account: Account): Model => modelOf(account, account.nextModelId ?? account.reportedModelId, priors);
  const reading = { contentOf, priors };
  const keep = (ledger: Ledger, account: Account): Ledger => ({
    ...ledger,
    account,
    factor: slopeOf(modelFor(account)),
  });
  return {
    name: NAME,
    measure,
    scaleRatio: (ledger) => slopeOf(modelFor(accountOf(ledger))),
    messageTokens: (message, ledger) => {
      const account = accountOf(ledger);
      return sizeOf(message, account, modelFor(account));
    },
    upperRatioAfterCut: (ledger) => upperRatioAfterCut(accountOf(ledger)),
    append: (ledger, message) => keep(ledger, withMessage(accountOf(ledger), message, reading)),
    recount: (ledger, messages) => keep(ledger, withView(accountOf(ledger), messages, reading)),
    changeModel: (ledger, modelId) => keep(ledger, { ...accountOf(ledger), nextModelId: modelId }),
    observe: (ledger, entry, overhead) =>
      keep(ledger, withReport(accountOf(ledger), entry, { priors, beside: besideOf(overhead) })),
    predict: (ledger, overhead) => {
      const account = accountOf(ledger);
      const model = modelFor(account);
      const prompt = nextPrompt(account, model, besideOf(overhead));
      const overheadTokens = Math.max(0, Math.round(prompt.overheadTokens));
      // After a cut as the engine adds it up when it plans one: what was planned to fit is then expected to.
      const expectedTokens =
        account.base.kind === "cut"
          ? overheadTokens + Math.max(0, Math.floor(prompt.expectedTokens - prompt.overheadTokens))
          : Math.max(0, Math.round(prompt.expectedTokens));
      const isKnown =
        account.epoch !== null || overhead.system !== "" || overhead.tools.length > 0 || overhead.hiddenTokens > 0;
      const reportedTokens = Math.min(expectedTokens, Math.round(prompt.reportedTokens));
      return {
        expectedTokens,
        upperTokens: Math.ceil(upperTokensOf(account, model, prompt)),
        reportedTokens,
        estimatedTokens: expectedTokens - reportedTokens,
        overheadTokens,
        basis: isKnown ? NAME : "unanchored",
      };
    },
  };
}

/** What is sent beside the messages, as counts. System and tools are read once for each value. */
function besideReader(work: WorkCounter): (overhead: Overhead) => Beside {
  let known: { readonly overhead: Overhead; readonly counts: ClassCounts; readonly toolCounts: ClassCounts } | null = null;
  const read = (texts: readonly string[]): ClassCounts => {
    const counts = [...NO_COUNTS];
    for (const text of texts) {
      work.scanned(text.length);
      countClasses(text, counts);
    }
    return counts;
  };
  return (overhead) => {
    const { system, tools, dynamicContext, hiddenTokens } = overhead;
    if (known === null || known.overhead.system !== system || known.overhead.tools !== tools) {
      const toolTexts = tools.flatMap((tool) => [tool.name, tool.description, tool.parametersJson]);
      known = { overhead, counts: read([system]), toolCounts: read(toolTexts) };
    }
    const { counts, toolCounts } = known;
    const all = dynamicContext === null ? counts : addCounts(counts, read([dynamicContext]));
    return { counts: all, toolCounts, hiddenTokens };
  };
}

/** Tokens of a message: as it was measured under the model that the next request goes to, else by weight. */
function sizeLookup(contentOf: ContentOf): (message: Message, account: Account, model: Model) => number {
  const sizesOf = sizeIndex();
  return (message, account, model) => {
    const content = contentOf(message);
    const modelId = account.nextModelId ?? account.reportedModelId;
    const isReported = modelId === account.reportedModelId;
    if (isReported && isReply(account, message, content)) return arrivalOf(account, model).returnedTokens;
    const size = sizesOf(account.measured).get(message.id);
    if (size !== undefined && isSameContent(size.content, content) && size.modelId === modelId) return size.tokens;
    return loadTokens(withContent(NO_LOAD, content, fixedTokensOf(content, model.prior.image)), model);
  };
}

/** True for the reply of the newest report, unedited; a log that is read again has another value of it. */
function isReply({ reply }: Account, message: Message, content: MessageContent): boolean {
  if (reply === null || reply.content === null || reply.messageId !== message.id) return false;
  return isSameContent(reply.content, content);
}

/** Sizes by message id. A sequence that goes on from the one before costs what is new in it; any other is read anew. */
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
