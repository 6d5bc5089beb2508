import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { textOf } from "@plimsoll/core";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  type CancellationToken,
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-jsonrpc/node";
import { recordedIo } from "../../testing/recorded-io.ts";
import { type AgentSession, openSession } from "../run/open-session.ts";
import { serveConnection } from "./serve-command.ts";

let folder = "";
let session: AgentSession;
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
});

test("a program is asked before a command runs, and what it does not allow does not run", async () => {
  const asked: unknown[] = [];
  const answers: readonly unknown[] = [{ kind: "once" }, { kind: "no", words: "not now" }, { kind: "yes" }, null];
  client.onRequest("agent/authorize", (call: unknown) => {
    asked.push(call);
    return answers[asked.length - 1] ?? Promise.reject(new Error("nobody is there"));
  });
  expect(await client.sendRequest("agent/submit", { text: "look" })).toMatchObject({ reason: "done", steps: 6 });
  const command = "seq -f 'part 0.%g checked, nothing unusual' 1 120";
  expect(asked[0]).toEqual({
    sessionId: session.agent.sessionId,
    callId: expect.any(String),
    toolName: "run_terminal_command",
    argumentsJson: JSON.stringify({ command }),
    effect: { kind: "execute", command, folder: "." },
  });
  const results = session.agent.context().messages.filter(({ role }) => role === "tool-result");
  expect(results.map(textOf)).toEqual([
    expect.stringContaining("part 0.120 checked"),
    "Not run: the person said no: not now",
    "Not run: nobody answered.",
    "Not run: nobody answered.",
    "Not run: nobody answered.",
  ]);
}, 60_000);

test("a client that knows nothing of the question has allowed nothing", async () => {
  expect(await client.sendRequest("agent/submit", { text: "look" })).toMatchObject({ reason: "done", steps: 6 });
  const results = session.agent.context().messages.filter(({ role }) => role === "tool-result");
  expect(results.map(textOf)).toEqual(Array(5).fill("Not run: nobody answered."));
}, 60_000);

test("a run that is cancelled while the program is asked ends, and the question is withdrawn", async () => {
  const withdrawn = new Promise<void>((resolve) => {
    client.onRequest("agent/authorize", (_call: unknown, token: CancellationToken) => {
      token.onCancellationRequested(() => resolve());
      void client.sendRequest("agent/cancel");
      return new Promise(() => undefined);
    });
  });
  expect(await client.sendRequest("agent/submit", { text: "look" })).toMatchObject({ reason: "cancelled" });
  await withdrawn;
}, 60_000);

test("a program submits, hears events, compacts, undoes, and is told what is wrong", async () => {
  const heard: string[] = [];
  client.onRequest("agent/authorize", () => ({ kind: "always" }));
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
  const focused = await client.sendRequest("session/compact", { ...asked, focus: "part 0.7 checked" });
  expect(focused).toMatchObject({ kind: "compacted", entry: { edits: [{ by: "digest" }] } });
  expect(JSON.stringify(focused)).toContain("part 0.7 checked");
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
