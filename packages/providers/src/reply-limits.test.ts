import { type ModelLimits, PLIMSOLL_POLICY } from "@plimsoll/core";
import { expect, onTestFinished, test } from "vitest";
import { ALL_DOORS, chatAnswer, openPartDoor, PART_DOORS, untilTaken } from "../testing/doors.ts";
import { KEPT_NAMES, keptHistory } from "../testing/kept-items.ts";
import { proxyInMemory } from "../testing/proxy-in-memory.ts";
import { SESSION_WIRES, type SessionWire, WIRE_SESSIONS } from "../testing/wire-sessions.ts";
import { createAnthropicSession } from "./anthropic/session.ts";
import { classifyProviderError, outcomeOf } from "./overflow.ts";

test.each<[string, number | null]>([
  ["max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5", 64_000],
  [
    "max_tokens is too large: 200000. This model supports at most 16384 completion tokens, whereas you provided 200000.",
    16_384,
  ],
  ["Range of max_tokens should be [1, 8192]", 8192],
  ["The maximum tokens you requested exceeds the model limit of 32768", 32_768],
  ["max_tokens must be less than or equal to `8192`", 8192],
])("what %j names", (message, limit) => {
  const failure = { status: 400, message, body: { error: { message } } };
  expect(outcomeOf(failure, classifyProviderError(failure).class)).toEqual({ kind: "reply-too-large", limit });
});

const ASKED = 64_000;
const refusal = (words: string) =>
  Object.assign(new Error(`400 ${words}`), { status: 400, error: { error: { message: words } } });
const TOO_LONG = refusal("max_tokens is too large: 64000. This model supports at most 4096 completion tokens.");

/** The replies that the requests of a session ask for; the first is refused if `error` is given. */
async function askedBy(wire: SessionWire, windowTokens: number, told: string[], error?: Error): Promise<unknown[]> {
  const session = await WIRE_SESSIONS[wire]({
    model: "m",
    policy: PLIMSOLL_POLICY,
    limits: { contextWindowTokens: windowTokens, maxOutputTokens: ASKED },
    onEvent: ({ type }) => told.push(type),
  });
  const asked: unknown[] = [];
  const stop = new Error("stop");
  const call = async (body: unknown) => {
    asked.push(...Object.entries(Object(body)).flatMap(([key, value]) => (/^max_.*tokens$/.test(key) ? [value] : [])));
    throw asked.length === 1 ? (error ?? stop) : stop;
  };
  session.user("Go on.");
  await session.send(call).catch(() => null);
  return asked;
}

test.each(SESSION_WIRES)(
  "%s: a session asks for less where the reply fills the window, says so once, and asks for what the vendor allows",
  async (wire) => {
    const told: string[] = [];
    expect(await askedBy(wire, 64_000, told)).toEqual([16_000]);
    expect(told).toEqual(["reply-lowered"]);
    expect(await askedBy(wire, 200_000, told)).toEqual([ASKED]);
    expect(await askedBy(wire, 200_000, told, TOO_LONG)).toEqual([ASKED, 4096]);
    expect(told).toHaveLength(1);
  },
);

const proxyOf = (limits: ModelLimits, told: string[]) => proxyInMemory({ limits, onEvent: ({ type }) => told.push(type) });

test("the proxy asks for less in the same bytes otherwise", async () => {
  const told: string[] = [];
  const compaction = proxyOf({ contextWindowTokens: 64_000, maxOutputTokens: null }, told);
  const messages =
    '[ {"role": "user", "content": "\\"max_tokens\\": 64000"} , {"role":"assistant","content":"Yes."},{"role":"user","content":"On."}]';
  const body = (tokens: number) =>
    `{ "model": "m",  "max_tokens" : ${tokens}, "messages": ${messages}, "tools": [{"name":"t","input_schema":{}}] }`;
  const request = {
    path: "/v1/messages",
    headers: { "x-session-id": "one" },
    bodyText: body(ASKED),
    signal: new AbortController().signal,
  };
  const prepared = await compaction.prepare(request);
  expect(prepared?.bodyText).toBe(body(16_000));
  expect(told).toEqual(["reply-lowered"]);
  const words = "max_tokens: 16000 > 8192, which is the maximum allowed number of output tokens for m";
  const next = await prepared?.recover({ status: 400, bodyText: JSON.stringify({ error: { message: words } }) }, 0);
  expect(next?.bodyText).toBe(body(8192));
  await compaction.close();
});

