import { createDigest, createMemoryArtifactStore, PLIMSOLL_POLICY } from "@plimsoll/core";
import { MAXIMUM_LINE_BYTES, openSession } from "@plimsoll/core/extend";
import { human, sessionStart } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { createMemorySessionStore } from "./memory-session-store.ts";
import { ARTIFACT_STORE_CONTRACT } from "./testing/artifact-store-contract.ts";
import { SESSION_STORE_CONTRACT } from "./testing/session-store-contract.ts";

describe("memory session store", () => {
  test.each(SESSION_STORE_CONTRACT)("$rule", ({ run }) => run(async () => createMemorySessionStore()));
});

describe("memory artifact store", () => {
  test.each(ARTIFACT_STORE_CONTRACT)("$rule", ({ run }) => run(async () => createMemoryArtifactStore()));
});

const model = { contextWindowTokens: 10_000, maxOutputTokens: 1_000 };
const setting = { policy: PLIMSOLL_POLICY, summarizer: createDigest(), nowMs: () => null };

test("an entry that the store would refuse is refused before it is folded, and the conversation goes on", async () => {
  const sessions = createMemorySessionStore();
  const { session: conversation } = await openSession(setting, sessions, sessionStart());
  const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
  const parts = [{ type: "reasoning", text: "why", opaque: deep } as const];
  const draft = { role: "assistant", origin: "model", modelId: null, requestId: null, stopReason: null, atMs: null } as const;
  await expect(conversation.say({ ...draft, parts })).rejects.toMatchObject({ code: "session-limit" });
  const setup = { type: "setup-change", id: "s", system: "\0".repeat(MAXIMUM_LINE_BYTES / 6), tools: [], atMs: null } as const;
  expect(() => conversation.append(setup)).toThrow("a line of more than");
  await conversation.say({ role: "user", origin: "human", parts: [{ type: "text", text: "go" }], atMs: null });
  await conversation.fit({ gate: "before-step", pending: [], model }, new AbortController().signal);
  expect((await sessions.read(sessionStart().id))?.entries.map(({ type }) => type)).toEqual(["session", "message"]);
});

test("a store that hands no entries over, but answers with them, loses none", async () => {
  const sessions = createMemorySessionStore();
  const writer = await sessions.create(sessionStart());
  await writer.append([{ type: "message", message: human("u", "go") }]);
  await writer.close();
  const whole = { ...sessions, open: (sessionId: string) => sessions.open(sessionId) };
  const { session: conversation } = await openSession(setting, whole, { sessionId: sessionStart().id });
  expect(conversation.context().messages.map(({ id }) => id)).toEqual(["u"]);
  expect(conversation.messageIds()).toEqual(["u"]);
});
