import { createDigest, createSession, type Message, NONE_POLICY, type SessionStore, type SessionWriter } from "@plimsoll/core";
import { createConversations, withId } from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import { createMemorySessionStore } from "./memory-session-store.ts";

function conversationsIn(sessions: SessionStore | null, maximumCount: number) {
  const found = createConversations({
    begin: (_, log) => createSession({ policy: NONE_POLICY, summarizer: createDigest(), ...log }),
    sessions,
    needsKey: null,
    nowMs: () => null,
    maximumCount,
    maximumChars: 1_000_000,
  });
  const goOn = (
    messages: readonly Message[],
    { key = null, until = Promise.resolve() }: { key?: string | null; until?: Promise<void> } = {},
  ) =>
    found.goOn({ key, system: "", tools: [], messages }, async (each) => {
      for (const message of messages.slice(each.session.messageIds().length)) each.session.append({ type: "message", message });
      await each.session.flush();
      await until;
      return each;
    });
  return { found, goOn };
}

function history(...texts: readonly string[]): readonly Message[] {
  const messages: Message[] = [];
  for (const text of texts)
    messages.push(
      withId({ role: "user", origin: "human", parts: [{ type: "text", text }], atMs: null }, messages.at(-1)?.id ?? null),
    );
  return messages;
}

function opened(): { readonly promise: Promise<void>; readonly open: () => void } {
  let open = () => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

test("branches of one that left memory are found by the place where they parted from it", async () => {
  const { found, goOn } = conversationsIn(null, 2);
  const trunk = await goOn(history("a", "b", "c", "d"));
  const gate = opened();
  const late = goOn(history("a", "b", "x"), { until: gate.promise });
  const early = await goOn(history("a", "y"));
  gate.open();
  const kept: readonly ReturnType<ReturnType<typeof createConversations>["all"]>[number][] = [early, await late];
  expect(found.has(trunk)).toBe(false);
  expect([await goOn(history("a", "y", "z")), await goOn(history("a", "b", "x", "w"))]).toEqual(kept);
});

test("a log that is being closed is opened again when it is closed", async () => {
  const store = createMemorySessionStore();
  const gate = opened();
  const order: string[] = [];
  const slowly = (writer: SessionWriter): SessionWriter => ({
    ...writer,
    close: async () => {
      await gate.promise;
      order.push("closed");
      await writer.close();
    },
  });
  const sessions: SessionStore = {
    ...store,
    create: async (start) => slowly(await store.create(start)),
    open: async (id, onEntry) => {
      order.push("opened");
      return await store.open(id, onEntry);
    },
  };
  const { goOn } = conversationsIn(sessions, 1);
  await goOn(history("a"), { key: "one" });
  await goOn(history("b"), { key: "two" });
  order.length = 0;
  const again = goOn(history("a", "c"), { key: "one" });
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  gate.open();
  await again;
  expect(order.slice(0, 2)).toEqual(["closed", "opened"]);
});
