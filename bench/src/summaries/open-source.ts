import type { ModelClient, ModelRequest, Summarizer, Summary, SummaryRequest } from "@plimsoll/core";
import { createDigest, createModelSummarizer, isPlimsollError } from "@plimsoll/core";
import type { AnsweredRequest } from "../drive/replayed-call.ts";
import { digestSource, type SummaryPlace, type SummarySource } from "../drive/summary-source.ts";
import { SUMMARY_REPLY_TOKENS } from "../economics/summary-charge.ts";
import { type Cassette, NO_USAGE, openCassette, type RecordedAnswer, type RecordedUsage } from "./cassette.ts";
import { createRecordedSource } from "./recorded-source.ts";
import { askAndKeep, recordingClient } from "./recording-client.ts";
import { estimatedPromptTokens, type PriceSource, requestUsd } from "./request-price.ts";

/** The options that a source is opened with. */
export interface SourceOptions {
  readonly catalog: PriceSource;
  /** Where keys and addresses are looked up; the process's environment if it is left out. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The recorded summaries of sessions that more than one run asks for; read anew if they are left out. */
  readonly recorded?: SummarySource;
  /** Opens the client in place of the provider's own, for tests. */
  readonly openClient?: () => Promise<ModelClient>;
}

/** A source of summaries, and the cost of its requests since the last time. */
export interface OpenSource {
  readonly source: SummarySource;
  takeTally(): SummaryTally;
}

