import { Agent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
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
  /** Resolves with the answer's beginning. Rejects if the server does not answer, or when the signal aborts. */
  send(request: UpstreamRequest): Promise<IncomingMessage>;
  close(): void;
}

/** An upstream at an address; its path comes before that of each request, and a version that both have comes once. */
export function createUpstream(address: URL): Upstream {
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
      const isStale = sent.reusedSocket && isReset(error) && Buffer.isBuffer(request.body);
      if (isStale && attempt === 0 && !request.signal.aborted) return await send(request, attempt + 1);
      throw error;
    });
  };
  return {
    name: `${address.protocol}//${address.host}${address.pathname}`,
    send: (request) => send(request, 0),
    close: () => agent.destroy(),
  };
}

function isReset(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
}

/** The whole address of a request: `/v1` at the upstream's end and at the request's beginning is one. */
export function targetAt(address: URL, target: string): string {
  const base = address.pathname.replace(/\/$/, "");
  const last = base.slice(base.lastIndexOf("/"));
  const isTwice = last.length > 1 && (target === last || target.startsWith(`${last}/`));
  return `${address.origin}${base}${isTwice ? target.slice(last.length) : target}`;
}
