import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import { TOKEN_HEADER } from "./headers.ts";

/** Answers one request that may pass; `target` is path and query without the token. */
export type Answer = (request: IncomingMessage, response: ServerResponse, target: string) => Promise<void>;

/** A proxy's address, and its demands on callers. */
export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly token: string;
  readonly answer: Answer;
}

/** A proxy that listens. */
export interface ProxyServer {
  /** With the token: programs take it as their base address. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Listens on one address. It serves only callers with the token, in the address's first part or in a header, and refuses requests that a page in a browser could
 * send: those with an origin, and those to names other than the one it listens on.
 *
 * @throws PlimsollError `bad-input` if the port is taken.
 */
export async function startProxyServer({ host, port, token, answer }: ServerOptions): Promise<ProxyServer> {
  const server = createServer((request, response) => {
    const target = targetOf(request, { host, token });
    if (typeof target !== "string") {
      refuse(response, target.status, target.message);
      return;
    }
    answer(request, response, target).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, 502, `plimsoll proxy: ${isPlimsollError(error) ? error.message : "the request failed"}`);
    });
  });
  // Some models think for longer than Node's own limits; a connection that is closed while idle may be the one that the next request is sent on.
  server.requestTimeout = 0;
  server.keepAliveTimeout = KEPT_MS;
  await new Promise<void>((resolve, reject) => {
    // Also later: a connection that cannot be taken, with too many files open, ends no server.
    server.on("error", (error) => {
      const isTaken = "code" in error && error.code === "EADDRINUSE";
      const why = isTaken ? `port ${port} is in use: stop the other one or give --port 0` : `cannot listen on ${host}:${port}`;
      reject(new PlimsollError("bad-input", why, { port }, error));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}/${token}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Longer than clients keep theirs; chosen. */
const KEPT_MS = 120_000;

function targetOf(
  { headers, url = "/" }: IncomingMessage,
  { host, token }: Pick<ServerOptions, "host" | "token">,
): string | { readonly status: number; readonly message: string } {
  const name = (headers.host ?? "").replace(/:\d+$/, "").replace(/^\[|\]$/g, "");
  const isOwnName = isLoopback(host) ? isLoopback(name) : true;
  const target = withoutToken(url, headers[TOKEN_HEADER], token);
  const { origin } = headers;
  // The proxy's own page sends its own forms; no other page may ask anything.
  const isOwnPage = origin === `http://${headers.host}` && target?.startsWith(`${OWN_PATH}/`) === true;
  if ((origin !== undefined && !isOwnPage) || !isOwnName)
    return { status: 403, message: "plimsoll proxy serves programs, not pages" };
  return target ?? { status: 403, message: "plimsoll proxy: the address lacks this proxy's token" };
}

/** The path of the proxy's own page. */
export const OWN_PATH = "/plimsoll";

function withoutToken(url: string, given: string | string[] | undefined, token: string): string | null {
  if (typeof given === "string" && isSame(given, token)) return url;
  const end = url.indexOf("/", 1);
  if (!isSame(url.slice(1, end < 0 ? url.length : end), token)) return null;
  return end < 0 ? "/" : url.slice(end);
}

function isSame(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = JSON.stringify({ type: "error", error: { type: "proxy_error", message } });
  response.writeHead(status, { "content-type": "application/json" }).end(body);
}

/** True for a name of this machine under which only programs on it can ask. */
export function isLoopback(host: string): boolean {
  return /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|::1)$/i.test(host);
}
