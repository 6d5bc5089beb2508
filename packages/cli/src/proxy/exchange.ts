import type { IncomingMessage, ServerResponse } from "node:http";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { messageOf } from "@plimsoll/bench/terminal";
import type { Policy } from "@plimsoll/core";
import { createLineSplitter, isRecord, jsonIn, recoveriesOf } from "@plimsoll/core/extend";
import type { EventOrigin, ProxyCompaction } from "@plimsoll/providers/proxy";
import { createAnswerReader, failureIn, wireAt } from "@plimsoll/providers/proxy";
import { packingOf, unpackStream, unpackWhole } from "@plimsoll/providers/unpack";
import { type HeaderPairs, headerRecord, passedHeaders, TOKEN_HEADER, withBetas, without } from "./headers.ts";
import type { Answer } from "./proxy-server.ts";
import { isTold, type Upstream } from "./upstream.ts";

type PreparedRequest = NonNullable<Awaited<ReturnType<ProxyCompaction["prepare"]>>>;

/** Largest body that is read, as it came and unpacked, in bytes. Chosen: twice Anthropic's limit, so that old media can be cut from larger bodies. */
export const MAXIMUM_BODY_BYTES: number = 64 * 1024 * 1024;

/** The options of passing requests on. */
export interface ExchangeOptions {
  readonly upstream: Upstream;
  readonly compaction: ProxyCompaction;
  readonly policy: Policy;
  /** Receives a problem, in one line without content, and its conversation if that is known. */
  readonly onProblem: (line: string, of?: EventOrigin) => void;
  /** Runs work that may ask a model for a summary, with the request whose credentials it may use. */
  readonly withRequest: <T>(sent: SentRequest, work: () => Promise<T>) => Promise<T>;
}

/** A request as its summaries are asked for: at the same place, under the same headers. */
export interface SentRequest {
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly bodyText: string;
}

interface Exchanging extends ExchangeOptions {
  readonly tellPacking: TellPacking;
}

interface Passing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly signal: AbortSignal;
}

/** Passes every request on, and fits those that send a history. */
export function createExchange(given: ExchangeOptions): Answer {
  const options = { ...given, tellPacking: createPackingNotes(given.onProblem) };
  return async (request, response, target) => {
    const gone = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) gone.abort();
    });
    const headers = without(passedHeaders(request), ["host", TOKEN_HEADER]);
    const passing = { request, response, target, headers, signal: gone.signal };
    const path = target.split("?")[0] ?? target;
    const isRead = wireAt(path) !== null || given.compaction.unprepared === "refused";
    if (request.method === "POST" && isRead) return await exchange(passing, path, options);
    // None of ours: both bodies stream through.
    const { method = "GET" } = request;
    const answer = await options.upstream.send({ method, target, headers, body: request, signal: gone.signal });
    begin(response, answer);
    await pipeline(answer, response);
  };
}

async function exchange(passing: Passing, path: string, options: Exchanging): Promise<void> {
  const { request, response, target, headers, signal } = passing;
  const { upstream, compaction, policy, onProblem, tellPacking, withRequest } = options;
  const body = await bodyOf(request);
  const refuse = (status: number, type: string, why: string) => {
    const message = `plimsoll proxy: ${why}`;
    onProblem(message);
    response.writeHead(status, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify({ type: "error", error: { type, message } }));
  };
  const tooLarge = (packing: string) =>
    refuse(
      413,
      "request_too_large",
      `the request is larger than ${MAXIMUM_BODY_BYTES} bytes${packing}, more than it can cut: remove media from the history`,
    );
  const notRedacted = (why: string) => refuse(400, "not_redacted", `the request is not sent, since it is not redacted: ${why}`);
  if (body === null) return tooLarge("");
  // A relay in between may have taken the header.
  const encoding = request.headers["content-encoding"] || packingOf(body) || undefined;
  const unpacked = await unpackWhole(body, encoding, MAXIMUM_BODY_BYTES);
  if (unpacked.kind === "too-large") return tooLarge(` when its ${unpacked.name} is unpacked`);
  const read = readable(unpacked, body, encoding);
  const bodyText = textOf(read);
  const isRefused = compaction.unprepared === "refused";
  if (bodyText === null && isRefused) return notRedacted("its body cannot be read");
  tellPacking("request", read);
  const own = read.kind === "unpacked" ? plainly(read.bytes, headers) : { body, headers };
  const sent: SentRequest = { target, headers, bodyText: bodyText ?? "" };
  const prepare = () => compaction.prepare({ path, headers: request.headers, bodyText: sent.bodyText, signal });
  let prepared: PreparedRequest | null = null;
  try {
    prepared = bodyText === null ? null : await withRequest(sent, prepare);
  } catch (error) {
    signal.throwIfAborted();
    if (isRefused) return notRedacted(messageOf(error));
    // A request that cannot be fitted goes on as it came: without the proxy it would have done so, too.
    onProblem(`passed on as it came: ${messageOf(error)}`);
  }
  if (prepared?.spoken) {
    const { contentType, bodyText } = prepared.spoken;
    response.writeHead(200, { "content-type": contentType }).end(bodyText);
    return;
  }
  for (let recovery = 0; ; recovery++) {
    const answer = await upstream.send({ method: "POST", target, signal, ...whatToSend(prepared, own) });
    const { failure, deliver } = await begun({ answer, prepared, response, onProblem, tellPacking });
    const { statusCode: status = 0 } = answer;
    const [fitted, of] = [prepared, originOf(prepared)];
    const next =
      fitted === null || failure === null || recovery >= recoveriesOf(policy)
        ? null
        : await withRequest(sent, () => fitted.recover(failure, recovery)).catch((error: unknown) => {
            onProblem(`no recovery: ${messageOf(error)}`, of);
            return null;
          });
    if (next === null && status >= 400 && status < 500)
      onProblem(`the upstream refused it with ${status}, and the agent gets that answer`, of);
    if (next === null) return await deliver();
    onProblem(`${status >= 400 ? `refused with ${status}` : `answered with ${status}, but ${failure?.why}`}, sent again`, of);
    answer.destroy();
    prepared = next;
  }
}

