import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLIMSOLL_POLICY, type SessionStore } from "@plimsoll/core";
import { createFileSessionStore, createMemorySessionStore } from "@plimsoll/stores";
import { createSqliteStore } from "@plimsoll/stores/sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { anthropicAnswer } from "../../testing/array-drop-ins.ts";
import { createAnthropicSession } from "../anthropic/index.ts";
import { createMessagesCompactor } from "../drop-in/anthropic.ts";

const CLOSED = { code: "closed" };
const limits = { contextWindowTokens: 20_000, maxOutputTokens: 1_000 };
const MODEL = { model: "claude-haiku-5-5", max_tokens: 1_000 };

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "plimsoll-closed-"));
  return made;
}

/** Stores of each kind; each call of their function is another program's view of the same logs. */
const STORES: readonly (readonly [string, () => Promise<() => SessionStore>])[] = [
  [
    "memory",
    async () => {
      const store = createMemorySessionStore();
      return () => store;
    },
  ],
  [
    "files",
    async () => {
      const place = folder();
      return () => createFileSessionStore({ folder: place });
    },
  ],
  [
    "SQLite",
    async () => {
      const file = join(folder(), "sessions.db");
      const [one, two] = [await createSqliteStore({ file }), await createSqliteStore({ file })];
      onTestFinished(() => {
        one.close();
        two.close();
      });
      await one.setUp();
      const stores = [one.sessions, two.sessions];
      return () => stores.shift() ?? two.sessions;
    },
  ],
];

/** A call that waits until it is let go. */
function waiting<Answer>(answer: Answer) {
  let letGo = () => {};
  let started = () => {};
  const isSent = new Promise<void>((resolve) => {
    started = resolve;
  });
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const call = async () => {
    started();
    await gate;
    return answer;
  };
  return { call, isSent, letGo };
}

/** Everybody can open every log now. */
async function allFree(store: SessionStore): Promise<void> {
  const logs = await store.list();
  expect(logs.length).toBeGreaterThan(0);
  for (const { sessionId } of logs) await (await store.open(sessionId)).writer.close();
}

describe.each(STORES)("over %s", (_, made) => {
  test("a closed compactor refuses every call by name, and holds no log", async () => {
    const stores = await made();
    const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits, sessions: stores() });
    const of = { conversation: "shared" };
    const items = [{ role: "user" as const, content: "go" }];
    const sent = await compactor.fit(items, of);
    await Promise.all([compactor.close(), compactor.close()]);
    const answer = anthropicAnswer("request", 100);
    const calls = [
      () => compactor.fit(items, of),
      () => compactor.send(items, async () => answer, of),
      () => compactor.observe(sent, answer),
      () => compactor.recover(sent, new Error("x"), 0),
      () => compactor.recall("h", { startChar: 0, maximumChars: 1 }, "shared"),
      () => compactor.recall("h", { startChar: 0, maximumChars: 1 }, sent),
      async () => compactor.conversations(),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(CLOSED);
    await allFree(stores());
  });

  test("a compactor that is closed while it sends gives the answer and holds no log; so does one that is closed while it opens", async () => {
    const stores = await made();
    const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits, sessions: stores() });
    const { call, isSent, letGo } = waiting(anthropicAnswer("request", 100));
    const sending = compactor.send([{ role: "user", content: "go" }], call, { conversation: "one" });
    await isSent;
    const opening = compactor.fit([{ role: "user", content: "go" }], { conversation: "two" });
    await Promise.all([compactor.close(), expect(opening).rejects.toMatchObject(CLOSED)]);
    const other = stores();
    await allFree(other);
    letGo();
    expect(await sending).toMatchObject({ id: "request" });
    await allFree(other);
  });

  test("a closed session refuses every call by name, and holds no log", async () => {
    const stores = await made();
    const session = await createAnthropicSession({ request: MODEL, sessions: stores(), sessionId: "s" });
    const { conversation } = session;
    session.user("go");
    await Promise.all([session.close(), session.close()]);
    const answer = anthropicAnswer("request", 100);
    const input = { gate: "before-step", pending: [], model: limits } as const;
    const parts = [{ type: "text", text: "x" }] as const;
    const calls: readonly (() => Promise<unknown>)[] = [
      async () => session.user("more"),
      () => session.request(),
      async () => session.reply(answer),
      async () => session.result("c", "text"),
      () => session.send(async () => answer),
      () => session.recall("h", { startChar: 0, maximumChars: 1 }),
      () => conversation.fit(input, new AbortController().signal),
      () => conversation.inTurn(async () => 1),
      () => conversation.say({ role: "user", origin: "human", parts, atMs: null }),
      () => conversation.leaveReasoning(),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(CLOSED);
    await allFree(stores());
  });

  test("a session that is closed while it sends waits for the answer, which its send gives and the log has", async () => {
    const stores = await made();
    const session = await createAnthropicSession({ request: MODEL, sessions: stores(), sessionId: "s" });
    session.user("go");
    const { call, isSent, letGo } = waiting(anthropicAnswer("request", 100));
    const sending = session.send(call);
    await isSent;
    const closing = session.close();
    await expect(session.send(call)).rejects.toMatchObject(CLOSED);
    letGo();
    expect(await sending).toMatchObject({ id: "request" });
    await closing;
    const other = stores();
    const log = await other.read("s");
    expect(log?.entries.filter(({ type }) => type === "message")).toHaveLength(2);
    await allFree(other);
  });

  test("a session that is closed while a request is refused sends no other, and says so", async () => {
    const stores = await made();
    const session = await createAnthropicSession({ request: MODEL, sessions: stores(), sessionId: "s" });
    session.user("go");
    let requests = 0;
    const closing: Promise<void>[] = [];
    const sending = session.send(async () => {
      requests += 1;
      closing.push(session.close());
      throw Object.assign(new Error("413 Payload Too Large"), { status: 413 });
    });
    await expect(sending).rejects.toThrow();
    await Promise.all(closing);
    expect(requests).toBe(1);
    await allFree(stores());
  });
});
