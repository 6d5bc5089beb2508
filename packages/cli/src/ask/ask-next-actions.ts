import { type BenchParts, createSerialPool, importFile, type WindowRequest } from "@plimsoll/bench";
import {
  type AskPlan,
  type AskPrice,
  type AskReport,
  type AskSize,
  type AskSpending,
  askModel,
  askPrice,
  askReport,
  CONTEXT_NAMES,
  countedSession,
  detectableRatio,
  formatCount,
  formatNumberOf,
  formatTokens,
  formatUsd,
  lineagesIn,
  openCassette,
  openSource,
  planAsk,
  prepareSession,
  type SummarizerChoice,
  USUAL_CHANGED_RATIO,
  windowLabel,
} from "@plimsoll/bench/extend";
import { PlimsollError } from "@plimsoll/core";
import type { EnginePolicy, ModelPrices } from "@plimsoll/core/extend";
import { baseUrlVariable, clientFor, MODEL_CATALOG, type ModelCatalog } from "@plimsoll/providers";
import type { FoundInputs } from "../input/find-inputs.ts";
import { type CliIo, EXIT_OK } from "../io.ts";
import { refusal } from "../option/check-options.ts";
import { printable, tell } from "../terminal/printable.ts";
import { createProgressBar } from "../terminal/progress-bar.ts";
import type { AskChoice } from "./ask-option.ts";

/** A run of the bench, as far as its calls are asked about. */
export interface AskRequest {
  readonly choice: AskChoice;
  readonly found: FoundInputs;
  readonly parts: BenchParts;
  readonly policies: readonly EnginePolicy[];
  readonly window: WindowRequest;
  readonly prices: ReadonlyMap<string, ModelPrices>;
  readonly summarizer: SummarizerChoice;
  /** Say price and sample, and send nothing. */
  readonly dryRun: boolean;
  readonly environment: { readonly [name: string]: string | undefined };
}

/** The outcome of asking: figures, or the exit code of a run that ends here. */
export type AskedActions = { readonly report: AskReport } | { readonly exitCode: number };

/**
 * Says what asking is likely to cost, asks the person, then the model. Nothing is sent before the person agreed.
 *
 * @throws PlimsollError `bad-input` if the model cannot be asked (no key), or a limit in dollars cannot be kept.
 */
export async function askNextActions(request: AskRequest, io: CliIo): Promise<AskedActions> {
  const { choice, prices, dryRun, environment } = request;
  const catalog: ModelCatalog = {
    ...MODEL_CATALOG,
    pricesOf: (modelId) => prices.get(modelId) ?? MODEL_CATALOG.pricesOf(modelId),
  };
  const plan = await planOf(request, catalog, io);
  const cassette = openCassette(choice.cassetteFolder);
  const price = await askPrice(plan, { cassette, catalog });
  const priceText = askPriceText(plan, price, { choice, address: addressOf(choice, environment) });
  if (dryRun) {
    io.stdout.write(`${[priceText, sampleText(plan)].filter((text) => text !== "").join("\n")}\nNothing was sent.\n`);
    return { exitCode: EXIT_OK };
  }
  if (price.total.requests > 0) {
    checkSending(request, { usd: price.total.usd, requests: price.total.requests });
    io.stderr.write(`plimsoll: ${priceText}\n`);
    const exitCode = await refusal({ question: "Send it?", what: "sent", to: "to the price" }, choice.isAgreed, io);
    if (exitCode !== null) return { exitCode };
  }
  const bar = createProgressBar(io.stderr, { what: "asking", noun: "request" });
  const name = `${choice.model.host}:${choice.model.modelId}`;
  const { outcomes, spending } = await askModel(
    plan.calls.flatMap(({ requests }) => Object.values(requests)),
    {
      model: choice.model,
      cassette,
      openClient: () => Promise.resolve(clientFor(choice.model.host, { environment })),
      catalog,
      mostUsd: choice.mostUsd,
      signal: new AbortController().signal,
      onProgress: ({ done, total }) =>
        bar.show({ file: name, filesDone: done, filesTotal: total, workDone: done, workTotal: total }),
    },
  ).finally(bar.stop);
  tell(io, askBill(plan, spending));
  return { report: askReport(plan, outcomes) };
}

async function planOf(request: AskRequest, catalog: ModelCatalog, io: CliIo): Promise<AskPlan> {
  const { choice, found, parts, policies, window, summarizer, environment } = request;
  const lineages = await lineagesIn(found.files, createSerialPool({ parts }));
  const bar = createProgressBar(io.stderr, { what: "looking for calls" });
  return await planAsk({
    sources: found.files.map(({ path, displayName }) => ({
      file: displayName,
      load: async () =>
        (await importFile(path, displayName, parts.importers))
          .map(prepareSession)
          .flatMap((session) => countedSession(session, lineages.in(displayName)) ?? []),
    })),
    policies,
    window,
    model: choice.model,
    callsAPolicy: choice.callsAPolicy,
    catalog,
    kinds: parts.kinds,
    summaries: openSource(summarizer, { catalog, environment }).source,
    onProgress: ({ file, done, total }) =>
      bar.show({ file, filesDone: done, filesTotal: total, workDone: done, workTotal: total }),
  }).finally(bar.stop);
}

