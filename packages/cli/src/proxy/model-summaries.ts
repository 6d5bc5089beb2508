import { AsyncLocalStorage } from "node:async_hooks";
import { createModelSummarizer, type ModelReply, type ModelRequest, PlimsollError, type Summarizer } from "@plimsoll/core";
import { parseRecord, summaryQuestion, wireAt } from "@plimsoll/providers/proxy";
import { MAXIMUM_BODY_BYTES, unpacked } from "./content-coding.ts";
import type { ExchangeOptions, SentRequest } from "./exchange.ts";
import { without } from "./headers.ts";
import type { Upstream } from "./upstream.ts";

/** Summaries that a model writes: the same upstream is asked, with the credentials of the request that is being fitted. */
export interface ModelSummaries {
  readonly summarizer: Summarizer;
  readonly withRequest: ExchangeOptions["withRequest"];
}

/** Headers that are about the body that was sent. */
const BODY_HEADERS = ["content-length", "content-encoding", "accept-encoding", "accept"];

/** A conversation outlives its requests, and their credentials may not: they are there for as long as the request is being fitted, and nowhere else. */
export function createModelSummaries(upstream: Upstream): ModelSummaries {
  const fitting = new AsyncLocalStorage<SentRequest>();
  const complete = async (request: ModelRequest, signal: AbortSignal): Promise<ModelReply> => {
    const sent = fitting.getStore();
    const question = sent === undefined ? null : summaryQuestion(sent.target, sent.bodyText, request);
    if (sent === undefined || question === null) throw new PlimsollError("summary-failed", "no request is being fitted");
    const body = Buffer.from(question.bodyText, "utf8");
    const headers = [...without(sent.headers, BODY_HEADERS), ["content-length", String(body.length)] as const];
    const answer = await upstream.send({ method: "POST", target: question.target, headers, body, signal });
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of answer) {
      if (Buffer.isBuffer(piece)) pieces.push(piece);
      bytes += piece.length;
      if (bytes > MAXIMUM_BODY_BYTES) throw new PlimsollError("summary-failed", "the summary's answer is too large");
    }
    const text = unpacked(Buffer.concat(pieces), answer.headers["content-encoding"]);
    if (answer.statusCode !== 200 || text === null)
      throw new PlimsollError("summary-failed", `the upstream answered ${answer.statusCode ?? 0} to the request for a summary`);
    return question.replyIn(text);
  };
  const client = {
    complete,
    stream: () => {
      throw new Error("summaries are asked for whole");
    },
  };
  return {
    withRequest: (sent, work) => fitting.run(sent, work),
    summarizer: (request, signal) => {
      const sent = fitting.getStore();
      const path = sent?.target.split("?")[0] ?? "";
      const modelId = wireAt(path)?.factsOf(parseRecord(sent?.bodyText ?? "") ?? {}, path).modelId ?? "";
      // The history is asked about as text: tools and prefix of the conversation are the program's.
      const { conversation: _, ...fenced } = request;
      return createModelSummarizer(client, { modelId })(fenced, signal);
    },
  };
}
