import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLIMSOLL_POLICY, type SessionStore } from "@plimsoll/core";
import { createFileSessionStore, createMemorySessionStore } from "@plimsoll/stores";
import { expect, test } from "vitest";
import { anthropicAnswer } from "../../testing/array-drop-ins.ts";
import { createMessagesCompactor } from "./anthropic.ts";

const limits = { contextWindowTokens: 20_000, maxOutputTokens: 1_000 };
const talk = (messages: number, chars = 0) =>
  Array.from({ length: messages }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `message ${index} ${"text ".repeat(chars / 5)}`,
  }));

test("the second of two compactors over one store is told of the first, loses nothing, and goes on when the first has closed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-conflict-"));
  const made = () => createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits, sessions: createFileSessionStore({ folder }) });
  const [first, second] = [made(), made()];
  const of = { conversation: "shared" };
  expect(await first.fit(talk(3), of)).toEqual(talk(3));
  for (let attempt = 0; attempt < 3; attempt++)
    await expect(second.fit(talk(5), of)).rejects.toMatchObject({ code: "session-conflict" });
  expect(await first.fit(talk(7), of)).toEqual(talk(7));
  await first.close();
  expect(await second.fit(talk(9), of)).toEqual(talk(9));
  const entries = second.conversations().flatMap((log) => log.entries);
  expect(second.conversations()).toHaveLength(1);
  await second.close();
  const [stored] = await createFileSessionStore({ folder }).list();
  const log = await createFileSessionStore({ folder }).read(stored?.sessionId ?? "");
  expect(log?.entries.filter(({ type }) => type === "message")).toHaveLength(9);
  expect(entries.every(({ type }) => type !== "compaction")).toBe(true);
});

test("a report whose write failed is written with the next request; the answer was given", async () => {
  const store = createMemorySessionStore();
  let isDown = false;
  const sessions: SessionStore = {
    ...store,
    create: async (start) => {
      const writer = await store.create(start);
      const down = () => Promise.reject(new Error("the disk is full"));
      return { ...writer, append: (entries) => (isDown ? down() : writer.append(entries)) };
    },
  };
  const compactor = createMessagesCompactor({ policy: PLIMSOLL_POLICY, limits, sessions });
  const of = { conversation: "shared" };
  const storedUsage = async () => {
    const [log] = await store.list();
    return (await store.read(log?.sessionId ?? ""))?.entries.filter(({ type }) => type === "usage") ?? [];
  };
  const answer = anthropicAnswer("request", 100);
  const send = () => {
    isDown = true;
    return Promise.resolve(answer);
  };
  expect(await compactor.send(talk(1), send, of)).toBe(answer);
  expect(await storedUsage()).toEqual([]);
  isDown = false;
  await compactor.fit(talk(3), of);
  expect(await storedUsage()).toMatchObject([{ requestId: "request" }]);
});
