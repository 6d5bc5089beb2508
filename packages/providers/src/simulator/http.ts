import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonObject } from "@plimsoll/core/internal";
import type { Response } from "./provider.ts";
import type { SimulatedWire, WireEvent } from "./wire.ts";

/** Largest request that is read on any wire; what each takes is a rule of its own. */
const MAXIMUM_BODY_BYTES = 512 * 1024 * 1024;

/** The request's body as text; `null` for one that is too large. */
export async function readBody(request: IncomingMessage): Promise<string | null> {
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
export function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Facts that sending needs in addition to the response: the wire of its errors, and the request that a proxy could echo. */
export interface Sending {
  readonly wire: SimulatedWire;
  readonly echo: string;
}

/** Sends what the provider answered, with the faults that happen on the way. */
export async function sendResponse(response: ServerResponse, answer: Response, { wire, echo }: Sending): Promise<void> {
  const { content, fault, status, retryAfterSeconds } = answer;
  if (fault?.kind === "echo") {
    sendJson(response, 502, { error: { message: `upstream refused: ${echo}`, type: "bad_gateway" } });
    return;
  }
  if (retryAfterSeconds !== null) response.setHeader("retry-after", String(retryAfterSeconds));
  if ("body" in content) {
    if (fault?.kind === "cut-stream") await cutBody(response, JSON.stringify(content.body));
    else sendJson(response, status, content.body);
    return;
  }
  response.writeHead(status, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const [index, event] of content.events.entries()) {
    if (fault?.kind === "slow-stream") await fault.pause(index);
    if (fault?.kind === "cut-stream" && index >= fault.afterEvents) {
      response.destroy();
      return;
    }
    if (fault?.kind === "stream-error" && index >= EVENTS_BEFORE_ERROR) {
      response.end(written(wire.errorEvent(wire.faultError(529))));
      return;
    }
    await sendPiece(response, written(event));
  }
  response.end();
}

/** How much of a stream comes before its error: something, so that there is something to take back. Chosen. */
const EVENTS_BEFORE_ERROR = 4;

/** An event as it stands in a stream. */
export function written({ name, data }: WireEvent): string {
  const text = data === "[DONE]" ? data : JSON.stringify(data);
  return name === null ? `data: ${text}\n\n` : `event: ${name}\ndata: ${text}\n\n`;
}

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