function originOf(prepared: PreparedRequest | null): EventOrigin | undefined {
  if (prepared === null || prepared.sessionId === null) return undefined;
  return { sessionId: prepared.sessionId, modelId: prepared.modelId };
}

interface Sendable {
  readonly body: Buffer;
  readonly headers: HeaderPairs;
}

function whatToSend(prepared: PreparedRequest | null, own: Sendable): Sendable {
  if (prepared === null || prepared.bodyText === null) return own;
  return plainly(Buffer.from(prepared.bodyText, "utf8"), withBetas(own.headers, prepared.betas));
}

const PACKING_HEADERS = ["content-length", "content-encoding"];

function plainly(body: Buffer, headers: HeaderPairs): Sendable {
  return { body, headers: [...without(headers, PACKING_HEADERS), ["content-length", String(body.length)]] };
}

/** A packed body that is no JSON object was damaged in a way that its packing does not show; one that is an object as it came was never packed. */
function readable(unpacked: Unpacked, came: Buffer, name = ""): Unpacked {
  if ((unpacked.kind === "damaged" || unpacked.kind === "unknown") && isObject(came)) return { kind: "unpacked", bytes: came };
  if (unpacked.kind !== "unpacked" || isObject(unpacked.bytes)) return unpacked;
  return { kind: "damaged", name, reason: "unpacked, it is not a JSON object" };
}

function isObject(bytes: Buffer): boolean {
  return isRecord(jsonIn(bytes.toString("utf8")));
}

/** The body as text; `null` for one that cannot be unpacked. */
export function textOf(unpacked: Unpacked): string | null {
  return "bytes" in unpacked ? unpacked.bytes.toString("utf8") : null;
}

type Unpacked = Awaited<ReturnType<typeof unpackWhole>>;
type TellPacking = (of: "request" | "answer", unpacked: Unpacked | ReturnType<typeof unpackStream>) => void;

