import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** One request to a server and its answer, as they went over the wire. */
export interface RecordedExchange {
  /** Path of the request, such as `/v1/messages`. */
  readonly path: string;
  readonly status: number;
  /** Parsed body of the request. */
  readonly request: unknown;
  /** Parsed body of the answer; of a stream, the parsed data of its events in order. */
  readonly answer: unknown;
  readonly isStreamed: boolean;
}

/** A server that hands every request on and keeps it. */
export interface Recorder {
  /** Address without a path. */
  readonly url: string;
  exchanges(): readonly RecordedExchange[];
  close(): Promise<void>;
}

/** Listens on the loopback address and hands every request on to the server at `target`. Answers arrive when they are whole. */
export async function startRecorder(target: string): Promise<Recorder> {
  const kept: RecordedExchange[] = [];
  const server = createServer((request, response) => void handOn(target, request, response).then((each) => kept.push(each)));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges: () => kept,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

async function handOn(target: string, request: IncomingMessage, response: ServerResponse): Promise<RecordedExchange> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) if (chunk instanceof Uint8Array) chunks.push(chunk);
  const sent = Buffer.concat(chunks).toString("utf8");
  const path = request.url ?? "/";
  const headers = {
    "content-type": "application/json",
    "x-api-key": "k",
    authorization: "Bearer k",
    "anthropic-version": "2023-06-01",
  };
  const answer = await fetch(`${target}${path}`, { method: "POST", headers, body: sent });
  const text = await answer.text();
  const type = answer.headers.get("content-type") ?? "application/json";
  const isStreamed = type.startsWith("text/event-stream");
  response.writeHead(answer.status, { "content-type": type }).end(text);
  return {
    path,
    status: answer.status,
    request: JSON.parse(sent),
    answer: isStreamed ? eventsOf(text) : JSON.parse(text),
    isStreamed,
  };
}

/** Data of the events of a stream; the end mark of Chat Completions is none. */
function eventsOf(text: string): readonly unknown[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data: ") && line !== "data: [DONE]")
    .map((line): unknown => JSON.parse(line.slice("data: ".length)));
}
