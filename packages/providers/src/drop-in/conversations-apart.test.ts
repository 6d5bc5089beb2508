import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type Anthropic from "@anthropic-ai/sdk";
import { createDigest, PLIMSOLL_MODEL_POLICY, PLIMSOLL_POLICY, type Policy, type SessionStore } from "@plimsoll/core";
import { createFileSessionStore, createMemorySessionStore } from "@plimsoll/stores";
import { expect, test } from "vitest";
import { anthropicAnswer } from "../../testing/array-drop-ins.ts";
import { createMessagesCompactor } from "./anthropic.ts";
import type { CompactorOptions } from "./request.ts";

const NO_ANSWER = anthropicAnswer("msg", 3_000);
const limits = { contextWindowTokens: 6_000, maxOutputTokens: 500 };
const KEYS = ["a", "b", "c", "d"];

type Messages = readonly Anthropic.MessageParam[];
const user = (content: string) => ({ role: "user", content }) as const;
const bot = (content: string) => ({ role: "assistant", content }) as const;
const talk = (marker: string, messages: number, chars = 0): Anthropic.MessageParam[] =>
  Array.from({ length: messages }, (_, index) => (index % 2 ? bot : user)(`${marker} ${index} ${"text ".repeat(chars / 5)}`));
const calling = (...ids: string[]): Anthropic.MessageParam => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "run", input: {} })),
});
const answering = (results: { readonly [id: string]: string }): Anthropic.MessageParam => ({
  role: "user",
  content: Object.entries(results).map(([id, content]) => ({ type: "tool_result", tool_use_id: id, content })),
});

function fileStore(): SessionStore {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-apart-"));
  return createFileSessionStore({ folder });
}

const stores: readonly [string, () => SessionStore][] = [
  ["memory", createMemorySessionStore],
  ["files", fileStore],
];

/** A compactor that counts the summaries it pays for. */
function counted(policy: Policy, more: Partial<CompactorOptions> = {}) {
  const requests: string[] = [];
  const digest = createDigest();
  const compactor = createMessagesCompactor({
    policy,
    limits,
    nowMs: () => 0,
    summarizer: (request, signal) => {
      requests.push(JSON.stringify(request));
      return digest(request, signal);
    },
    ...more,
  });
  return { compactor, requests };
}

test.each([
  ["without a key", {}],
  ["under one key", { conversation: "parent" }],
])("a sub-agent between the steps of its parent changes nothing for it, %s", async (_, key) => {
  const { compactor, requests } = counted(PLIMSOLL_MODEL_POLICY);
  const alone = counted(PLIMSOLL_MODEL_POLICY);
  for (let length = 1; length <= 61; length += 2) {
    const parent = talk("parent-text", length, 1_000);
    const sent = await compactor.fit(parent, { ...key, system: "You lead." });
    expect(sent).toEqual(await alone.compactor.fit(parent, { ...key, system: "You lead." }));
    const subAgent = await compactor.fit(talk(`sub-${length % 4}`, length, 1_000), { ...key, system: "You help." });
    expect(JSON.stringify(subAgent)).not.toContain("parent-text");
  }
  expect(requests.filter((text) => text.includes("parent-text") && text.includes("sub-"))).toEqual([]);
  expect(alone.requests.length).toBeGreaterThan(0);
});

test("two people who begin alike share that beginning alone; under another system text nothing", async () => {
  const { compactor } = counted(PLIMSOLL_POLICY);
  const hi = user("hi");
  const histories = ["first-person", "second-person"].map((name) => [hi, ...talk(name, 60, 1_000).map(swapped)]);
  for (let length = 1; length <= 61; length += 2)
    for (const history of histories) {
      const [own, other] = history === histories[0] ? ["first", "second"] : ["second", "first"];
      const text = JSON.stringify(await compactor.fit(history.slice(0, length), { system: "You help." }));
      expect([own, text.includes(`${other}-person`)]).toEqual([own, false]);
    }
  expect(compactor.conversations()).toHaveLength(2);
  await compactor.fit([hi], { system: "You are another." });
  expect(compactor.conversations()).toHaveLength(3);
});

