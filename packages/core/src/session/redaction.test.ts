import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import { createDigest } from "../memory/digest.ts";
import { type AssistantMessage, type MessageDraft, textOf, withId } from "../message/message.ts";
import { PLIMSOLL_MODEL_POLICY, PLIMSOLL_VENDOR_POLICY } from "../policy/presets/plimsoll.ts";
import type { SessionStore, SummaryRequest } from "../ports.ts";
import {
  assistant,
  callPart,
  compaction,
  human,
  logOf,
  result,
  sessionStart,
  summarized,
  summaryMessage,
} from "../testing/builders.ts";
import { thrown } from "../testing/unusable-answers.ts";
import { createSession, openSession } from "./open-session.ts";
import { createRedaction, type Redact } from "./redaction.ts";
import type { Session } from "./session.ts";

const KEY = "sk-planted-0123456789abcdef";
const hide: Redact = (text) => text.split(KEY).join("[key]");
const tools = [{ name: "read", description: `Reads with ${KEY}.`, parametersJson: "{}" }];
const START: SessionEntry = { ...sessionStart(`Use ${KEY}.`), tools };
const said = (text: string): MessageDraft => human("", text);
const reply = (...parts: AssistantMessage["parts"]): MessageDraft => assistant("", parts);
const call = (argumentsJson: string) => callPart("c", "tool", { argumentsJson });

/** Cuts by hand in a small window. */
function cut(session: Session, focus: string | null = null) {
  const model = { contextWindowTokens: 8_000, maxOutputTokens: 1_000 };
  const input = { gate: "before-step", pending: [], model, now: { reason: "manual", keep: null }, focus } as const;
  return session.fit(input, new AbortController().signal);
}

function opened(redact: Redact, summarizer = createDigest()) {
  return createSession({ policy: PLIMSOLL_MODEL_POLICY, summarizer, redact, entries: [START] });
}

describe("a planted key", () => {
  test("is in no request, no log and no recall, under the id of the redacted text", async () => {
    const session = opened(hide);
    const message = await session.say(said(`My key is ${KEY}.`));
    await session.say(reply(call(`{"key":"${KEY}"}`)));
    await session.say(result("", "c", `KEY=${KEY}`));
    expect(message.id).toBe(withId(said("My key is [key]."), null).id);
    expect(JSON.stringify([session.context(), session.entries()])).not.toContain("sk-planted");
    expect(JSON.stringify(await session.recall(message.id, { startChar: 0, maximumChars: 100 }))).toContain("[key]");
  });

  test("is in no request for a summary, and in no context after an undo", async () => {
    const asked: SummaryRequest[] = [];
    const session = opened(hide, async (request) => {
      asked.push(request);
      throw new Error("no summary");
    });
    for (let turn = 0; turn < 8; turn++) {
      await session.say(said(`Turn ${turn} with ${KEY}. ${"words ".repeat(300)}`));
      await session.say(reply({ type: "text", text: `Seen ${KEY}.` }));
    }
    await cut(session, KEY);
    await session.undo();
    expect(asked.length).toBeGreaterThan(0);
    expect(JSON.stringify([asked, session.context()])).not.toContain("sk-planted");
  });

  test.each([
    ["of the request alone stays in the log", "request", false, true],
    ["of the log is in no request either", "log", false, false],
  ] as const)("%s", async (_, border, isSent, isLogged) => {
    const session = opened((text, where) => (where === border ? hide(text, where) : text));
    await session.say(said(KEY));
    expect(JSON.stringify(session.context()).includes(KEY)).toBe(isSent);
    expect(JSON.stringify(session.entries()).includes(KEY)).toBe(isLogged);
  });

  test("in signed reasoning takes the reasoning along, and changes no other", async () => {
    const session = opened(hide);
    const opaque = { type: "thinking", signature: "sealed" };
    const whole = { type: "reasoning", text: "A thought.", opaque } as const;
    await session.say(reply({ type: "reasoning", text: `I saw ${KEY}.`, opaque }, whole, { type: "text", text: "Done." }));
    await session.say(reply({ type: "reasoning", text: KEY, opaque }));
    const [first, second] = session.context().messages;
    expect(first?.parts).toEqual([whole, { type: "text", text: "Done." }]);
    expect(second === undefined ? "" : textOf(second)).toBe("[removed]");
  });
});

