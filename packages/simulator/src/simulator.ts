import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { ANTHROPIC_WIRE } from "./anthropic-wire.ts";
import { type Fields, parseRecord } from "./fields.ts";
import { GEMINI_WIRE } from "./gemini.ts";
import { checkOptions } from "./given-options.ts";
import { OPENAI_CHAT_WIRE } from "./openai-chat.ts";
import { OPENAI_RESPONSES_WIRE } from "./openai-responses.ts";
import { DEFAULT_WINDOW_TOKENS, type Exchange, maximumOutputTokensOf, type SimulatorOptions } from "./options.ts";
import { createProvider, type Response } from "./provider.ts";
import { type SimulatedWire, written } from "./wire.ts";

/** A running simulator; `close` ends it. */
export interface Simulator {
  /** Address without a path, the base URL for Anthropic's SDK. */
  readonly url: string;
  /** Address with `/v1`, the base URL for OpenAI's SDK. */
  readonly openAiUrl: string;
  readonly port: number;
  /** Returns the record of every request so far. */
  exchanges(): readonly Exchange[];
  close(): Promise<void>;
}

const WIRES: Readonly<Record<string, SimulatedWire>> = {
  "/v1/messages": ANTHROPIC_WIRE,
  "/v1/messages/count_tokens": ANTHROPIC_WIRE,
  "/v1/chat/completions": OPENAI_CHAT_WIRE,
  "/v1/responses": OPENAI_RESPONSES_WIRE,
  "/v1/responses/compact": OPENAI_RESPONSES_WIRE,
};

/** The meaning of an address: a wire, whether the request is only counted, and fields that the address has in the place of the body. */
interface Asked {
  readonly wire: SimulatedWire;
  readonly kind: "respond" | "count" | "compact";
  readonly told: Fields;
}

const COUNT_PATH = "/count_tokens";

/** Gemini's addresses name the model and the method; the model may have a maker before it. */
const GEMINI_PATH = /^\/v1(?:beta|alpha)?\/models\/([^:]+):(generateContent|streamGenerateContent|countTokens)$/;

/** Reads a path; `null` for one that is not served. */
function askedAt(path: string): Asked | null {
  const gemini = GEMINI_PATH.exec(path);
  if (gemini !== null) {
    const [, model = "", method] = gemini;
    const told = { model: decodeURIComponent(model), stream: method === "streamGenerateContent" };
    return { wire: GEMINI_WIRE, kind: method === "countTokens" ? "count" : "respond", told };
  }
  const wire = WIRES[path.startsWith("/v1/") ? path : `/v1${path}`];
  const kind = path.endsWith(COUNT_PATH) ? "count" : path.endsWith("/compact") ? "compact" : "respond";
  return wire === undefined ? null : { wire, kind, told: {} };
}

/** The names of this machine under which programs on it ask. */
const LOCAL_NAMES = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** False for requests that a page in a browser may send: they always name its origin, or a name of its own that was pointed at this machine. */
function isFromHere({ headers }: IncomingMessage): boolean {
  return headers.origin === undefined && LOCAL_NAMES.test(headers.host ?? "");
}

/**
 * Starts a provider on 127.0.0.1 that speaks four wires: `/v1/messages` (with `/count_tokens`), `/v1/chat/completions`, `/v1/responses` (with `/compact`) and
 * `/v1beta/models/{id}:generateContent` (with `:streamGenerateContent` and `:countTokens`), and gives its window at `/v1/models` and `/props`. It refuses the same
 * requests as the vendors, in their words.
 *
 * @throws `bad-input` for unknown options, and an error if the port is taken.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  checkOptions(options);
  const provider = createProvider(options);
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    if (!isFromHere(request))
      return sendJson(response, 403, { error: { type: "forbidden", message: "Only programs on this machine are served." } });
    const asked = askedAt(path);
    const about = request.method === "GET" ? aboutModels(path, request.headers, options) : null;
    if (about !== null) return sendJson(response, 200, about);
    const isOff = asked?.kind === "compact" && options.rules?.compactEndpoint === "off";
    if (asked === null || isOff || request.method !== "POST") return sendJson(response, 404, notFound(path));
    const { wire, kind, told } = asked;
    const text = await readBody(request);
    if (text === null) return await sendResponse(response, provider.refuse(wire, wire.faultError(413)), { wire, echo: "" });
    const record = parseRecord(text);
    const body = record === null ? null : { ...record, ...told };
    const echo = kind === "respond" ? `${JSON.stringify(request.headers)} ${text}` : "";
    await sendResponse(response, provider[kind](wire, body, request.headers), { wire, echo });
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      // The script has failed, or the client has gone: this request ends and the server goes on.
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { error: { type: "simulator_error", message: `the script failed: ${String(error)}` } });
    });
  });
  // A connection that is closed while it is idle may be the one that a client sends its next request on.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.on("error", (error) => {
      const isTaken = "code" in error && error.code === "EADDRINUSE";
      const taken = `port ${options.port} is in use: stop the other one or give --port 0`;
      reject(new Error(isTaken ? taken : `cannot listen: ${error.message}`, { cause: error }));
    });
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    openAiUrl: `${url}/v1`,
    port,
    exchanges: provider.exchanges,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function notFound(path: string) {
  return { error: { type: "not_found_error", message: `Not found: ${path}` } };
}

/**
 * Answers questions about models: `/props` as llama.cpp does, `/v1/models` and `/v1/models/{id}` as the Messages API does for requests with its version
 * header, else as vLLM does; `null` for any other path, and for a model that is not there.
 */
