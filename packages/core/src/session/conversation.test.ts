import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import { PlimsollError } from "../error.ts";
import { createDigest } from "../memory/digest.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import type { SessionWriter } from "../ports.ts";
import { human, sessionStart } from "../testing/builders.ts";
import { createSession } from "./open-session.ts";

const model = { contextWindowTokens: 10_000, maxOutputTokens: 1_000 };
const setting = { policy: PLIMSOLL_POLICY, summarizer: createDigest(), nowMs: () => null };

/** A writer that never answers, and a clock that is still until it is started. */
function deafStore() {
  const appended: (readonly SessionEntry[])[] = [];
  const waiting: (() => void)[] = [];
  const writer: SessionWriter = {
    sessionId: "deaf",
    append: (entries) => {
      appended.push(entries);
      return new Promise(() => undefined);
    },
    entryAt: () => Promise.reject(new Error("deaf")),
    close: async () => undefined,
  };
  const wait = () => new Promise<void>((resolve) => waiting.push(resolve));
  const conversation = createSession({ ...setting, entries: [sessionStart()], writer, wait, answerDeadlineMs: 70 });
  const letTimePass = () => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  return { conversation, appended, letTimePass };
}

describe("a store that does not answer", () => {
  test("holds up no fit whose caller gives up", async () => {
    const { conversation } = deafStore();
    conversation.append({ type: "message", message: human("u", "go") });
    const abort = new AbortController();
    const fitted = conversation.fit({ gate: "before-step", pending: [], model }, abort.signal);
    abort.abort(new Error("enough"));
    await expect(fitted).rejects.toThrow("enough");
  });

  test("is given up after the deadline; what comes after it is refused until the log is opened again", async () => {
    const { conversation, appended, letTimePass } = deafStore();
    conversation.append({ type: "message", message: human("u", "go") });
    const first = conversation.flush();
    await Promise.resolve().then(() => undefined);
    letTimePass();
    await expect(first).rejects.toThrow("session deaf: the store did not answer within 70 ms; open the session again");
    conversation.append({ type: "message", message: human("v", "on") });
    await expect(conversation.flush()).rejects.toThrow("did not answer");
    expect(appended).toHaveLength(1);
  });
});

test("a log that another writer has is let go by its close, which rejects", async () => {
  const closed: string[] = [];
  const conflict = new PlimsollError("session-conflict", "another writer wrote to session one");
  const writer: SessionWriter = {
    sessionId: "one",
    append: () => Promise.reject(conflict),
    entryAt: () => Promise.reject(conflict),
    close: async () => void closed.push("one"),
  };
  const conversation = createSession({ ...setting, entries: [sessionStart()], writer });
  conversation.append({ type: "message", message: human("u", "go") });
  await expect(conversation.close()).rejects.toBe(conflict);
  expect(closed).toEqual(["one"]);
});

test("a report of a view that is no longer the newest is not logged", async () => {
  const conversation = createSession({ ...setting, entries: [sessionStart()], writer: null });
  const before = conversation.view();
  await conversation.say({ role: "user", origin: "human", parts: [{ type: "text", text: "go" }], atMs: null });
  const reported = { requestId: "q", modelId: "m", usage: SMALL_USAGE };
  expect(await conversation.report(before, reported)).toBeNull();
  expect(await conversation.report(conversation.view(), reported)).toMatchObject({ type: "usage", requestId: "q" });
  const unnamed = await conversation.report(conversation.view(), { ...reported, requestId: "" });
  expect(unnamed).toMatchObject({ type: "usage", requestId: "unnamed" });
});

const SMALL_USAGE = {
  input: { totalTokens: 7, uncachedTokens: 7, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWriteOneHourTokens: null },
  output: { totalTokens: 1, reasoningTokens: null },
  billed: { inputTokens: 7, outputTokens: 1 },
  raw: null,
};