test("no vendor's summary is missed where the request has none to ask for", async () => {
  const options = { policy: PLIMSOLL_VENDOR_POLICY, summarizer: createDigest(), redact: hide, entries: [START] };
  const session = createSession({ ...options, compact: undefined });
  for (let turn = 0; turn < 8; turn++) await session.say(said(`Turn ${turn}. ${"words ".repeat(300)}`));
  expect(JSON.stringify(await cut(session))).toContain('"strategy":"digest","outcome":"applied"');
  expect(JSON.stringify(session.entries())).not.toContain('"failed"');
});

test("what compactions write is redacted in the log, too", async () => {
  const session = createSession({
    policy: PLIMSOLL_MODEL_POLICY,
    summarizer: async () => ({ text: `## Goal\n\nUse ${KEY}.`, usage: null, stopReason: "end" }),
    redact: hide,
    pinned: [`Always use ${KEY}.`],
    entries: [START],
  });
  for (let turn = 0; turn < 8; turn++) {
    await session.say(said(`Turn ${turn}. ${"words ".repeat(300)}`));
    await session.say(reply({ type: "text", text: "Seen." }));
  }
  const { entry } = await cut(session);
  expect(JSON.stringify(entry)).toContain("Always use [key].");
  expect(JSON.stringify([entry, session.entries()])).not.toContain("sk-planted");
});

/** A store of one log. */
function storeOf(log: readonly SessionEntry[]): SessionStore {
  const absent = () => Promise.reject(new Error("absent"));
  const done = async () => undefined;
  const entryAt = async (index: number) => log[index] ?? (await absent());
  const handOver = async (_: string, onEntry: (entry: SessionEntry) => void = () => undefined) => {
    for (const entry of log) onEntry(entry);
    return { writer: { sessionId: "s", append: done, entryAt, close: done }, entries: [], cutOff: null };
  };
  return { create: absent, open: handOver, read: handOver, list: absent, branch: absent, delete: done };
}

test("a log from before is redacted when it is opened, recalled from and undone", async () => {
  const summary = compaction("cut", [summarized(summaryMessage("sum", KEY), ["u0", "u0"])]);
  const store = storeOf([...logOf([human("u0", KEY), human("u1", "Go on.")]), summary]);
  const redact: Redact = (text, where) => (where === "log" ? hide(text, where) : text);
  const setting = { policy: PLIMSOLL_MODEL_POLICY, summarizer: createDigest(), redact };
  const { session } = await openSession(setting, store, { sessionId: "s" });
  const opened = session.context();
  const recalled = await session.recall("u0", { startChar: 0, maximumChars: 100 });
  await session.undo();
  expect([opened.messages[0], recalled, session.context().messages[0]]).toMatchObject([
    { id: "sum", parts: [{ text: "[key]" }] },
    { text: "[key]" },
    { id: "u0", parts: [{ text: "[key]" }] },
  ]);
});

test("a redactor of long words leaves calls with their results", async () => {
  const session = opened((text) => text.replace(/\w{20,}/g, "[key]"));
  const [callId, toolName] = ["call_0123456789abcdefghij", "read_many_files_at_once"];
  await session.say(said("Read it."));
  await session.say(reply({ ...call('{"key":"0123456789abcdefghij"}'), callId, toolName }));
  await session.say({ ...result("", callId, "Done."), toolName });
  const [, called, answered] = session.context().messages;
  expect(called?.parts).toEqual([{ ...call('{"key":"[key]"}'), callId, toolName }]);
  expect(answered).toMatchObject({ callId, toolName });
});

let calls = 0;

test.each<[string, Redact, RegExp]>([
  ["throws", thrown, /the redactor failed/],
  ["is not idempotent", (text) => `${text}!`, /not idempotent/],
  ["is not pure", (text) => (text.includes("#") ? text : `#${++calls}`), /not pure/],
  ["gives no text", () => undefined as unknown as string, /gave no text/],
])("a redactor that %s stops with a typed error, and nothing is logged", async (_, redact, message) => {
  const session = createSession({ policy: PLIMSOLL_MODEL_POLICY, summarizer: createDigest(), redact });
  await expect(session.say(said("words"))).rejects.toMatchObject({
    code: "bad-input",
    message: expect.stringMatching(message),
  });
  expect(session.entries()).toEqual([]);
});

const item = (value: object) => JSON.stringify(createRedaction(hide).item(value));

