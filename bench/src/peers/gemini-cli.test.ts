import { createSession, type Message, type SessionEntry } from "@plimsoll/core";
import { assistant, callPart, human, logOf, never, reply, result } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { GEMINI_CLI_PEER } from "./gemini-cli.ts";
import { asPublished } from "./peers.ts";

const WINDOW = { contextWindowTokens: 20_000, maxOutputTokens: 1_000 };
const LONG = "word ".repeat(4_000);

const said = (message: Message): SessionEntry => ({ type: "message", message });
const replied = (id: string) => said(reply(id, LONG));
const calling = said(assistant("c1", [callPart("call", "read")]));
const answered = said({ ...result("r1", "call", LONG), toolName: "read" });

/** A session of three human turns, far above half of the window. */
const ENTRIES: readonly SessionEntry[] = [
  ...logOf([human("u1", "Read."), reply("a1", LONG), human("u2", "Go on."), reply("a2", LONG)]),
  ...[said(human("u3", "Go on.")), replied("a3")],
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
  session.append(said(human("u4", "Go on.")));
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
