import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { startSimulator } from "@plimsoll/simulator";
import { createFileSessionStore } from "@plimsoll/stores";
import { describe, expect, test } from "vitest";
import { type Agent, type AgentOptions, type AgentWire, startAgent } from "../../testing/proxy-agent.ts";
import { startProxyChild } from "../../testing/proxy-child.ts";
import { callOn, compactionsIn, prefixBreaks, startSetting } from "../../testing/proxy-setting.ts";
import { recordedIo } from "../../testing/recorded-io.ts";
import { answeredEmpty, argumentsIn, holdFirstCut, refusing, startRelay, streaming } from "../../testing/relay.ts";
import { proxy } from "./proxy-command.ts";
import type { GivenOptions } from "./proxy-options.ts";

const CHAT = { wire: "openai-chat", form: "streamed" } as const;

/** The session goes on, as a program does that was given another address or another name for its session. */
function goneOn(agent: Agent, options: AgentOptions): Agent {
  const next = startAgent(options);
  next.takeOver(agent.history());
  return next;
}

describe("a session goes on with one break for each cut", () => {
  test.each<[string, { readonly [name: string]: string }, { readonly [name: string]: string }]>([
    ["after a restart", { session_id: "one" }, { session_id: "one" }],
    ["after a restart, without a name", {}, {}],
    ["after a restart, under another name", { session_id: "one" }, { session_id: "two" }],
    ["after a restart, with a name that it lacked", {}, { session_id: "two" }],
  ])("%s", async (_, headers, later) => {
    const { url, simulator, stdout, restart } = await startSetting();
    const agent = startAgent({ ...CHAT, url, headers });
    await agent.say("Look at every part.", 18);
    const next = goneOn(agent, { ...CHAT, url: await restart(), headers: later });
    const answers = await next.say("Go on.", 14);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(compactionsIn(stdout())).toBeGreaterThan(1);
    expect(prefixBreaks(simulator.exchanges())).toBe(compactionsIn(stdout()));
  });
});

describe("killed by SIGKILL", () => {
  test.each<[string, "in a compaction" | "in a request"]>([
    ["right after a compaction was made, before its request was sent", "in a compaction"],
    ["while the request after a compaction is answered", "in a request"],
  ])("%s: the session goes on without a second break", async (_, place) => {
    const folder = mkdtempSync(join(tmpdir(), "plimsoll-proxy-kill-"));
    const simulator = await startSimulator({ replies: callOn, contextWindowTokens: 12_000, nowMs: () => 0 });
    const held = holdFirstCut();
    const relay = await startRelay(simulator.url, place === "in a request" ? held.intercept : undefined);
    const args = ["--upstream", relay.url, "--window", "12k", "--state", "state"];
    const first = await startProxyChild([...args, "--port", "0"], folder);
    const agent = startAgent({ ...CHAT, url: first.url, headers: { session_id: "one" } });
    const working = agent.say("Look at every part.", 25).catch(() => "the connection broke");
    await (place === "in a request" ? held.arrived : first.saw("compacted ("));
    await first.kill();
    expect(await working).toBe("the connection broke");
    const port = new URL(first.url).port;
    const second = await startProxyChild([...args, "--port", port], folder);
    const next = goneOn(agent, { ...CHAT, url: second.url, headers: { session_id: "one" } });
    const answers = await next.say("Go on.", 6);
    await second.kill();
    await relay.close();
    await simulator.close();
    rmSync(folder, { recursive: true });
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(prefixBreaks(simulator.exchanges())).toBe(1);
  });
});

