import { createSession, type SessionEntry } from "@plimsoll/core";
import { expect, test } from "vitest";
import { GEMINI_CLI_PEER } from "./gemini-cli.ts";
import { asPublished } from "./peers.ts";

const never = new AbortController().signal;
const WINDOW = { contextWindowTokens: 20_000, maxOutputTokens: 1_000 };
const LONG = "word ".repeat(4_000);

const said = (id: string, text: string): SessionEntry => ({
  type: "message",
  message: { role: "user", id, origin: "human", parts: [{ type: "text", text }], atMs: null },
});
const replied = (id: string): SessionEntry => ({
  type: "message",
  message: {
    role: "assistant",
    id,
    origin: "model",
    parts: [{ type: "text", text: LONG }],
    modelId: null,
    requestId: null,
    stopReason: null,
    atMs: null,
  },
});

const base = { atMs: null, parts: [{ type: "text", text: LONG }] } as const;
const calling: SessionEntry = {
  type: "message",
  message: {
    role: "assistant",
    id: "c1",
    origin: "model",
    parts: [{ type: "tool-call", callId: "call", toolName: "read", argumentsJson: "{}", paths: [] }],
    modelId: null,
    requestId: null,
    stopReason: null,
    atMs: null,
  },
};
const answered: SessionEntry = {
  type: "message",
  message: { ...base, role: "tool-result", id: "r1", callId: "call", toolName: "read", isError: false, category: "generic" },
};

/** A session of three human turns, far above half of the window. */
const ENTRIES: readonly SessionEntry[] = [
  { type: "session", version: 2, id: "s", createdMs: 0, parent: null, agent: null, system: "", tools: [] },
  said("u1", "Read."),
  replied("a1"),
  said("u2", "Go on."),
  replied("a2"),
  said("u3", "Go on."),
  replied("a3"),
];

test("a snapshot that is larger than what it replaces is thrown away, and none is asked for until the person speaks", async () => {
  let asked = 0;
  const session = createSession({
    policy: asPublished(GEMINI_CLI_PEER.policy),
    entries: ENTRIES,
    summarizer: async () => {
      asked += 1;
      return { text: LONG.repeat(4), usage: null, modelId: null, stopReason: "end" };
    },
  });
  const fit = () => session.fit({ gate: "before-step", pending: [], model: WINDOW, nowMs: null }, never);
  const before = session.view().viewHash;
  expect(await fit()).toMatchObject({ kind: "failed", steps: [{ strategy: "summarize", outcome: "no-progress" }] });
  expect(session.view().viewHash).toBe(before);
  const askedOnce = asked;
  expect(askedOnce).toBeGreaterThan(0);
  session.append(replied("a4"));
  expect(await fit()).not.toMatchObject({ kind: "compacted" });
  expect(asked).toBe(askedOnce);
  session.append(said("u4", "Go on."));
  await fit();
  expect(asked).toBeGreaterThan(askedOnce);
});

test("within one human turn it finds no place to cut", async () => {
  const session = createSession({
    policy: asPublished(GEMINI_CLI_PEER.policy),
    entries: [...ENTRIES.slice(0, 3), calling, answered],
    summarizer: () => Promise.reject(new Error("asked for a summary")),
  });
  const outcome = await session.fit({ gate: "before-step", pending: [], model: WINDOW, nowMs: null }, never);
  expect(outcome).toMatchObject({ kind: "failed", steps: [{ strategy: "summarize", outcome: "not-applicable" }] });
});