/** An encoding that is not known is named at its first body, at its tenth, at its hundredth. */
function createPackingNotes(onProblem: ExchangeOptions["onProblem"]): TellPacking {
  const counts = new Map<string, number>();
  return (of, unpacked) => {
    if (unpacked.kind === "damaged")
      onProblem(`the ${of}'s ${unpacked.name} is damaged (${unpacked.reason}): passed on as it came`);
    if (unpacked.kind !== "unknown") return;
    const name = unpacked.name.slice(0, NAME_CHARS);
    const key = `${of} ${name}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (!isTold(count)) return;
    const [one, lost, advice] = UNREAD[of];
    onProblem(
      `${count === 1 ? one : `${count} ${of}s`} packed with ${name} cannot be read, ${lost}, passed on as it came: ${advice}`,
    );
  };
}

/** The loss and the advice for a body in an encoding that is not known. */
const UNREAD = {
  request: [
    "a request",
    "nothing is cut",
    "have the program send plain bodies (Codex: features.enable_request_compression=false)",
  ],
  answer: ["an answer", "its usage is not recorded", "have the program ask for plain answers (accept-encoding: identity)"],
} as const;

const NAME_CHARS = 40;

function begin(response: ServerResponse, answer: IncomingMessage, headers: HeaderPairs = passedHeaders(answer)): void {
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headerRecord(headers));
}

/** The vendor's refusal of a request, as it came; `why` says in words how an answer is one. */
type Failure = Parameters<PreparedRequest["recover"]>[0];

interface Answering extends Pick<Exchanging, "onProblem" | "tellPacking"> {
  readonly answer: IncomingMessage;
  readonly prepared: PreparedRequest | null;
  readonly response: ServerResponse;
}

async function begun(
  answering: Answering,
): Promise<{ readonly failure: Failure | null; readonly deliver: () => Promise<void> }> {
  const { answer, prepared, response, onProblem, tellPacking } = answering;
  const { statusCode: status = 0, headers } = answer;
  const coding = headers["content-encoding"];
  const passing = (body: Body, text: AnswerText, failure: Failure | null = null) => ({
    failure,
    deliver: () => streamed(body, text, answering),
  });
  if (prepared === null) return passing(answer, null);
  const textIn = async (bytes: Buffer) => {
    const unpacked = await unpackWhole(bytes, coding, MAXIMUM_BODY_BYTES);
    tellPacking("answer", unpacked);
    return textOf(unpacked);
  };
  if (status >= 400) {
    const { whole, body } = await readAtMost(answer, MAXIMUM_ERROR_BYTES);
    const bodyText = whole === null ? null : await textIn(whole);
    const deliver = async () => {
      begin(response, answer);
      await pipeline(body, response);
    };
    return { failure: bodyText === null ? null : { status, bodyText }, deliver };
  }
  // A whole answer is read before it goes on: one that the window ended is asked for again with less.
  if (/json/.test(headers["content-type"] ?? "")) {
    const { whole, body } = await readAtMost(answer, MAXIMUM_BODY_BYTES);
    const text = whole === null ? null : await textIn(whole);
    const read = jsonIn(text ?? "");
    return passing(body, text === null ? null : { text }, isRecord(read) ? prepared.cutOff(read) : null);
  }
  const unpacked = unpackStream(answer, coding, (name, reason) =>
    onProblem(`the answer's ${name} is damaged (${reason}): it breaks off here`, originOf(prepared)),
  );
  tellPacking("answer", unpacked);
  if (unpacked.kind === "unknown") return passing(answer, null);
  const [plain, text] = unpacked.kind === "plain" ? ([answer, "passing"] as const) : ([unpacked.body, "unpacked"] as const);
  if (!isEvents(answer)) return passing(plain, text);
  const { failureText, wholeText, body } = await heldStart(plain);
  if (failureText !== null) return passing(body, text, { why: "its stream was an error", status: 400, bodyText: failureText });
  return passing(body, text, wholeText === null ? null : await prepared.cutOffStream(wholeText));
}

function isEvents({ headers }: IncomingMessage): boolean {
  return /event-stream/.test(headers["content-type"] ?? "");
}

/** Largest refusal that is read, whole or as the beginning of a stream; a larger one is passed on unread. Chosen. */
const MAXIMUM_ERROR_BYTES = 4 * 1024 * 1024;

/** A body: `whole` is `null` if it is larger than so many bytes, and `body` has all of it either way. */
async function readAtMost(message: IncomingMessage, mostBytes: number): Promise<{ whole: Buffer | null; body: Body }> {
  const pieces: AsyncIterator<unknown> = message.iterator({ destroyOnReturn: false });
  const held: Buffer[] = [];
  let bytes = 0;
  while (bytes <= mostBytes) {
    const piece = await nextOf(pieces);
    if (piece === null) return { whole: Buffer.concat(held), body: held };
    held.push(piece);
    bytes += piece.length;
  }
  return { whole: null, body: goneOn(held, nextOf(pieces), pieces) };
}

async function* goneOn(held: readonly Buffer[], next: Promise<Buffer | null>, pieces: AsyncIterator<unknown>) {
  yield* held;
  for (let piece = await next; piece !== null; piece = await nextOf(pieces)) yield piece;
}

/** The whole body; `null` for one that is larger. */
export async function bodyOf(message: IncomingMessage, maximumBytes: number = MAXIMUM_BODY_BYTES): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  // The rest of a body that is too large is let through unread, so that its sender hears the answer.
  for await (const piece of message) {
    if (!Buffer.isBuffer(piece)) continue;
    bytes += piece.length;
    if (bytes > maximumBytes) pieces.length = 0;
    else pieces.push(piece);
  }
  return bytes > maximumBytes ? null : Buffer.concat(pieces);
}

type Body = AsyncIterable<Buffer> | Iterable<Buffer>;

/** Where the text of an answer is read: off its pieces as they pass, which may have been unpacked, or given. `null` if it cannot be read. */
type AnswerText = "passing" | "unpacked" | { readonly text: string } | null;