describe("a second proxy on one folder", () => {
  test.each<[string, Partial<GivenOptions>, string, string]>([
    ["of state", {}, "state", "--state"],
    ["of records", { state: "other", record: "recorded" }, "recorded", "--record"],
  ])("%s is refused with one line", async (_, given, name, option) => {
    const { folder } = await startSetting({ proxy: { record: "recorded" } });
    const options = { upstream: "http://127.0.0.1:1", policy: "plimsoll", port: "0", state: "state" };
    await expect(proxy({ ...options, ...given }, recordedIo(folder).io, AbortSignal.abort())).rejects.toMatchObject({
      code: "session-conflict",
      message: `${join(folder, name)}: in use by process ${process.pid}; a folder has one proxy at a time; stop that one, or give this one another folder by ${option}`,
    });
  });

  test("a conversation whose log another process has is fitted without it", async () => {
    const { url, folder, stdout, restart } = await startSetting();
    const agent = startAgent({ ...CHAT, url, headers: { session_id: "one" } });
    await agent.say("Look at every part.", 25);
    const next = goneOn(agent, { ...CHAT, url: await restart(), headers: { session_id: "one" } });
    const sessions = createFileSessionStore({ folder: join(folder, "state", "conversations") });
    const held = await Promise.all((await sessions.list()).map(({ sessionId }) => sessions.open(sessionId)));
    const answers = await next.say("Go on.", 5);
    await Promise.all(held.map(({ writer }) => writer.close()));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(stdout()).toContain("problem: fitted without what is kept of the conversation: ");
  });
});

describe("conversations never mix", () => {
  test.each<[string, readonly [AgentOptions["headers"], AgentOptions["headers"]]]>([
    ["two sessions with the same first message, by their names", [{ session_id: "a" }, { session_id: "b" }]],
    ["two sessions with the same first message and no names", [{}, {}]],
    ["an agent and its sub-agent under one name", [{ session_id: "a" }, { session_id: "a", "x-openai-subagent": "review" }]],
    ["two agents that share one name", [{ session_id: "a" }, { session_id: "a" }]],
  ])("%s", async (_, names) => {
    const { url, seen, stdout } = await startSetting();
    const agents = names.map((headers, index) => {
      const resultOf = (step: number) => `agent-${index} `.repeat(300) + step;
      return startAgent({ ...CHAT, url, resultOf, ...(headers === undefined ? {} : { headers }) });
    });
    const all = await Promise.all(agents.map((agent) => agent.say("Look at every part.", 22)));
    expect(all.flat().map(({ status }) => status)).toEqual(all.flat().map(() => 200));
    expect(compactionsIn(stdout())).toBeGreaterThan(1);
    const mixed = seen.filter(({ body }) => body.includes("agent-0 ") && body.includes("agent-1 "));
    expect(mixed).toEqual([]);
  });
});

describe("requests at the side of a full conversation", () => {
  test.each<[string, { readonly [key: string]: unknown }]>([
    ["a summary without tools", { tools: undefined }],
    ["a summary with the same tools", {}],
  ])("%s is fitted, and the conversation goes on unbroken", async (_, extra) => {
    const { url, simulator, stdout } = await startSetting();
    const agent = startAgent({ ...CHAT, url, headers: { session_id: "one" } });
    await agent.say("Look at every part.", 28);
    const before = simulator.exchanges().length;
    const asked = await agent.ask([{ role: "user", content: "Sum up what was done so far." }], extra);
    expect(asked.status).toBe(200);
    await agent.say("Go on.", 5);
    const main = simulator.exchanges().filter((_exchange, index) => index !== before);
    expect(prefixBreaks(main)).toBe(compactionsIn(stdout()));
  });

  test("a title and a check pass as they are, and leave nothing behind", async () => {
    const { url, seen, folder } = await startSetting();
    const agent = startAgent({ ...CHAT, url, headers: { session_id: "one" } });
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "Give this a title: x" }] }, null, 2);
    const headers = { authorization: "Bearer key", "content-type": "application/json", session_id: "one" };
    await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
    expect(seen[0]?.body.toString()).toBe(body);
    expect(readdirSync(join(folder, "state"))).toEqual([".proxy.lock", "address", "token"]);
    await agent.say("Look.", 2);
  });

  test("the vendor's compaction on demand stays last", async () => {
    const { url, seen } = await startSetting({
      intercept: ({ body }, response) => (body.includes("compaction_trigger") ? answeredEmpty(response) : undefined),
    });
    const agent = startAgent({ wire: "openai-responses", form: "whole", url, headers: { session_id: "one" } });
    await agent.say("Look at every part.", 25);
    await agent.ask([{ type: "compaction_trigger" }]);
    const sent = JSON.parse(seen.at(-1)?.body.toString() ?? "{}");
    expect(sent.input.at(-1)).toEqual({ type: "compaction_trigger" });
    expect(sent.input.length).toBeLessThan(agent.history().length / 2);
  });
});