/** Opens the chosen source of summaries. It reads and sends nothing before the first summary is asked for. */
export function openSource(choice: SummarizerChoice, options: SourceOptions): OpenSource {
  if (choice.kind !== "model") {
    const source = choice.kind === "digest" ? digestSource : (options.recorded ?? createRecordedSource());
    return { source, takeTally: () => NO_SUMMARIES_ASKED };
  }
  let tally = NO_SUMMARIES_ASKED;
  const { catalog, environment } = options;
  const source = createModelSource({
    choice,
    cassette: openCassette(choice.cassetteFolder),
    // The SDKs are loaded only if a request has to be sent.
    openClient:
      options.openClient ??
      (async () =>
        (await import("@plimsoll/providers")).clientFor(choice.host, environment === undefined ? {} : { environment })),
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

/** Counts a run's requests for summaries by a model; tokens and dollars are those of the requests in `asked`. */
export interface SummaryTally {
  readonly fromCassette: number;
  /** Requests that were not: sent and paid, or only counted if the run estimates. */
  readonly asked: number;
  readonly promptTokens: number;
  readonly replyTokens: number;
  readonly usd: number | null;
}

/** The tally of a run that asked no model for a summary: all counts are 0. */
export const NO_SUMMARIES_ASKED: SummaryTally = { fromCassette: 0, asked: 0, promptTokens: 0, replyTokens: 0, usd: 0 };

/** Adds two tallies up; the dollars are `null` if either's are. */
export function addedTallies(one: SummaryTally, other: SummaryTally): SummaryTally {
  return {
    fromCassette: one.fromCassette + other.fromCassette,
    asked: one.asked + other.asked,
    promptTokens: one.promptTokens + other.promptTokens,
    replyTokens: one.replyTokens + other.replyTokens,
    usd: one.usd === null || other.usd === null ? null : one.usd + other.usd,
  };
}

interface ModelSourceOptions {
  readonly choice: ModelChoice;
  readonly cassette: Cassette;
  /** Opens the provider; called when the first request has to be sent. */
  readonly openClient: () => Promise<ModelClient>;
  /** Called for every request, with the answer, if there is one: `null` for one that was only counted. */
  readonly onRequest: (request: ModelRequest, answer: RecordedAnswer | null, wasThere: boolean) => void;
}

/**
 * A model writes the summaries. Failures by the model's doing (an empty, cut-off or malformed answer, a request that does not fit its window) fail in
 * the engine as they would in earnest, and are charged. Other failures end the replay with their reason.
 */
function createModelSource({ choice, cassette, openClient, onRequest }: ModelSourceOptions): SummarySource {
  const { host, modelId, missing } = choice;
  let client: ModelClient | null = null;
  const ask = async (request: ModelRequest, signal: AbortSignal): Promise<RecordedAnswer> => {
    client ??= await openClient();
    return await askAndKeep(client, { host, cassette })(request, signal);
  };
  return (place) => {
    if (missing === "estimate") return estimating({ choice, cassette, onRequest }, place);
    return async (request, signal) => {
      const answered: AnsweredRequest[] = [];
      const onAnswer = (asked: ModelRequest, answer: RecordedAnswer, wasThere: boolean) => {
        onRequest(asked, answer, wasThere);
        answered.push({ modelId: asked.modelId, usage: answer.usage });
      };
      const summarize = createModelSummarizer(recordingClient({ host, cassette, ask, onAnswer }), { modelId });
      try {
        const summary = await summarize(request, signal);
        place.note({ request, writtenBy: "model", answered });
        return summary;
      } catch (error) {
        place.note({ request, writtenBy: "nobody", answered });
        if (!OF_MODEL.some((code) => isPlimsollError(error, code))) place.stop(error);
        throw error;
      }
    };
  };
}

/** A model's answer that cannot be used, and a request that its provider would refuse each time. */
const OF_MODEL = ["summary-failed", "context-overflow", "unsendable"] as const;

/** Sends nothing: requests missing from the cassette are counted, and a digest replaces their answer. */
function estimating({ choice, cassette, onRequest }: Omit<ModelSourceOptions, "openClient">, place: SummaryPlace): Summarizer {
  const { host, modelId } = choice;
  const digest = createDigest();
  return async (request, signal) => {
    let isMissing = false;
    const client = recordingClient({
      host,
      cassette,
      ask: () => {
        isMissing = true;
        return Promise.resolve(standIn(request));
      },
      onAnswer: (asked, answer, wasThere) => onRequest(asked, wasThere ? answer : null, wasThere),
    });
    const write = createModelSummarizer(client, { modelId })(request, signal);
    const summary: Summary | null = await write.catch((error: unknown) => {
      if (!isMissing) throw error;
      return null;
    });
    place.note({ request, writtenBy: isMissing ? "digest" : "model", answered: null });
    return summary === null || isMissing ? await digest(request, signal) : summary;
  };
}

/** An answer with all requested sections, so that every request of a summary is counted. */
function standIn({ sections }: SummaryRequest): RecordedAnswer {
  const text = sections.length === 0 ? "…" : sections.map((title) => `## ${title}\n- …`).join("\n");
  return { outcome: "reply", text, stopReason: "end", callsTool: false, usage: NO_USAGE };
}

/** The writer of a run's summaries: a digest in place of all, the recording where that is comparable, or a model. Plain data, so that a worker can be given it. */
export type SummarizerChoice = { readonly kind: "digest" } | { readonly kind: "recorded" } | ModelChoice;

/** A model that writes them, with the folder in which its answers are kept. */
export interface ModelChoice {
  readonly kind: "model";
  /** The host's name, as in `clientFor`. */
  readonly host: string;
  readonly modelId: string;
  readonly cassetteFolder: string;
  /** The treatment of a request without a recorded answer: ask, or count it and go on with a digest. */
  readonly missing: "ask" | "estimate";
}

/** The default choice: recorded summaries at comparable places, else the digest as a stand-in (docs/evidence.md). */
export const DEFAULT_SUMMARIZER: SummarizerChoice = { kind: "recorded" };

/** The name of a summarizer in reports: its kind, or `host:id` of a model. It says nothing of the cassette: replaying one gives the report of the run that recorded it. */
export function summarizerName(choice: SummarizerChoice): string {
  return choice.kind === "model" ? `${choice.host}:${choice.modelId}` : choice.kind;
}
