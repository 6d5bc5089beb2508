import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";

/** A request as it came over the wire. */
export interface RelayedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Answers in the place of the server behind; nothing to let that one answer. */
export type Intercept = (
  request: RelayedRequest,
  response: ServerResponse,
) => "answered" | undefined | Promise<"answered" | undefined>;

/** A server that notes the very bytes that it gets and passes them to another one. */
export interface Relay {
  readonly url: string;
  readonly requests: readonly RelayedRequest[];
  close(): Promise<void>;
}

/** Starts a relay on loopback, in front of the server at the address. */
export async function startRelay(behind: string, intercept: Intercept = () => undefined): Promise<Relay> {
  const requests: RelayedRequest[] = [];
  const server = createServer((request, response) => {
    relayed(request, response).catch(() => response.destroy());
  });
  const relayed = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(Buffer.from(piece));
    const { method = "GET", url: target = "/", headers } = request;
    const noted = { method, target, headers, body: Buffer.concat(pieces) };
    requests.push(noted);
    if ((await intercept(noted, response)) === "answered") return;
    const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" && !["host", "connection", "content-length", "transfer-encoding"].includes(name)
        ? [[name, value]]
        : [],
    );
    const answer = await fetch(`${behind}${target}`, {
      method,
      headers: sent,
      ...(method === "POST" ? { body: noted.body } : {}),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(await answer.text());
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers with an object that says nothing. */
export function answeredEmpty(response: ServerResponse): "answered" {
  response.end("{}");
  return "answered";
}

/** Refuses as vendors do. */
export function refusing(response: ServerResponse, status: number, error: object): "answered" {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify({ error }));
  return "answered";
}

/** Answers with a stream of events. */
export function streaming(response: ServerResponse, events: readonly object[]): "answered" {
  const typed = events.map((event) => `${"type" in event ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" }).end(typed.join(""));
  return "answered";
}

/** The arguments of the calls in a body. */
export function argumentsIn(body: string): readonly unknown[] {
  const found: unknown[] = [];
  JSON.parse(body, (key, value) => {
    if (key === "arguments") found.push(JSON.parse(value));
    else if (key === "input" && !Array.isArray(value)) found.push(value);
    return value;
  });
  return found;
}

/** Never answers the first request that is much smaller than one before it; `arrived` resolves when it is there. */
export function holdFirstCut(): { readonly intercept: Intercept; readonly arrived: Promise<void> } {
  let longest = 0;
  let isOver = false;
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const intercept: Intercept = async ({ body }, response) => {
    const isCut = body.length < longest / 2;
    longest = Math.max(longest, body.length);
    if (!isCut || isOver) return undefined;
    isOver = true;
    arrive();
    await new Promise((resolve) => response.once("close", resolve));
    return "answered";
  };
  return { intercept, arrived };
}