describe("limits", () => {
  test("below the window that the person stated are known after a restart, and hold for their conversation alone", async () => {
    const { url, simulator, restart } = await startSetting({ proxy: { window: "64k" } });
    const refusals = () => simulator.exchanges().filter(({ outcome }) => outcome === "overflow").length;
    const agent = startAgent({ ...CHAT, url, headers: { session_id: "one" } });
    const answers = await agent.say("Look at every part.", 22);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const before = refusals();
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(3);
    const options = { ...CHAT, url: await restart(), headers: { session_id: "one" } };
    await goneOn(agent, options).say("Go on.", 14);
    expect(refusals()).toBe(before);
    const other = startAgent({ ...options, headers: { session_id: "two" } });
    await other.say("Look at every part.", 22);
    expect(refusals()).toBeGreaterThan(before);
  });

  test("that a stream tells after it has begun are mended before the program sees them", async () => {
    const refused = new Set<number>();
    const { url, seen } = await startSetting({
      proxy: { window: "64k" },
      intercept: ({ body }, response) =>
        body.length > 40_000 ? refusedInStream(response, () => refused.add(body.length)) : undefined,
    });
    const agent = startAgent({ wire: "openai-responses", form: "streamed", url, headers: { session_id: "one" } });
    const answers = await agent.say("Look at every part.", 18);
    expect(refused.size).toBeGreaterThan(0);
    expect(answers).toHaveLength(18);
    expect(answers.filter(({ text }) => text.includes("response.failed"))).toEqual([]);
    expect(seen.length).toBe(18 + refused.size);
  });

  test("a refusal that nothing can mend is the program's to see", async () => {
    const { url } = await startSetting({ contextWindowTokens: 2_000, proxy: { window: "64k" } });
    const agent = startAgent({ ...CHAT, url, headers: { session_id: "one" } });
    const [answer] = await agent.say("x ".repeat(8_000), 1);
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining("maximum context length") });
  });
});

const SEEN = { role: "assistant", content: "seen" };
const SEAL = `gAAAAAB${"Qx7".repeat(14)}`;
/** Sealed replies. */
const SEALED: { readonly [wire in AgentWire]: ReturnType<Agent["history"]> } = {
  anthropic: [{ role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: SEAL }] }, SEEN],
  "openai-responses": [{ type: "reasoning", id: "rs_1", summary: [], encrypted_content: SEAL }, SEEN],
  "openai-chat": [{ ...SEEN, reasoning_details: [{ type: "reasoning.encrypted", data: SEAL }] }],
  gemini: [{ role: "model", parts: [{ text: "hm", thought: true, thoughtSignature: SEAL }, { text: "seen" }] }],
};
const DELTA = { type: "response.output_text.delta", delta: "Well. " };
const failed = (error: object) => ({ type: "response.failed", response: { status: "failed", error } });
const FAILED = failed({ code: "invalid_encrypted_content", message: "so nicht" });