/** Says what stands in the way before the person is asked: a missing answer, a price that is not known, a missing key. */
function checkSending(
  { choice, environment }: AskRequest,
  { usd, requests }: { readonly usd: number | null; readonly requests: number },
): void {
  const bad = (why: string) => new PlimsollError("bad-input", why);
  if (choice.cassetteOnly) {
    throw bad(
      `the cassette lacks ${requests} of the answers (${choice.cassetteFolder}); without --cassette-only they are asked for`,
    );
  }
  if (choice.mostUsd !== null && usd === null)
    throw bad(`--max-dollars: the price of ${choice.model.modelId} is not known; give --prices`);
  clientFor(choice.model.host, { environment });
}

/** The address that the environment names for the host, without what may be secret in it; `null` for the host's own. */
function addressOf({ model }: AskChoice, environment: AskRequest["environment"]): string | null {
  const address = environment[baseUrlVariable(model.host)];
  if (address === undefined || address === "") return null;
  return URL.canParse(address) ? new URL(address).origin : "another address";
}

/** Says how much asking is likely to cost and where the text goes, before anything is sent. `address` is the provider's, if it is not its own. */
function askPriceText(plan: AskPlan, price: AskPrice, { choice, address }: AskPlace): string {
  const { host, modelId } = plan.model;
  const width = Math.max(...Object.values(CONTEXT_NAMES).map((name) => name.length));
  const there = price.fromCassette === 0 ? "" : `; ${formatNumberOf(price.fromCassette, "answer")} in the cassette already`;
  const limit = choice.mostUsd === null ? "" : ` This run stops before $${formatUsd(choice.mostUsd)}.`;
  return [
    `next actions by ${host}:${modelId}, at recorded calls after cuts, ${windowLabel(plan.window)}:`,
    ...plan.policies.map(({ policy, openCalls }) => {
      const drawn = plan.calls.filter((call) => call.policy === policy).length;
      return `  ${policy}: ${formatCount(drawn)} of ${formatNumberOf(openCalls, "call")}${showsText(drawn)}`;
    }),
    ...price.contexts.map(({ context, ...size }) => `  ${CONTEXT_NAMES[context].padEnd(width)}  ${sizeText(size)}`),
    `  ${"together".padEnd(width)}  ${sizeText(price.total)}${there}`,
    `The text of these sessions goes to ${host}${address === null ? "" : ` (${address})`} and to nobody else.${limit}`,
  ]
    .map(printable)
    .join("\n");
}

function showsText(calls: number): string {
  const ratio = detectableRatio(calls, USUAL_CHANGED_RATIO);
  if (ratio === null) return "";
  return ratio >= 1
    ? "; too few to show any difference"
    : `; differences show from about ${Math.ceil(100 * ratio)} points on (if ${100 * USUAL_CHANGED_RATIO} % of answers change when asked again)`;
}

interface AskPlace {
  readonly choice: AskChoice;
  readonly address: string | null;
}

function sizeText({ requests, promptTokens, replyTokens, usd }: AskSize): string {
  if (requests === 0) return "nothing to send";
  const dollars = usd === null ? "at a price that is not known (--prices)" : `about $${formatUsd(usd)}`;
  return `${formatNumberOf(requests, "request")}, ${formatTokens(promptTokens)} prompt and ${formatTokens(replyTokens)} reply tokens, ${dollars}`;
}

/** The drawn calls by policy and session; calls count from 1. */
function sampleText({ calls }: Pick<AskPlan, "calls">): string {
  const lines = new Map<string, number[]>();
  for (const { policy, session, call } of calls) {
    const name = `  ${policy}, ${session}:`;
    const known = lines.get(name) ?? [];
    lines.set(name, known);
    known.push(call + 1);
  }
  return [...lines].map(([name, numbers]) => printable(`${name} calls ${numbers.join(", ")}`)).join("\n");
}

function askBill({ model }: Pick<AskPlan, "model">, spending: AskSpending): string {
  const { sent, failed, fromCassette, promptTokens, replyTokens, usd, stopped, lastFailure } = spending;
  const size = sizeText({ requests: sent, promptTokens, replyTokens, usd });
  const failures =
    failed === 0 ? "" : `; ${formatNumberOf(failed, "request")} failed (${lastFailure ?? "for no reason given"})`;
  const why = { "most-dollars": "--max-dollars", failures: "failures one after the other" } as const;
  const end = stopped === null ? "" : `; stopped by ${why[stopped]}: the same command goes on`;
  const there = `; ${formatNumberOf(fromCassette, "answer")} from the cassette`;
  return printable(
    `next actions by ${model.host}:${model.modelId}: ${sent === 0 ? size : `sent ${size}`}${there}${failures}${end}`,
  );
}
