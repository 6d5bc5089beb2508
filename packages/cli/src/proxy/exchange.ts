import type { IncomingMessage, ServerResponse } from "node:http";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Policy } from "@plimsoll/core";
import { recoveriesOf } from "@plimsoll/core/extend";
import type { AnswerReader, EventOrigin, PreparedRequest, ProxyCompaction, UpstreamFailure } from "@plimsoll/providers/proxy";
import { createAnswerReader, parseRecord, wireAt } from "@plimsoll/providers/proxy";
import { MAXIMUM_BODY_BYTES, unpacked, unpacker } from "./content-coding.ts";
import { type HeaderPairs, headerRecord, passedHeaders, TOKEN_HEADER, withBetas, without } from "./headers.ts";
import { heldStart } from "./held-start.ts";
import type { Answer } from "./proxy-server.ts";
import type { Upstream } from "./upstream.ts";

/** The options of passing requests on. */
export interface ExchangeOptions {
  readonly upstream: Upstream;
  readonly compaction: ProxyCompaction;
  readonly policy: Policy;
  /** Told what went wrong, in one line without content, and in which conversation if that is known. */
  readonly onProblem: (line: string, of?: EventOrigin) => void;
  /** Runs what may ask a model for a summary, with the request whose credentials it may use. */
  readonly withRequest: <T>(sent: SentRequest, work: () => Promise<T>) => Promise<T>;
}

/** A request as its summaries are asked for: at the same place, under the same headers. */
export interface SentRequest {
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly bodyText: string;
}

/** Passes every request on, and fits those that send a history. */
export function createExchange(options: ExchangeOptions): Answer {
  return async (request, response, target) => {
    const gone = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    const headers = without(passedHeaders(request), ["host", TOKEN_HEADER]);
    const passing = { request, response, target, headers, signal: gone.signal };
    const path = target.split("?")[0] ?? target;
    if (request.method === "POST" && wireAt(path) !== null) await exchange(passing, path, options);
    else await pass(passing, options);
  };
}

interface Passing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly signal: AbortSignal;
}

/** A request that is none of ours: both bodies stream through. */
async function pass({ request, response, target, headers, signal }: Passing, { upstream }: ExchangeOptions): Promise<void> {
  const { method = "GET" } = request;
  const answer = await upstream.send({ method, target, headers, body: request, signal });
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headerRecord(passedHeaders(answer)));
  await pipeline(answer, response);
}

async function exchange(passing: Passing, path: string, options: ExchangeOptions): Promise<void> {
  const { request, response, target, headers, signal } = passing;
  const body = await bodyOf(request);
  if (body === null) {
    const message = `plimsoll proxy: the request is larger than ${MAXIMUM_BODY_BYTES} bytes, which is more than it reads to cut: take media out of the history`;
    options.onProblem(message);
    response.writeHead(413, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify({ type: "error", error: { type: "request_too_large", message } }));
    return;
  }
  const bodyText = unpacked(body, request.headers["content-encoding"]);
  const sent: SentRequest | null = bodyText === null ? null : { target, headers, bodyText };
  let prepared = sent === null ? null : await preparedBy(sent, { passing, path, options });
  if (prepared?.spoken) {
    const { contentType, bodyText } = prepared.spoken;
    response.writeHead(200, { "content-type": contentType }).end(bodyText);
    return;
  }
  const send = () => options.upstream.send({ method: "POST", target, signal, ...whatToSend(prepared, body, headers) });
  for (let recovery = 0; ; recovery++) {
    const answer = await send();
    const { failure, deliver } = await begun(answer, { prepared, response, options });
    const mayRecover = recovery < recoveriesOf(options.policy);
    const next =
      mayRecover && failure !== null && prepared !== null && sent !== null
        ? await recoveredBy({ prepared, failure, sent, options, recovery })
        : null;
    const { statusCode: status = 0 } = answer;
    if (next === null && status >= 400)
      options.onProblem(`the upstream refused it with ${status}, as the agent is told`, originOf(prepared));
    if (next === null) return await deliver();
    options.onProblem(`refused with ${failure?.status ?? status}, sent again`, originOf(prepared));
    answer.destroy();
    prepared = next;
  }
}

