import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { formatNumberOf } from "@plimsoll/bench/extend";
import { messageOf } from "@plimsoll/bench/terminal";
import { PlimsollError } from "@plimsoll/core";
import { type HeaderPairs, headerRecord } from "./headers.ts";

interface UpstreamRequest {
  readonly method: string;
  /** Path and query, as they came, without the token. */
  readonly target: string;
  readonly headers: HeaderPairs;
  readonly body: Buffer | Readable;
  readonly signal: AbortSignal;
}

/** Where requests go on to. */
export interface Upstream {
  /** The address, without a key that a person's address may hold. */
  readonly name: string;
  /** Resolves with the answer's beginning. Rejects with `provider-failed` if the server does not answer, and when the signal aborts. */
  send(request: UpstreamRequest): Promise<IncomingMessage>;
  /** Counts the requests so far, in words: those that failed, and the last failure. */
  counted(): string;
  close(): void;
}

/**
 * An upstream at an address; its path comes before that of each request, and a version that both have comes once. That it is away, fails (500 to 599) or breaks
 * its answers off is told at the first request, the tenth, the hundredth, and when it is back.
 */
export function createUpstream(address: URL, tell: (line: string) => void, nowMs: () => number): Upstream {
  const name = `${address.protocol}//${address.host}${address.pathname}`;
  const counts = { requests: 0, failed: 0, last: "" };
  const noteFailure = (why: string) => {
    counts.failed += 1;
    counts.last = ` (last: ${why} at ${new Date(nowMs()).toTimeString().slice(0, "12:00:00".length)})`;
  };
  let missed = 0;
  const noteAway = (why: string, words = `does not answer (${why}): agents get 502`) => {
    missed += 1;
    noteFailure(why);
    if (missed === 1) tell(`the upstream ${words}`);
    else if (isTold(missed)) tell(`the upstream did not answer ${missed} requests in a row (${why})`);
  };
  const noteBack = () => {
    if (missed > 0) tell(`the upstream answers again, after ${formatNumberOf(missed, "request")} without an answer`);
    missed = 0;
  };
  const isSecure = address.protocol === "https:";
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const send = async (request: UpstreamRequest, attempt: number): Promise<IncomingMessage> => {
    const options: RequestOptions = {
      agent,
      method: request.method,
      headers: { ...headerRecord(request.headers), host: address.host },
      signal: request.signal,
    };
    const url = new URL(targetAt(address, request.target));
    const sent = isSecure ? httpsRequest(url, options) : httpRequest(url, options);
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once("response", (answer) => {
        // Each reader sees a break, too; between two readers it would go unhandled, and the process would end.
        answer.on("error", () => undefined);
        resolve(answer);
      });
      sent.on("error", reject);
    });
    if (Buffer.isBuffer(request.body)) sent.end(request.body);
    else pipeline(request.body, sent).catch(() => undefined);
    return await answered.catch(async (error: unknown) => {
      // A connection that was kept may have been closed at the other end just now: nothing of the request was taken.
      const isStale =
        sent.reusedSocket && ["ECONNRESET", "EPIPE"].includes(errorCode(error) ?? "") && Buffer.isBuffer(request.body);
      if (isStale && attempt === 0 && !request.signal.aborted) return await send(request, attempt + 1);
      throw error;
    });
  };
  return {
    name,
    counted: () => {
      const { requests, failed, last } = counts;
      return `${formatNumberOf(requests, "request")} since the proxy started${failed === 0 ? "" : `, ${failed} failed${last}`}`;
    },
    send: async (request) => {
      counts.requests += 1;
      const answer = await send(request, 0).catch((error: unknown) => {
        if (request.signal.aborted) throw error;
        const why = errorCode(error) ?? messageOf(error);
        noteAway(why);
        throw new PlimsollError("provider-failed", `the upstream ${name} did not answer (${why})`, {}, error);
      });
      const { statusCode: status = 0 } = answer;
      if (status >= 500) noteAway(String(status), `fails (${status}): agents get that answer`);
      else if (status >= 400) noteFailure(String(status));
      if (status < 500) answer.once("end", noteBack);
      answer.once("error", (error) => {
        const why = errorCode(error) ?? messageOf(error);
        if (!request.signal.aborted) noteAway(why, `breaks off its answers (${why}): agents get an error`);
      });
      return answer;
    },
    close: () => agent.destroy(),
  };
}

/** True for the first of a kind, the tenth, the hundredth: what happens again and again is a few lines. */
export function isTold(count: number): boolean {
  return /^10*$/.test(String(count));
}

function errorCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}

/** The whole address of a request: `/v1` at the upstream's end and at the request's beginning is one. */
export function targetAt(address: URL, target: string): string {
  const base = address.pathname.replace(/\/$/, "");
  const last = base.slice(base.lastIndexOf("/"));
  const isTwice = last.length > 1 && (target === last || target.startsWith(`${last}/`));
  return `${address.origin}${base}${isTwice ? target.slice(last.length) : target}`;
}
