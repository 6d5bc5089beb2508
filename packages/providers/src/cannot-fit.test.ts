import { NONE_POLICY, PLIMSOLL_POLICY, type Policy } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { ALL_DOORS, chatAnswer, type OpenDoor } from "../testing/doors.ts";
import { ITEM_FORMS } from "../testing/item-forms.ts";
import { COMPACTORS, WIRE_NAMES } from "../testing/kept-items.ts";
import { SESSION_WIRES, type SessionWire, WIRE_SESSIONS } from "../testing/wire-sessions.ts";
import { createChatCompactor } from "./drop-in/openai-chat.ts";

const LIMITS = { contextWindowTokens: 16_000, maxOutputTokens: 1_000 };
const GIANT = "word ".repeat(57_000);
const OLDER = "words of before ".repeat(400);

/** The parts of a giant message that a window cannot hold. */
const NAMED = {
  name: "PlimsollError",
  code: "context-overflow",
  message: expect.stringContaining("the person's last message"),
  details: { budgetTokens: 15_000, parts: expect.arrayContaining([expect.objectContaining({ what: "last-human-message" })]) },
};

const refusal = (message = "This model's maximum context length is 16000 tokens.") =>
  Object.assign(new Error(message), { status: 400, error: { message, code: "context_length_exceeded" } });

/** Says a giant text, after others: the requests that were sent of it, and the error that its sender got. */
async function said(open: OpenDoor, policy: Policy, before: readonly string[], giant = GIANT, words?: string) {
  const { say, send } = await open(policy, LIMITS);
  for (const [index, text] of before.entries()) {
    say(text);
    await send(async () => chatAnswer(`a${index}`, 1_500));
  }
  say(giant);
  let sent = 0;
  const error = await send(async () => {
    sent += 1;
    throw refusal(words);
  }).catch((thrown: unknown) => thrown);
  return { sent, error };
}

describe.each([
  ["alone", []],
  ["behind an older turn", [OLDER]],
])("a message that no cut makes fit, %s", (_, before) => {
  test.each(ALL_DOORS)("through %s: what is thrown names the parts, after the best view was sent once", async (name, open) => {
    const { sent, error } = await said(open, PLIMSOLL_POLICY, before);
    expect({ sent, error }).toMatchObject({ sent: name.startsWith("a program") ? 0 : 1, error: NAMED });
  });

  test.each(ALL_DOORS)("through %s without compaction: the vendor's refusal is the caller's", async (_door, open) => {
    const { sent, error } = await said(open, NONE_POLICY, before);
    expect({ sent, error }).toMatchObject({
      sent: 1,
      error: { message: expect.not.stringContaining("the person's last message") },
    });
  });
});

const COUNTED = "This model's maximum context length is 16000 tokens. However, your messages resulted in 16900 tokens.";

test.each(ALL_DOORS)("through %s: a message that only the vendor counts as too large is named, too", async (_, open) => {
  expect((await said(open, PLIMSOLL_POLICY, [], "word ".repeat(13_000), COUNTED)).error).toMatchObject(NAMED);
});

const options = { policy: PLIMSOLL_POLICY, limits: LIMITS };
const chat = [OLDER, GIANT].map((content) => ({ role: "user", content }) as const);
const turns = (["user", "assistant", "user"] as const).map((role) => ({ role, content: "go on" }));
const opened = async (wire: SessionWire) => {
  const { user, request } = await WIRE_SESSIONS[wire]({ ...options, model: "m" });
  user(GIANT);
  return await request();
};

test.each<[string, () => Promise<unknown>]>([
  ...WIRE_NAMES.map((wire): [string, () => Promise<unknown>] => {
    const { said: itemOf } = ITEM_FORMS[wire];
    return [wire, () => COMPACTORS[wire](options).fit([Object(itemOf(OLDER)), Object(itemOf(GIANT))])];
  }),
  ["a system text behind older turns", () => createChatCompactor(options).fit([{ role: "system", content: GIANT }, ...turns])],
  ["a request's own limits", () => createChatCompactor({ ...options, limits: NO_LIMITS }).fit(chat, { limits: LIMITS })],
  ...SESSION_WIRES.map((wire): [string, () => Promise<unknown>] => [`a session of ${wire}`, () => opened(wire)]),
])("what is only handed back rejects where the caller named the limits: %s", async (_, fit) => {
  await expect(fit()).rejects.toMatchObject(NAMED);
});

const NO_LIMITS = { contextWindowTokens: null, maxOutputTokens: null };

test.each<[string, () => Promise<readonly unknown[]>]>([
  ["nobody named a window", () => createChatCompactor({ ...options, limits: NO_LIMITS }).fit(chat)],
  ["the caller sends it all the same", () => createChatCompactor(options).fit(chat, { oversized: "sent" })],
  ["compaction is off", () => createChatCompactor({ ...options, policy: NONE_POLICY }).fit(chat)],
])("the array comes back where %s", async (_, fit) => {
  expect(JSON.stringify(await fit())).toContain(GIANT);
});
