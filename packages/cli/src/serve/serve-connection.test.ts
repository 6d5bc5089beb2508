import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMessageConnection, type MessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { type OpenSession, openSession } from "../run/open-session.ts";
import { recordedIo } from "../testing/recorded-io.ts";
import { serveConnection } from "./serve-connection.ts";

let folder = "";
let session: OpenSession;
let client: MessageConnection;
let served: Promise<void>;
let toServer = new PassThrough();
let toClient = new PassThrough();

beforeEach(async () => {
  toServer = new PassThrough();
  toClient = new PassThrough();
  folder = mkdtempSync(join(tmpdir(), "plimsoll-serve-"));
  session = await openSession({ demo: true }, { io: recordedIo(folder).io, environment: process.env });
  served = serveConnection(session, { input: toServer, output: toClient, ended: new AbortController().signal });
  client = createMessageConnection(new StreamMessageReader(toClient), new StreamMessageWriter(toServer));
  client.listen();
});
afterEach(async () => {
  toServer.end();
  await served;
  client.dispose();
  await session.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a program submits, hears events, compacts, undoes, and is told what is wrong", async () => {
  const heard: string[] = [];
  client.onNotification("agent/event", ({ type }: { type: string }) => {
    heard.push(type);
  });
  expect(await client.sendRequest("agent/state")).toMatchObject({ status: "idle", sessionId: session.agent.sessionId });
  expect(await client.sendRequest("agent/submit", { text: "look" })).toMatchObject({ reason: "done", steps: 6 });
  expect([heard[0], heard.includes("usage-update"), heard.at(-1)]).toEqual(["agent-start", true, "agent-end"]);
  const { sessionId } = session.agent;
  const asked = { session_id: sessionId, keep_recent: 2 };
  expect(await client.sendRequest("session/compact", asked)).toMatchObject({ kind: "compacted" });
  expect(await client.sendRequest("session/undo")).toMatchObject({ type: "revert" });
  await expect(client.sendRequest("session/undo")).rejects.toMatchObject({ data: { code: "bad-input" } });
  await expect(client.sendRequest("agent/submit", { words: 1 })).rejects.toMatchObject({ code: -32_602 });
  await expect(client.sendRequest("session/compact", { session_id: "other" })).rejects.toMatchObject({ code: -32_602 });
}, 60_000);

test.each([
  ["a body that is no JSON", "Content-Length: 5\r\n\r\n{oops"],
  ["a body that is no request", "Content-Length: 2\r\n\r\n42"],
  ["a request without a method", 'Content-Length: 24\r\n\r\n{"jsonrpc":"2.0","id":1}'],
])(
  "%s is passed over, and the next request is answered",
  async (_what, bytes) => {
    toServer.write(bytes);
    expect(await client.sendRequest("agent/state")).toMatchObject({ status: "idle" });
    await expect(client.sendRequest("agent/no-such")).rejects.toMatchObject({ code: -32_601 });
  },
  60_000,
);

test("an error in an event or an outcome has its message", async () => {
  const failed: { error?: { message: string } }[] = [];
  client.onNotification("agent/event", (event: { type: string; error?: { message: string } }) => {
    if (event.type === "agent-end") failed.push(event);
  });
  await session.simulator?.close();
  expect(await client.sendRequest("agent/submit", { text: "look" })).toMatchObject({
    reason: "failed",
    error: { code: "provider-failed", message: expect.stringContaining("anthropic") },
  });
  expect(failed).toMatchObject([{ error: { message: expect.any(String) } }]);
}, 120_000);