describe("a streamed session goes on", () => {
  const GONE = [false, true];
  /** A session whose first step is sealed, at a vendor that refuses the seal. */
  const refused = async (wire: AgentWire, refuse: (response: ServerResponse) => "answered") => {
    const { url, seen } = await startSetting({
      intercept: ({ body }, response) => (body.includes(SEAL) ? refuse(response) : undefined),
    });
    const agent = startAgent({ wire, form: "streamed", url, headers: { session_id: "one" } });
    await agent.say("Look.", 0);
    agent.takeOver([...agent.history(), ...SEALED[wire]]);
    return { agent, sealed: () => seen.map(({ body }) => [body.includes(SEAL), body.includes("seen")]) };
  };

  test.each<[AgentWire, object]>([
    ["anthropic", { message: "messages.1.content.0: Invalid `signature` in `thinking` block", type: "invalid_request_error" }],
    ["openai-responses", { message: "Could not decrypt the provided encrypted_content." }],
    ["openai-chat", { message: "Die Fracht ist nicht in Ordnung" }],
    ["gemini", { code: 400, message: "Corrupted thought signature.", status: "INVALID_ARGUMENT" }],
  ])("on %s without a seal that is refused, asked once more", async (wire, error) => {
    const { agent, sealed } = await refused(wire, (response) => refusing(response, 400, error));
    const answers = await agent.say("Look.", 3);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(sealed()).toEqual([[true, true], GONE, GONE, GONE]);
  });

  test.each<[string, readonly object[], readonly (readonly boolean[])[]]>([
    ["at its start: mended unseen", [{ type: "response.created" }, FAILED], [[true, true], GONE, GONE]],
    ["behind words: the next request goes without it", [...Array(20).fill(DELTA), FAILED], [[true, true], GONE]],
  ])("where a good stream refuses an encrypted item %s", async (_, events, expected) => {
    const { agent, sealed } = await refused("openai-responses", (response) => streaming(response, events));
    await agent.say("Look.", 1);
    expect((await agent.say("And then?", 1))[0]?.text).toContain("response.completed");
    expect(sealed()).toEqual(expected);
  });

  test.each<[AgentWire, string, object]>([
    ["anthropic", "[]", { unparsed: "[]" }],
    ["anthropic", '""', {}],
    ["openai-responses", '{"command":"lo', { unparsed: '{"command":"lo' }],
    ["openai-responses", "null", {}],
    ["openai-chat", '{"command":"lo', { unparsed: '{"command":"lo' }],
  ])("on %s after a call of %j, for which an object is sent", async (wire, argumentsJson, expected) => {
    const parts = [{ type: "tool-call", toolName: "shell", argumentsJson }] as const;
    const { url, seen } = await startSetting({ replies: (asked) => (asked.replyIndex === 0 ? { parts } : callOn(asked)) });
    const answers = await startAgent({ wire, form: "streamed", url, headers: { session_id: "one" } }).say("Look.", 3);
    expect([answers.map(({ status }) => status), seen.length]).toEqual([[200, 200, 200], 3]);
    expect(argumentsIn(String(seen[2]?.body))).toEqual([expected, { command: "look 1" }]);
  });
});

test("no key is in anything that was written, and all of it is the owner's alone", async () => {
  const key = ["sk", "ant", "planted", "8d1f0c6e"].join("-");
  const { url, folder, stdout, restart } = await startSetting({ proxy: { policy: "plimsoll-model", record: "recorded" } });
  const headers = { "x-api-key": key, authorization: `Bearer ${key}`, cookie: key, session_id: "one" };
  const agent = startAgent({ wire: "anthropic", form: "streamed", url, headers });
  await agent.say("Look at every part.", 18);
  await restart();
  expect(compactionsIn(stdout())).toBeGreaterThan(0);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  const texts = files.map((path) => (statSync(path).isFile() ? readFileSync(path, "utf8") : ""));
  expect([stdout(), ...texts].filter((text) => text.includes(key) || text.includes("planted"))).toEqual([]);
  const open = files.filter((path) => path !== folder && (statSync(path).mode & 0o077) !== 0);
  expect(open).toEqual([]);
  expect(files.length).toBeGreaterThan(4);
});

test("a model writes the summary if the policy says so: the same upstream, under the request's own key", async () => {
  const { url, seen, simulator } = await startSetting({
    proxy: { policy: "plimsoll-model" },
    replies: (request) => (request.toolNames.length > 0 ? callOn(request) : { parts: [{ type: "text", text: SUMMARY }] }),
  });
  const agent = startAgent({ ...CHAT, url, headers: { session_id: "one", authorization: "Bearer mine" } });
  await agent.say("Look at every part.", 18);
  const asked = seen.filter(({ body }) => !body.includes('"tools"'));
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.map(({ headers }) => headers.authorization)).toEqual(asked.map(() => "Bearer mine"));
  expect(seen.at(-1)?.body.toString()).toContain("The harbour is to be left alone.");
  expect(simulator.exchanges().every(({ status }) => status === 200)).toBe(true);
});

/** As a vendor does it that has begun to answer already. */
function refusedInStream(response: ServerResponse, note: () => void): "answered" {
  note();
  const error = { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." };
  return streaming(response, [{ type: "response.created" }, failed(error)]);
}

const SUMMARY = ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Next Steps", "Critical Context"]
  .map((title) => `## ${title}\n${"The harbour is to be left alone. "}`)
  .join("\n\n");