const KEEPERS = [...PART_DOORS, ...KEPT_NAMES.map((name) => [name, "drop-in that is told replies"] as const)];

test.each(
  KEEPERS.filter(([, through]) => through !== "drop-in").flatMap(
    ([name, through]) =>
      [
        [name, through, "max_tokens is too large: 64000. This model supports at most 4096 completion tokens.", 4096],
        [name, through, "max_tokens=64000 cannot be greater than max_model_len=32768.", 32_768],
        [name, through, "max_tokens must be less than the context window", 32_000],
      ] as const,
  ),
)(
  "items of %s through a %s: the reply is what the model gives from the first refusal on: %s",
  async (name, through, message, most) => {
    const door = openPartDoor(name, { through, replyTokens: ASKED });
    onTestFinished(door.close);
    const refused = (_: unknown, reply: number) =>
      reply > most ? { status: 400, body: { message, param: "max_tokens" } } : null;
    const first = keptHistory(name, [{ id: "c0", seal: null }]);
    const then = [...first, ...keptHistory(name, [{ id: "c1", seal: null }]).slice(1)];
    expect(await untilTaken(door, first, refused)).toEqual({ requests: 2, items: first, failure: null });
    expect(await untilTaken(door, then, refused)).toEqual({ requests: 1, items: then, failure: null });
  },
);

const BUDGET = { type: "enabled", budget_tokens: 30_000 } as const;

test("no reply is asked for that is shorter than the thinking that the caller's own request buys", async () => {
  const limits = { contextWindowTokens: 64_000, maxOutputTokens: ASKED };
  const request = { model: "m", max_tokens: ASKED, thinking: BUDGET };
  const session = await createAnthropicSession({ policy: PLIMSOLL_POLICY, limits, request });
  session.user("Go on.");
  expect(await session.request()).toMatchObject({ max_tokens: 30_001 });
  const compaction = proxyOf(limits, []);
  const messages = [{ role: "user", content: "Go on." }];
  const bodyText = JSON.stringify({ ...request, messages, tools: [{ name: "t", input_schema: {} }] });
  const { signal } = new AbortController();
  const prepared = await compaction.prepare({ path: "/v1/messages", headers: { "x-session-id": "one" }, bodyText, signal });
  expect(prepared?.bodyText).toContain('"max_tokens":30001');
  await compaction.close();
});

/** A person's message of some 45,000 tokens, which nothing cuts, and a reply that would have fit beside less. */
const LONG = "some words of a person ".repeat(7_800);
const BESIDE = { contextWindowTokens: 64_000, maxOutputTokens: 30_000 };

test.each(ALL_DOORS.filter(([name]) => name === "a session" || name === "a proxy"))(
  "a reply that does not fit beside what cannot be cut is lowered, with a word: by %s",
  async (_, open) => {
    const told: string[] = [];
    const asked: (number | null | undefined)[] = [];
    const door = await open(PLIMSOLL_POLICY, BESIDE, { onEvent: ({ type }) => told.push(type) });
    for (const text of ["Go on.", LONG]) {
      door.say(text);
      await door.send(async ({ max_tokens }) => {
        asked.push(max_tokens);
        return chatAnswer(`r${asked.length}`, 100);
      });
    }
    const [first, second = 0] = asked;
    expect(first).toBe(BESIDE.maxOutputTokens);
    expect(second).toBeGreaterThan(5_000);
    expect(second).toBeLessThan(28_000);
    expect(told.filter((type) => type === "reply-lowered")).toHaveLength(1);
  },
);