function originOf(prepared: PreparedRequest | null): EventOrigin | undefined {
  if (prepared === null || prepared.sessionId === null) return undefined;
  return { sessionId: prepared.sessionId, modelId: prepared.modelId };
}

/** An answer that has begun: what failed, as far as it is known, and how it goes on to the program. */
interface Begun {
  readonly failure: UpstreamFailure | null;
  readonly deliver: () => Promise<void>;
}

async function begun(answer: IncomingMessage, streaming: Omit<Streaming, "answer" | "body">): Promise<Begun> {
  const { prepared, response } = streaming;
  const { statusCode: status = 0, headers } = answer;
  const coding = headers["content-encoding"];
  const whole = { failure: null, deliver: () => streamed({ ...streaming, answer, body: answer }) };
  if (prepared === null) return whole;
  if (status >= 400) {
    const refused = await bodyOf(answer, MAXIMUM_ERROR_BYTES);
    const bodyText = refused === null ? null : unpacked(refused, coding);
    return { failure: bodyText === null ? null : { status, bodyText }, deliver: () => answered(response, answer, refused) };
  }
  if (/json/.test(headers["content-type"] ?? "")) return await begunWhole(answer, { ...streaming, prepared });
  if (!isEvents(answer) || coding !== undefined) return whole;
  const { failureText, wholeText, body } = await heldStart(answer);
  const cutOff = wholeText === null ? null : await prepared.cutOffStream(wholeText);
  const failure = failureText === null ? cutOff : { status: 400, bodyText: failureText };
  return { failure, deliver: () => streamed({ ...streaming, answer, body }) };
}

/** A whole answer is read before it goes on: one that the window ended is asked for again with less. */
async function begunWhole(
  answer: IncomingMessage,
  streaming: Omit<Streaming, "answer" | "body" | "prepared"> & { readonly prepared: PreparedRequest },
): Promise<Begun> {
  const bytes = await bodyOf(answer);
  if (bytes === null) throw new Error("an answer that is too large to read");
  const text = unpacked(bytes, answer.headers["content-encoding"]);
  const read = text === null ? null : parseRecord(text);
  const body = (async function* () {
    yield bytes;
  })();
  return {
    failure: read === null ? null : streaming.prepared.cutOff(read),
    deliver: () => streamed({ ...streaming, answer, body }),
  };
}

function isEvents({ headers }: IncomingMessage): boolean {
  return /event-stream/.test(headers["content-type"] ?? "");
}

/** Largest refusal that is read; a larger one is no refusal. Chosen. */
const MAXIMUM_ERROR_BYTES = 4 * 1024 * 1024;

/** The whole body; `null` for one that is larger. */
export async function bodyOf(message: IncomingMessage, maximumBytes: number = MAXIMUM_BODY_BYTES): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  // The rest of what is too large is let through unread, so that its sender hears the answer.
  for await (const piece of message) {
    if (!Buffer.isBuffer(piece)) continue;
    bytes += piece.length;
    if (bytes > maximumBytes) pieces.length = 0;
    else pieces.push(piece);
  }
  return bytes > maximumBytes ? null : Buffer.concat(pieces);
}

interface Preparing {
  readonly passing: Passing;
  readonly path: string;
  readonly options: ExchangeOptions;
}

/** A request that cannot be fitted goes on as it came: without the proxy it would have done so, too. */
async function preparedBy(sent: SentRequest, { passing, path, options }: Preparing): Promise<PreparedRequest | null> {
  const { request, signal } = passing;
  const asked = { path, headers: request.headers, bodyText: sent.bodyText, signal };
  try {
    return await options.withRequest(sent, () => options.compaction.prepare(asked));
  } catch (error) {
    signal.throwIfAborted();
    options.onProblem(`passed on as it came: ${lineOf(error)}`);
    return null;
  }
}

