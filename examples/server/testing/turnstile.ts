import { createServer, type IncomingMessage, request as sendRequest } from "node:http";

/** A gate before a provider: requests go through, but the first that is to be held. It never reaches the provider. */
export interface Turnstile {
  readonly url: string;
  /** Resolves when a request is held. */
  readonly held: Promise<void>;
  close(): Promise<void>;
}

/** Holds the first request whose body has the text. */
export async function startTurnstile(target: string, text: string): Promise<Turnstile> {
  let tellHeld: (() => void) | null = null;
  const held = new Promise<void>((resolve) => {
    tellHeld = resolve;
  });
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (tellHeld !== null && body.includes(text)) {
      tellHeld();
      tellHeld = null;
      return;
    }
    const { method = "POST", headers, url = "/" } = request;
    const passed = sendRequest(
      new URL(url, target),
      { method, headers: { ...headers, host: new URL(target).host } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    passed.on("error", () => response.destroy());
    passed.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, held, close };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
