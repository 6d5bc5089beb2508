import type { ModelClient, ModelRequest } from "@plimsoll/core";
import type { Environment } from "@plimsoll/providers";
import { SUMMARY_REPLY_TOKENS } from "../economics/summary-charge.ts";
import { digestSource, type SummarySource } from "../replay/summary-source.ts";
import { openCassette, type RecordedUsage } from "./cassette.ts";
import { createModelSource } from "./model-source.ts";
import { createRecordedSource } from "./recorded-source.ts";
import { estimatedPromptTokens, type PriceSource, requestUsd } from "./request-price.ts";
import type { SummarizerChoice } from "./summarizer-choice.ts";

/** The options that a source is opened with. */
export interface SourceOptions {
  readonly catalog: PriceSource;
  /** Where keys and addresses are looked up; the process's environment if it is left out. */
  readonly environment?: Environment;
  /** Opens the client in place of the provider's own, for tests. */
  readonly openClient?: () => Promise<ModelClient>;
}

/** A source of summaries, and what its requests took since it was asked before. */
export interface OpenSource {
  readonly source: SummarySource;
  takeTally(): SummaryTally;
}

/** Opens the source that was chosen. Nothing is read or sent before the first summary is asked for. */
export function openSource(choice: SummarizerChoice, options: SourceOptions): OpenSource {
  if (choice.kind !== "model") {
    const source = choice.kind === "digest" ? digestSource : createRecordedSource();
    return { source, takeTally: () => NO_SUMMARIES_ASKED };
  }
  let tally = NO_SUMMARIES_ASKED;
  const { catalog, environment } = options;
  const source = createModelSource({
    choice,
    cassette: openCassette(choice.cassetteFolder),
    openClient: options.openClient ?? (() => providersClient(choice.host, environment)),
    onRequest: (request, answer, wasThere) => {
      const usage = answer?.usage ?? estimatedUsage(request);
      tally = addedTallies(tally, wasThere ? { ...NO_SUMMARIES_ASKED, fromCassette: 1 } : askedTally(request, usage, catalog));
    },
  });
  return {
    source,
    takeTally: () => {
      const taken = tally;
      tally = NO_SUMMARIES_ASKED;
      return taken;
    },
  };
}

/** The SDKs are loaded only if a request has to be sent. */
async function providersClient(host: string, environment: Environment | undefined): Promise<ModelClient> {
  const { clientFor } = await import("@plimsoll/providers");
  return clientFor(host, environment === undefined ? {} : { environment });
}

function askedTally({ modelId }: ModelRequest, usage: RecordedUsage, catalog: SourceOptions["catalog"]): SummaryTally {
  const promptTokens = usage.inputTokens ?? 0;
  const replyTokens = usage.outputTokens ?? 0;
  return { fromCassette: 0, asked: 1, promptTokens, replyTokens, usd: requestUsd(modelId, usage, catalog) };
}

/** Estimates the usage of a request: its size as an estimator of that model sees it, and a reply of the fixed size. */
function estimatedUsage(request: ModelRequest): RecordedUsage {
  return {
    inputTokens: estimatedPromptTokens(request),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: Math.min(request.maxOutputTokens, SUMMARY_REPLY_TOKENS),
  };
}

/** Requests for summaries that went to a model, or would have to: what they take. */
export interface SummaryTally {
  /** Requests that were answered from the cassette. */
  readonly fromCassette: number;
  /** Requests that were not: sent and paid, or only counted if the run estimates. */
  readonly asked: number;
  readonly promptTokens: number;
  readonly replyTokens: number;
  /** `null` if the model has no price. */
  readonly usd: number | null;
}

/** Nothing was asked. */
export const NO_SUMMARIES_ASKED: SummaryTally = { fromCassette: 0, asked: 0, promptTokens: 0, replyTokens: 0, usd: 0 };

/** Both together. */
export function addedTallies(one: SummaryTally, other: SummaryTally): SummaryTally {
  return {
    fromCassette: one.fromCassette + other.fromCassette,
    asked: one.asked + other.asked,
    promptTokens: one.promptTokens + other.promptTokens,
    replyTokens: one.replyTokens + other.replyTokens,
    usd: one.usd === null || other.usd === null ? null : one.usd + other.usd,
  };
}
