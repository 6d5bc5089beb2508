import { isPlimsollError, type ModelClient } from "@plimsoll/core";
import { cacheUse } from "@plimsoll/core/extend";
import type { Cassette, RecordedAnswer, RecordedUsage } from "../summaries/cassette.ts";
import { askAndKeep } from "../summaries/recording-client.ts";
import { type PriceSource, requestUsd } from "../summaries/request-price.ts";
import type { MissingReason } from "./ask-report.ts";
import { type AskedModel, MOST_REPLY_TOKENS, type PlannedRequest } from "./ask-request.ts";

/** How a model is asked. */
export interface Asking {
  readonly model: AskedModel;
  readonly cassette: Cassette;
  /** Opens the provider; called when the first request has to be sent. It retries by itself. */
  readonly openClient: () => Promise<ModelClient>;
  readonly catalog: PriceSource;
  /** No request is sent with which this run could cost more; `null` for no limit. */
  readonly mostUsd: number | null;
  readonly signal: AbortSignal;
  /** Requests that are open at the same time; {@link AT_ONCE} if it is left out. */
  readonly atOnce?: number;
  readonly onProgress?: (progress: AskingProgress) => void;
}

/** How far the asking is. */
interface AskingProgress {
  readonly done: number;
  readonly total: number;
}

/** The outcome of a request: an answer of the model, or the reason why there is none. */
export type AskOutcome =
  | { readonly kind: "answered"; readonly answer: RecordedAnswer }
  | { readonly kind: "missing"; readonly why: MissingReason };

/** All outcomes by key, and what the run took. */
export interface Asked {
  readonly outcomes: ReadonlyMap<string, AskOutcome>;
  readonly spending: AskSpending;
}

/** Counts and cost of a run's requests for next actions: sent, failed, and answered by the cassette. */
export interface AskSpending {
  readonly sent: number;
  readonly failed: number;
  readonly fromCassette: number;
  readonly promptTokens: number;
  readonly replyTokens: number;
  /** US dollars; `null` if the model has no price. */
  readonly usd: number | null;
  /** Why it ended before everything was asked; `null` if it did not. */
  readonly stopped: "most-dollars" | "failures" | null;
  /** The provider's last failure in a line; `null` if there was none. */
  readonly lastFailure: string | null;
}

/** Requests at the same time (chosen: below what the lowest rate limits of vendors allow a minute). */
const AT_ONCE = 4;

/** After so many failures one after the other the provider is not asked again (chosen): a wrong key fails each time. */
const MOST_FAILURES = 5;

/**
 * Asks for what the cassette does not hold, each request once. An answer is kept as soon as it is there, so that a run that is broken off loses
 * nothing. A request that fails after the client's retries is missing, and the next one is asked.
 *
 * @throws PlimsollError `aborted` if the signal aborts, `bad-input` for a cassette or client that cannot be used.
 */
export async function askModel(requests: readonly PlannedRequest[], asking: Asking): Promise<Asked> {
  const outcomes = new Map<string, AskOutcome>();
  const waiting: PlannedRequest[] = [];
  const distinct = new Map(requests.map((request) => [request.key, request]));
  for (const [key, request] of distinct) {
    const answer = await asking.cassette.read(key);
    if (answer === null) waiting.push(request);
    else outcomes.set(key, outcomeOf(answer));
  }
  const fromCassette = outcomes.size;
  const run = createRun(asking);
  const next = waiting[Symbol.iterator]();
  const lane = async () => {
    for (const request of next) {
      outcomes.set(request.key, await run.ask(request));
      asking.onProgress?.({ done: outcomes.size, total: distinct.size });
    }
  };
  asking.onProgress?.({ done: outcomes.size, total: distinct.size });
  await Promise.all(Array.from({ length: asking.atOnce ?? AT_ONCE }, lane));
  return { outcomes, spending: { ...run.spending(), fromCassette } };
}

interface Run {
  ask(request: PlannedRequest): Promise<AskOutcome>;
  spending(): Omit<AskSpending, "fromCassette">;
}

const NOTHING_SPENT: Omit<AskSpending, "fromCassette"> = {
  sent: 0,
  failed: 0,
  promptTokens: 0,
  replyTokens: 0,
  usd: 0,
  stopped: null,
  lastFailure: null,
};