/** Passes the answer on piece by piece, reads along, and holds its end back until its measurement is noted: the next request is fitted by it. */
async function streamed(body: Body, text: AnswerText, { answer, response, prepared, onProblem }: Answering): Promise<void> {
  const headers = passedHeaders(answer);
  begin(response, answer, text === "unpacked" ? without(headers, PACKING_HEADERS) : headers);
  response.flushHeaders();
  if (prepared === null) return await pipeline(body, response);
  const reader = createAnswerReader(prepared.wire, isEvents(answer) ? "events" : "whole");
  const noted = async () => {
    const { answer: read, failure, isUnread } = reader.end();
    if (isUnread) onProblem("a part of the answer is too long to read: its usage may not be recorded", originOf(prepared));
    try {
      if (read !== null) await prepared.observe(read);
      // The stream has begun, so that the program sees the failure; its lesson is there for the next request.
      if (failure !== null) await prepared.recover({ status: 400, bodyText: JSON.stringify({ error: failure }) }, 0);
    } catch (error) {
      onProblem(`the answer's usage is not noted: ${messageOf(error)}`, originOf(prepared));
    }
  };
  await pipeline(body, readAlong(text, reader, noted), response);
}

/** The same bytes, with a reader of their text at the side; `done` is awaited before the end. */
function readAlong(text: AnswerText, reader: ReturnType<typeof createAnswerReader>, done: () => Promise<void>): Transform {
  const decoder = new TextDecoder();
  if (typeof text === "object" && text !== null) reader.take(text.text);
  return new Transform({
    transform: (piece: Buffer, _, next) => {
      if (typeof text === "string") reader.take(decoder.decode(piece, { stream: true }));
      next(null, piece);
    },
    flush: (next) => {
      done().then(
        () => next(),
        () => next(),
      );
    },
  });
}

const PRELUDE: readonly unknown[] = ["response.created", "response.in_progress", "response.queued", "ping"];

/** A failure comes at once; a model that thinks for longer is not waited for. Chosen. */
const HOLD_MS = 3_000;

/** An answer that its window ended has a word or two, and ends at once: so many events, and so long after the first of them. Chosen. */
const HELD_EVENTS = 10;
const HOLD_SAID_MS = 400;

/**
 * Holds the beginning of a stream back until its first content, and for a moment more: some vendors report in a stream that a prompt is too long, after
 * saying that the answer has begun, and some end it there. Returns the failure that it begins with, as the vendor words it; all of it, if it ended while it was held
 * (else `null`); the whole stream.
 */
async function heldStart(answer: Readable) {
  const pieces: AsyncIterator<unknown> = answer.iterator({ destroyOnReturn: false });
  const held: Buffer[] = [];
  let heldBytes = 0;
  const lines = createLineSplitter(MAXIMUM_ERROR_BYTES);
  const decoder = new TextDecoder();
  let pending = nextOf(pieces);
  const waiting = new AbortController();
  const after = (ms: number) => {
    const over = setTimeout(ms, "over" as const, { signal: waiting.signal });
    over.catch(() => undefined);
    return over;
  };
  let over = after(HOLD_MS);
  let said: readonly (string | null)[] = [];
  let isWhole = false;
  try {
    while (said.length < HELD_EVENTS && (said[0] ?? null) === null && heldBytes <= MAXIMUM_ERROR_BYTES) {
      const piece = await Promise.race([pending, over]);
      isWhole = piece === null;
      if (piece === "over" || piece === null) break;
      held.push(piece);
      heldBytes += piece.length;
      pending = nextOf(pieces);
      const now = lines.take(decoder.decode(piece, { stream: true })).flatMap(failureSaid);
      if (said.length === 0 && now.length > 0) over = after(HOLD_SAID_MS);
      said = [...said, ...now];
    }
  } finally {
    waiting.abort();
  }
  const wholeText = isWhole ? Buffer.concat(held).toString("utf8") : null;
  return { failureText: said[0] ?? null, wholeText, body: goneOn(held, pending, pieces) };
}

function nextOf(pieces: AsyncIterator<unknown>): Promise<Buffer | null> {
  const next = pieces.next().then(({ done, value }) => (done === true || !Buffer.isBuffer(value) ? null : value));
  // Its waiters may be gone when the stream breaks.
  next.catch(() => undefined);
  return next;
}

/** The failure of the event on a line, `null` for an event without one or a line too long to read; nothing for an event that says nothing yet. */
function failureSaid(line: string | null): readonly (string | null)[] {
  if (line?.startsWith("data:") === false) return [];
  const event = jsonIn(line?.slice("data:".length) ?? "");
  if (isRecord(event) && PRELUDE.includes(event.type)) return [];
  const failure = isRecord(event) ? failureIn(event) : null;
  return [failure === null ? null : JSON.stringify({ error: failure })];
}
