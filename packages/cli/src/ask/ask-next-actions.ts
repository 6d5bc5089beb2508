import { type BenchParts, createSerialPool, importFile, type WindowRequest } from "@plimsoll/bench";
import {
  type AskPlan,
  type AskReport,
  askModel,
  askPrice,
  askReport,
  countedSession,
  lineagesIn,
  openCassette,
  openSource,
  planAsk,
  prepareSession,
  type SummarizerChoice,
} from "@plimsoll/bench/extend";
import { PlimsollError } from "@plimsoll/core";
import type { EnginePolicy, ModelPrices } from "@plimsoll/core/extend";
import { baseUrlVariable, clientFor, MODEL_CATALOG, type ModelCatalog } from "@plimsoll/providers";
import type { FoundInputs } from "../input/find-inputs.ts";
import { type CliIo, EXIT_OK, EXIT_USAGE } from "../io.ts";
import { createProgressBar } from "../terminal/progress-bar.ts";
import type { AskChoice } from "./ask-option.ts";
import { askBill, askPriceText, sampleText } from "./ask-text.ts";

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
    const refused = await refusal(choice, io);
    if (refused !== null) return refused;
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
  io.stderr.write(`plimsoll: ${askBill(plan, spending)}\n`);
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

/** `null` if the person agrees. */
async function refusal({ isAgreed }: AskChoice, io: CliIo): Promise<AskedActions | null> {
  if (isAgreed) return null;
  if (io.confirm === undefined) {
    io.stderr.write("plimsoll: nothing was sent: nobody is there to agree to the price; give --yes\n");
    return { exitCode: EXIT_USAGE };
  }
  if (await io.confirm("Send it? [y/N] ")) return null;
  io.stderr.write("plimsoll: nothing was sent\n");
  return { exitCode: EXIT_OK };
}

/** The address that the environment names for the host, without what may be secret in it; `null` for the host's own. */
function addressOf({ model }: AskChoice, environment: AskRequest["environment"]): string | null {
  const address = environment[baseUrlVariable(model.host)];
  if (address === undefined || address === "") return null;
  return URL.canParse(address) ? new URL(address).origin : "another address";
}