function createRun({ model, cassette, openClient, catalog, mostUsd, signal }: Asking): Run {
  let spent = NOTHING_SPENT;
  /** The most that open requests can cost. */
  let openUsd = 0;
  let failures = 0;
  let client: Promise<ModelClient> | null = null;
  const send = async ({ request, key }: PlannedRequest): Promise<RecordedAnswer> => {
    client ??= openClient();
    return await askAndKeep(await client, { cassette, keyOf: () => key })(request, signal);
  };
  const note = (more: Pick<AskSpending, "sent" | "failed">, usage: RecordedUsage, lastFailure = spent.lastFailure) => {
    const usd = requestUsd(model.modelId, usage, catalog);
    spent = {
      ...spent,
      sent: spent.sent + more.sent,
      failed: spent.failed + more.failed,
      promptTokens: spent.promptTokens + (usage.inputTokens ?? 0),
      replyTokens: spent.replyTokens + (usage.outputTokens ?? 0),
      usd: usd === null || spent.usd === null ? null : spent.usd + usd,
      lastFailure,
    };
  };
  return {
    spending: () => spent,
    ask: async (planned) => {
      signal.throwIfAborted();
      const mostOfThis = mostUsdOf(planned, model, catalog);
      const canPass = mostUsd !== null && (spent.usd ?? 0) + openUsd + mostOfThis > mostUsd;
      if (canPass || failures >= MOST_FAILURES)
        spent = { ...spent, stopped: spent.stopped ?? (canPass ? "most-dollars" : "failures") };
      if (spent.stopped !== null) return { kind: "missing", why: "not-asked" };
      openUsd += mostOfThis;
      try {
        const answer = await send(planned);
        failures = 0;
        note({ sent: 1, failed: 0 }, answer.usage);
        return outcomeOf(answer);
      } catch (error) {
        signal.throwIfAborted();
        // What is wrong with the cassette or the key is wrong with the run; anything else is missing, and counted.
        if (!isPlimsollError(error) || error.code === "bad-input") {
          spent = { ...spent, stopped: "failures" };
          throw error;
        }
        if (error.code === "provider-failed") failures += 1;
        note({ sent: 1, failed: 1 }, NO_USAGE, error.message);
        return { kind: "missing", why: "failed" };
      } finally {
        openUsd -= mostOfThis;
      }
    },
  };
}

const NO_USAGE: RecordedUsage = { inputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, outputTokens: null };

function outcomeOf(answer: RecordedAnswer): AskOutcome {
  const missing = (why: MissingReason): AskOutcome => ({ kind: "missing", why });
  if (answer.outcome !== "reply") return missing(answer.outcome);
  if (answer.stopReason === "length") return missing("cut-off");
  if (answer.stopReason === "refusal") return missing("refused");
  return { kind: "answered", answer };
}

/** A prompt may turn out larger than its estimate by so much (chosen: estimates of a model that has not reported yet are off by less). */
const MARGIN_RATIO = 1.25;

/** The most that a request can cost: a larger prompt than estimated, and the longest reply. 0 if the model has no price. */
function mostUsdOf(planned: PlannedRequest, model: AskedModel, catalog: PriceSource): number {
  return (
    likelyUsd(
      { ...planned, promptTokens: MARGIN_RATIO * planned.promptTokens, replyTokens: MOST_REPLY_TOKENS },
      model,
      catalog,
    ) ?? 0
  );
}

/**
 * Estimates the cost of a request: no part of its prompt is read from a cache, and the part that a cache keeps is written to it. `null` if the model
 * has no price.
 */
export function likelyUsd(
  { promptTokens, replyTokens }: Pick<PlannedRequest, "promptTokens" | "replyTokens">,
  { modelId }: AskedModel,
  catalog: PriceSource,
): number | null {
  const { writeTokens } = cacheUse({ promptTokens, previous: null, warmBaseTokens: 0 }, catalog.cacheRulesOf(modelId));
  const usage = { inputTokens: promptTokens, cacheReadTokens: 0, cacheWriteTokens: writeTokens, outputTokens: replyTokens };
  return requestUsd(modelId, usage, catalog);
}