function whatToSend(prepared: PreparedRequest | null, body: Buffer, headers: HeaderPairs) {
  if (prepared === null || prepared.bodyText === null) return { body, headers };
  const made = Buffer.from(prepared.bodyText, "utf8");
  const others = without(headers, ["content-length", "content-encoding"]);
  const length = ["content-length", String(made.length)] as const;
  return { body: made, headers: [...withBetas(others, prepared.betas), length] };
}

interface Refused {
  readonly prepared: PreparedRequest;
  readonly failure: UpstreamFailure;
  readonly sent: SentRequest;
  readonly options: ExchangeOptions;
  readonly recovery: number;
}

async function recoveredBy({ prepared, failure, sent, options, recovery }: Refused): Promise<PreparedRequest | null> {
  try {
    return await options.withRequest(sent, () => prepared.recover(failure, recovery));
  } catch (error) {
    options.onProblem(`no recovery: ${lineOf(error)}`, originOf(prepared));
    return null;
  }
}

async function answered(response: ServerResponse, answer: IncomingMessage, body: Buffer | null): Promise<void> {
  if (body === null) {
    answer.destroy();
    throw new Error("a refusal that is too large to read");
  }
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headerRecord(passedHeaders(answer)));
  await new Promise<void>((resolve) => response.end(body, resolve));
}

interface Streaming {
  readonly answer: IncomingMessage;
  /** The answer's body, whose beginning may have been looked at. */
  readonly body: IncomingMessage | AsyncIterable<Buffer>;
  readonly response: ServerResponse;
  readonly prepared: PreparedRequest | null;
  readonly options: ExchangeOptions;
}

/** Passes the answer on piece by piece, reads along, and holds its end back until what it measured is noted: the next request is fitted by it. */
async function streamed({ answer, body, response, prepared, options }: Streaming): Promise<void> {
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headerRecord(passedHeaders(answer)));
  response.flushHeaders();
  if (prepared === null) return await pipeline(body, response);
  const reader = createAnswerReader(prepared.wire, isEvents(answer) ? "events" : "whole");
  const done = () => noted(prepared, reader, options);
  await pipeline(body, readAlong(answer.headers["content-encoding"], reader, done), response);
}

async function noted(prepared: PreparedRequest, reader: AnswerReader, { onProblem }: ExchangeOptions): Promise<void> {
  const { answer, failure } = reader.end();
  try {
    if (answer !== null) await prepared.observe(answer);
    // The stream has begun, so that the program sees the failure; what it teaches is there for the next request.
    if (failure !== null) await prepared.recover({ status: 400, bodyText: JSON.stringify({ error: failure }) }, 0);
  } catch (error) {
    onProblem(`the answer's usage is not noted: ${lineOf(error)}`, originOf(prepared));
  }
}

/** The same bytes, with a reader of their text at the side; `done` is awaited before the end. */
function readAlong(coding: string | undefined, reader: AnswerReader, done: () => Promise<void>): Transform {
  const side = unpacker(coding);
  const decoder = new TextDecoder();
  const take = (piece: Uint8Array) => reader.take(decoder.decode(piece, { stream: true }));
  const packed = side === null || side === "unknown" ? null : side;
  packed?.on("data", take);
  const over =
    packed === null
      ? Promise.resolve()
      : new Promise<void>((resolve) => packed.once("end", resolve).on("error", () => resolve()));
  return new Transform({
    transform: (piece: Buffer, _, next) => {
      if (side === null) take(piece);
      else packed?.write(piece);
      next(null, piece);
    },
    flush: (next) => {
      packed?.end();
      over.then(done).then(
        () => next(),
        () => next(),
      );
    },
  });
}

function lineOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
