import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { isPlimsollError } from "@plimsoll/core";
import { answerMessage, type PersonsMessage, type ServiceParts, type Told } from "./answer-message.ts";

/** Larger messages are refused. Chosen. */
const MAXIMUM_BODY_BYTES = 1_000_000;

/** The wait of a client before it asks again for a conversation that another replica has, in seconds. Chosen. */
const RETRY_AFTER_S = 1;

/**
 * The service: `POST /conversations/ID/messages` with `{ "number": 1, "text": "…" }` streams lines of JSON, `DELETE /conversations/ID` removes everything
 * kept of a conversation, `GET /health` reports the replica's state. Permission is for the server before it to decide.
 */
export function createServer(parts: ServiceParts): Server {
  let open = 0;
  return createHttpServer((request, response) => {
    open += 1;
    void handle(parts, request, response, () => open)
      .catch((error: unknown) => fail(response, error))
      .finally(() => {
        open -= 1;
        response.end();
      });
  });
}

async function handle(
  parts: ServiceParts,
  request: IncomingMessage,
  response: ServerResponse,
  openCount: () => number,
): Promise<void> {
  const [, kind, conversationId = "", below] = (request.url ?? "").split("/");
  if (request.method === "GET" && kind === "health")
    return reply(response, 200, { openRequests: openCount() - 1, memoryBytes: process.memoryUsage.rss() });
  if (kind !== "conversations" || conversationId === "") return reply(response, 404, { error: "not-found" });
  if (request.method === "DELETE" && below === undefined) {
    await parts.store.deleteConversation(conversationId);
    return reply(response, 200, {});
  }
  if (request.method !== "POST" || below !== "messages") return reply(response, 404, { error: "not-found" });
  const message = messageIn(conversationId, await bodyOf(request));
  if (message === null) return reply(response, 400, { error: "bad-message" });
  await stream(parts, message, response);
}

/** Answers a message in lines of JSON. A client that goes away ends the work; finished steps are in the log. */
async function stream(parts: ServiceParts, message: PersonsMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort(new Error("the client has gone")));
  const tell = (told: Told) => line(response, told);
  const answered = await answerMessage(parts, message, { tell, signal: gone.signal });
  if (answered.kind === "wrong-number" && !response.headersSent)
    return reply(response, 409, { error: "wrong-number", number: answered.number });
  const { kind, ...end } = answered;
  line(response, { type: kind, ...end });
}

function line(response: ServerResponse, value: object): void {
  if (!response.headersSent) response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.write(`${JSON.stringify(value)}\n`);
}

function reply(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).write(JSON.stringify(value));
}

function fail(response: ServerResponse, error: unknown): void {
  const code = isPlimsollError(error) ? error.code : "failed";
  if (response.headersSent) {
    line(response, { type: "error", error: code });
    return;
  }
  if (code === "session-conflict") response.setHeader("retry-after", RETRY_AFTER_S);
  reply(response, code === "session-conflict" ? 409 : code === "bad-input" ? 400 : 502, { error: code });
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAXIMUM_BODY_BYTES) return "";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function messageIn(conversationId: string, body: string): PersonsMessage | null {
  try {
    const { number, text }: { readonly number?: unknown; readonly text?: unknown } = JSON.parse(body);
    return typeof number === "number" &&
      Number.isInteger(number) &&
      number > 0 &&
      typeof text === "string" &&
      text.trim() !== ""
      ? { conversationId, number, text }
      : null;
  } catch {
    // Text that is no JSON is no message.
    return null;
  }
}