test.each<[string, object]>([
  ["a text that begins as an address of data does", { text: `data: ${KEY}` }],
  ["an address whose data are no bytes", { text: `data:text/plain,${KEY}` }],
  ["an argument of that name", { input: { data: `key ${KEY}` } }],
  ["an argument of that name without a media type", { input: { data: KEY } }],
  ["a document that is text", { source: { type: "text", media_type: "text/plain", data: KEY } }],
])("%s is redacted", (_, value) => {
  expect(item(value)).not.toContain("sk-planted");
});

test.each<[string, object]>([
  ["of pi", { type: "thinking", thinking: KEY, thinkingSignature: "sealed" }],
  ["of the AI SDK", { type: "reasoning", text: KEY, providerOptions: { anthropic: { signature: "sealed" } } }],
])("signed reasoning %s leaves its list", (_, reasoning) => {
  const text = { type: "text", text: "Done." };
  expect(item({ content: [reasoning, text] })).toBe(JSON.stringify({ content: [text] }));
});

test.each<[string, unknown, unknown]>([
  [
    "an item of reasoning leaves its array",
    [
      { type: "reasoning", summary: [{ text: KEY }], encrypted_content: "c2VhbGVk" },
      { type: "compaction", encrypted_content: KEY },
    ],
    [{ type: "compaction", encrypted_content: KEY }],
  ],
  [
    "a thought of Gemini's leaves its parts",
    { parts: [{ text: KEY, thought: true, thoughtSignature: "c2VhbGVk" }, { text: "Done." }] },
    { parts: [{ text: "Done." }] },
  ],
  [
    "a call leaves its seal, since its result stays",
    { parts: [{ functionCall: { id: "c", name: "read", args: { key: KEY } }, thoughtSignature: "c2VhbGVk" }] },
    { parts: [{ functionCall: { id: "c", name: "read", args: { key: "[key]" } } }] },
  ],
  [
    "a result of a search leaves with its encrypted content",
    { content: [{ type: "web_search_result", title: KEY, encrypted_content: "c2VhbGVk" }] },
    { content: [] },
  ],
  ["a seal of another name", { content: [{ type: "thinking", text: KEY, ownSignature: "x" }] }, { content: [] }],
  [
    "a signature that is source code is text",
    { input: { signature: `f(a: ${KEY})` } },
    { input: { signature: "f(a: [key])" } },
  ],
])("what a vendor signed or encrypted is never changed: %s", (_, given, expected) => {
  expect(createRedaction(hide).item(given)).toEqual(expected);
});

test("arguments stay JSON under a redactor that takes all that follows, and ids and names stay", () => {
  const greedy = createRedaction((text) => text.replace(/(?:sk-|call_)\S+/g, "[key]"));
  const call = {
    type: "function",
    id: "call_1",
    function: { name: "sk-tool", arguments: JSON.stringify({ key: KEY, id: "call_2" }) },
  };
  const expected = { ...call, function: { name: "sk-tool", arguments: '{"key":"[key]","id":"[key]"}' } };
  expect(greedy.item({ tool_calls: [call] })).toEqual({ tool_calls: [expected] });
});

test("a summary's request hides what a request hides, and a report what it is to", () => {
  const asked: SummaryRequest[] = [];
  const at =
    (border: string): Redact =>
    (text, where) =>
      where === border ? hide(text, where) : text;
  const entry: SessionEntry = { type: "message", message: human("h", KEY) };
  const parts = [{ promptId: "p", messages: [human("h", KEY)] }];
  const shape = { maxTokens: 1, turnPrefixMaxTokens: 1, resultChars: 1, sections: [], prompts: [], focus: KEY };
  const { summarizer } = createRedaction(at("request"));
  const write = summarizer(async (request) => {
    asked.push(request);
    return { text: "", usage: null, stopReason: "end" };
  });
  Reflect.apply(write, undefined, [{ parts, ...shape }, new AbortController().signal]);
  expect(JSON.stringify(asked)).toContain("[key]");
  expect(JSON.stringify(asked)).not.toContain("sk-planted");
  expect(createRedaction(at("report")).entry(entry)).toEqual(entry);
  expect(JSON.stringify(createRedaction(at("report")).entry(entry, "report"))).not.toContain("sk-planted");
});

test.each<[string, object]>([
  ["an image", { source: { type: "base64", media_type: "image/png", data: KEY } }],
  ["a document of Gemini's", { inlineData: { mimeType: "application/pdf", data: KEY } }],
  ["an address that holds an image", { image_url: { url: `data:image/png;base64,${KEY}` } }],
])("bytes stay: %s", (_, value) => {
  expect(item(value)).toBe(JSON.stringify(value));
});