const swapped = ({ content }: Anthropic.MessageParam, index: number) =>
  ({ role: index % 2 ? "user" : "assistant", content }) as const;

const opening: Messages = [user("go"), calling("a", "b"), answering({ a: "first", b: "second" }), bot("done"), user("more")];

test.each<[string, Messages]>([
  ["an edited result", [...opening.slice(0, 2), answering({ a: "first", b: "EDITED" })]],
  ["an edited request", [user("GO"), ...opening.slice(1)]],
  ["a reply that was made again", [...opening.slice(0, 3), bot("done otherwise"), user("more")]],
  ["an earlier end", opening.slice(0, 3)],
  ["another last message", [...opening.slice(0, 4), user("something else")]],
])("%s: what is sent is the history as it is now, again and again", async (_, changed) => {
  const { compactor } = counted(PLIMSOLL_POLICY);
  for (let round = 0; round < 3; round++) {
    expect(await compactor.fit(opening)).toEqual(opening);
    expect(await compactor.fit(changed)).toEqual(changed);
    const further = [...changed, bot(`round ${round}`), user("on")].slice(changed.at(-1)?.role === "user" ? 0 : 1);
    expect(await compactor.fit(further)).toEqual(further);
  }
});

test("a message at the end that is another one at each step is sent alone, and never an old one", async () => {
  const { compactor } = counted(PLIMSOLL_POLICY);
  for (let length = 1; length < 60; length += 2) {
    const now = user(`it is ${length} o'clock`);
    const text = JSON.stringify(await compactor.fit([...talk("body", length - 1, 1_000), now]));
    expect(text.match(/it is \d+ o'clock/g)).toEqual([now.content]);
  }
});

test("two calls at once on one history both end, also if one of them does not fit", async () => {
  const { compactor } = counted(PLIMSOLL_POLICY);
  const history = talk("body", 31, 600);
  let calls = 0;
  const call = async (sent: Messages) => {
    calls += 1;
    if (calls === 1) throw Object.assign(new Error("400 prompt is too long: 5000 tokens > 4000 maximum"), { status: 400 });
    return { ...NO_ANSWER, content: [{ type: "text", text: JSON.stringify(sent), citations: null } as const] };
  };
  const answers = await Promise.all([compactor.send(history, call), compactor.send(history, call)]);
  expect(calls).toBe(3);
  expect(answers.every(({ content }) => JSON.stringify(content).includes("body 30"))).toBe(true);
  expect(compactor.conversations()).toHaveLength(1);
});

const ODD_KEYS = [..."user User USER a/b ../a ü key-user hash-user a.b a".split(" "), "a b", "\u0000", "", "k".repeat(5_000)];

test.each(stores)("keys that differ are conversations that differ, in %s", async (_, make) => {
  const sessions = make();
  const { compactor } = counted(PLIMSOLL_POLICY, { sessions });
  for (const key of ODD_KEYS) await compactor.fit([user("hi")], { conversation: key });
  expect(new Set((await sessions.list()).map(({ sessionId }) => sessionId.toLowerCase()))).toHaveProperty(
    "size",
    ODD_KEYS.length,
  );
  for (const [index, key] of ODD_KEYS.entries()) {
    await compactor.delete(key);
    expect(await sessions.list()).toHaveLength(ODD_KEYS.length - 1 - index);
    expect(compactor.conversations()).toHaveLength(ODD_KEYS.length - 1 - index);
  }
});

test.each<[string, Partial<CompactorOptions>]>([
  ["context", { context: () => ({ pinned: ["be brief"] }) }],
  ["sessions", { sessions: createMemorySessionStore() }],
])("%s without a key is an error that names the option", async (option, more) => {
  const { compactor } = counted(PLIMSOLL_POLICY, more);
  await expect(compactor.fit([user("hi")])).rejects.toMatchObject({ code: "bad-input", details: { option } });
});

test.each(stores)("a conversation that is deleted while it begins is gone, and begins anew, in %s", async (_, make) => {
  for (let ticks = 0; ticks < 30; ticks += 3) {
    const sessions = make();
    const { compactor } = counted(PLIMSOLL_POLICY, { sessions });
    const begun = compactor.fit([user("hi")], { conversation: "a" });
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    await compactor.delete("a");
    await begun;
    expect(await compactor.fit(talk("again", 3), { conversation: "a" })).toEqual(talk("again", 3));
    await compactor.delete("a");
    expect(await sessions.list()).toEqual([]);
  }
});

test.each(stores)(
  "few conversations in memory send what any number does, one after the other and at once, in %s",
  async (_, make) => {
    const few = counted(PLIMSOLL_MODEL_POLICY, { sessions: make(), maximumConversations: 1 });
    const many = counted(PLIMSOLL_MODEL_POLICY, { sessions: make() });
    for (let length = 1; length <= 31; length += 2) {
      const histories = KEYS.map((conversation) => ({ conversation, history: talk(conversation, length, 1_500) }));
      const fitAll = ({ compactor }: typeof few) =>
        histories.map(
          ({ history, conversation }) =>
            () =>
              compactor.fit(history, { conversation }),
        );
      const expected = await Promise.all(fitAll(many).map((fit) => fit()));
      expect(await Promise.all(fitAll(few).map((fit) => fit()))).toEqual(expected);
      for (const [index, fit] of fitAll(few).entries()) expect(await fit()).toEqual(expected[index]);
      expect(few.compactor.conversations().length).toBeLessThanOrEqual(1);
    }
    expect(many.requests.length).toBeGreaterThan(0);
    expect(few.requests).toHaveLength(many.requests.length);
  },
);

test("without a store, what memory had no room for is sent rightly all the same", async () => {
  const { compactor } = counted(PLIMSOLL_POLICY, { maximumConversations: 3 });
  for (let length = 1; length < 12; length += 2)
    for (let index = 0; index < 10; index++)
      expect(await compactor.fit(talk(`c${index}`, length))).toEqual(talk(`c${index}`, length));
  expect(compactor.conversations().length).toBeLessThanOrEqual(3);
});

test.each(stores)("an answer reaches its caller although the conversation left memory meanwhile, in %s", async (_, make) => {
  const { compactor } = counted(PLIMSOLL_POLICY, { sessions: make(), maximumConversations: 1 });
  const answers = KEYS.map((conversation) => {
    const others = async () => {
      for (const other of KEYS) await compactor.fit([user(other)], { conversation: other });
      return NO_ANSWER;
    };
    return compactor.send([user(conversation)], others, { conversation });
  });
  expect(await Promise.all(answers)).toEqual(KEYS.map(() => NO_ANSWER));
});

test("a fit that waits for another one's summary ends when its signal aborts", async () => {
  let release = () => {};
  const written = new Promise<void>((resolve) => {
    release = resolve;
  });
  const digest = createDigest();
  const { compactor } = counted(PLIMSOLL_MODEL_POLICY, {
    summarizer: async (request, signal) => {
      await written;
      return await digest(request, signal);
    },
  });
  const abort = new AbortController();
  const history = talk("body", 61, 1_000);
  const first = compactor.fit(history);
  const second = compactor.fit(history, { signal: abort.signal });
  abort.abort(new Error("the caller went away"));
  await expect(second).rejects.toThrow("the caller went away");
  release();
  expect((await first).length).toBeLessThan(history.length);
});

test("a handle of another's conversation finds nothing", async () => {
  const { compactor } = counted({ ...PLIMSOLL_POLICY, truncation: { capTokens: 500 } });
  const [one, two] = ["marker-one", "marker-two"].map((marker) => [
    user(marker),
    calling("a"),
    answering({ a: `${marker} `.repeat(1_000) }),
  ]);
  const handleIn = (sent: Messages) => /artifact:[0-9a-f]{64}/.exec(JSON.stringify(sent))?.[0] ?? "none";
  const [ofOne, ofTwo] = [handleIn(await compactor.fit(one ?? [])), handleIn(await compactor.fit(two ?? []))];
  const range = { startChar: 0, maximumChars: 10 };
  expect(await compactor.recall(ofOne, range, one ?? [])).toMatchObject({ text: "marker-one" });
  expect(await compactor.recall(ofTwo, range, one ?? [])).toBeNull();
});