function aboutModels(path: string, headers: IncomingHttpHeaders, options: SimulatorOptions): Fields | null {
  const windowTokens = options.contextWindowTokens ?? DEFAULT_WINDOW_TOKENS;
  if (path === "/props") return { default_generation_settings: { n_ctx: windowTokens }, total_slots: 1 };
  const list = path.startsWith("/v1/") ? path.slice("/v1".length) : path;
  const ids = options.models ?? ["simulated"];
  const isOpenAi = headers["anthropic-version"] === undefined;
  const describe = (id: string) => (isOpenAi ? openAiModel(id, windowTokens) : anthropicModel(id, windowTokens, options));
  if (list.startsWith("/models/")) {
    const id = decodeURIComponent(list.slice("/models/".length));
    return ids.includes(id) ? describe(id) : null;
  }
  if (list !== "/models") return null;
  const data = ids.map(describe);
  if (isOpenAi) return { object: "list", data };
  return { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
}

/** platform.openai.com/docs/api-reference/models, with the window as vLLM adds it. */
function openAiModel(id: string, windowTokens: number): Fields {
  return { id, object: "model", created: 0, owned_by: "simulator", max_model_len: windowTokens };
}

/** platform.claude.com/docs/en/api/models: an epoch value if the day of release is not known. */
function anthropicModel(id: string, windowTokens: number, options: SimulatorOptions): Fields {
  const sizes = { max_input_tokens: windowTokens, max_tokens: maximumOutputTokensOf(id, options) };
  return { type: "model", id, display_name: id, created_at: "1970-01-01T00:00:00Z", ...sizes };
}

/** Largest request that is read on any wire; each wire has a limit of its own below it. */
const MAXIMUM_BODY_BYTES = 512 * 1024 * 1024;

/** The request's body as text; `null` for one that is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    if (!Buffer.isBuffer(piece)) continue;
    bytes += piece.length;
    if (bytes > MAXIMUM_BODY_BYTES) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** Sends a body as JSON. */
function sendJson(response: ServerResponse, status: number, body: Fields): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Sends the provider's answer, with the faults that happen on the way: errors in the words of the wire, or a proxy's echo of the request. */
async function sendResponse(
  response: ServerResponse,
  answer: Response,
  { wire, echo }: { readonly wire: SimulatedWire; readonly echo: string },
): Promise<void> {
  const { content, fault, status, retryAfterSeconds } = answer;
  if (fault?.kind === "echo")
    return sendJson(response, 502, { error: { message: `upstream refused: ${echo}`, type: "bad_gateway" } });
  if (retryAfterSeconds !== null) response.setHeader("retry-after", String(retryAfterSeconds));
  if ("body" in content)
    return fault?.kind === "cut-stream"
      ? await cutBody(response, JSON.stringify(content.body))
      : sendJson(response, status, content.body);
  response.writeHead(status, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const [index, event] of content.events.entries()) {
    if (fault?.kind === "slow-stream") await fault.pause(index);
    if (fault?.kind === "cut-stream" && index >= fault.afterEvents) return void response.destroy();
    if (fault?.kind === "stream-error" && index >= EVENTS_BEFORE_ERROR)
      return void response.end(written(wire.errorEvent(wire.faultError(529))));
    await sendPiece(response, written(event));
  }
  response.end();
}

/** How much of a stream comes before its error: something, so that there is something to take back. Chosen. */
const EVENTS_BEFORE_ERROR = 4;

/** Half of the body, and then nothing. */
async function cutBody(response: ServerResponse, body: string): Promise<void> {
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  await sendPiece(response, body.slice(0, Math.floor(body.length / 2)));
  response.destroy();
}

/** Resolves when the piece has gone out, so that a cut comes after it and not before. */
function sendPiece(response: ServerResponse, piece: string): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(piece, (error) => (error === null || error === undefined ? resolve() : reject(error)));
  });
}
