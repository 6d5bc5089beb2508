import {
  createDigest,
  createModelSummarizer,
  isPlimsollError,
  type ModelClient,
  type ModelRequest,
  PlimsollError,
  type Summarizer,
  type Summary,
  type SummaryRequest,
} from "@plimsoll/core";
import type { AnsweredRequest } from "../replay/replayed-call.ts";
import type { SummaryPlace, SummarySource } from "../replay/summary-source.ts";
import { type Cassette, cassetteKey, type RecordedAnswer } from "./cassette.ts";
import { askAndKeep, recordingClient } from "./recording-client.ts";
import type { ModelChoice } from "./summarizer-choice.ts";

/** The way to a model that writes summaries. */
export interface ModelSourceOptions {
  readonly choice: ModelChoice;
  readonly cassette: Cassette;
  /** Opens the provider; called when the first request has to be sent. */
  readonly openClient: () => Promise<ModelClient>;
  /** Told of every request, with the answer, if there is one: `null` for one that was only counted. */
  readonly onRequest: (request: ModelRequest, answer: RecordedAnswer | null, wasThere: boolean) => void;
}

/**
 * A model writes the summaries. What fails by the model's doing (an empty, cut-off or malformed answer, a request that does not fit its
 * window) fails in the engine as it would in earnest, and is charged. What fails otherwise ends the replay with its reason.
 */
export function createModelSource({ choice, cassette, openClient, onRequest }: ModelSourceOptions): SummarySource {
  const { host, modelId, missing } = choice;
  let client: ModelClient | null = null;
  const ask = async (request: ModelRequest, signal: AbortSignal): Promise<RecordedAnswer> => {
    if (missing === "fail") throw notRecorded(cassette.fileOf(cassetteKey(host, request)));
    client ??= await openClient();
    return await askAndKeep(client, { cassette, keyOf: (asked) => cassetteKey(host, asked) })(request, signal);
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
        if (!isOfTheModel(error)) place.stop(error);
        throw error;
      }
    };
  };
}

/** A model's answer that cannot be used, and a request that its provider would refuse each time. */
function isOfTheModel(error: unknown): boolean {
  return (["summary-failed", "context-overflow", "unsendable"] as const).some((code) => isPlimsollError(error, code));
}

/** Sends nothing: what the cassette lacks is counted, and a digest stands in for it. */
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

/** An answer that has what is asked for, so that every request of a summary is counted. */
function standIn({ sections }: SummaryRequest): RecordedAnswer {
  const text = sections.length === 0 ? "…" : sections.map((title) => `## ${title}\n- …`).join("\n");
  const usage = { inputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, outputTokens: null };
  return { outcome: "reply", text, stopReason: "end", callsTool: false, usage };
}

function notRecorded(file: string): PlimsollError {
  return new PlimsollError(
    "bad-input",
    `the cassette has no answer for a request of this run (${file}); without --cassette-only it is asked for`,
    { file },
  );
}
