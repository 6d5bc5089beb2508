import { readdirSync, readFileSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { type AgentOptions, startAgent } from "../../testing/proxy-agent.ts";
import { compactionsIn, type RawBody, sendRaw, startSetting } from "../../testing/proxy-setting.ts";
import { streaming } from "../../testing/relay.ts";

/** Everything that the proxy has written below a folder. */
function logsIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return names.map((name) => (statSync(name).isFile() ? readFileSync(name, "utf8") : "")).join("\n");
}

/** Failures, by the lines of a proxy. */
function problemsIn(stdout: string): readonly string[] {
  return stdout.split("\n").flatMap((line) => line.split("problem: ").slice(1));
}

const MESSAGE = { type: "message", id: "m", role: "assistant", model: "m", usage: { input_tokens: 9_000, output_tokens: 0 } };
const ENDED_ANSWER = { ...MESSAGE, content: [{ type: "text", text: "I" }], stop_reason: "model_context_window_exceeded" };
const OVERFLOW_EVENT = {
  type: "error",
  error: { type: "invalid_request_error", message: "prompt is too long: 13000 tokens > 12000 maximum" },
};

const HEADERS = { "x-api-key": "key", "anthropic-version": "2023-06-01", "content-type": "application/json" };
/** A body that no program would write again as it is: its layout, numbers, escapes and a key that comes twice. */
const ODD = `{ "max_tokens":1e2 , "model": "claude-x","temperature":1.0,
 "messages" : [ {"role":"user","content":"caf\\u00e9 \\/ \u00e9"} ] ,"tools":[{"name":"t","input_schema":{"type":"object"}}], "metadata":{"a":1,"a":2} }`;

const raw = (url: string, headers: { readonly [name: string]: string }, body: RawBody = ODD) => sendRaw(url, headers, body);

describe("what passes", () => {
  test("is not a byte different before the first cut", async () => {
    const { url, seen } = await startSetting();
    expect((await raw(`${url}/v1/messages`, { ...HEADERS, session_id: "s" })).status).toBe(200);
    expect(seen[0]?.body.toString("utf8")).toBe(ODD);
  });

  test("is not a byte different when unpacked", async () => {
    const { url, seen } = await startSetting();
    await raw(`${url}/v1/messages`, { ...HEADERS, "content-encoding": "gzip" }, gzipSync(ODD));
    expect(seen[0]?.body.toString("utf8")).toBe(ODD);
    expect(seen[0]?.headers).toMatchObject({ "content-length": String(Buffer.byteLength(ODD)) });
  });

  test("has the program's headers, without those of the connection and the proxy's own", async () => {
    const { url, seen } = await startSetting();
    const token = url.split("/").at(-1) ?? "";
    const own = { "x-custom": "1", connection: "close, x-hop", "x-hop": "2", te: "trailers", "x-plimsoll-token": token };
    await raw(`${url.replace(`/${token}`, "")}/v1/messages`, { ...HEADERS, ...own });
    expect(seen[0]?.headers).toMatchObject({ "x-api-key": "key", "x-custom": "1" });
    expect(Object.keys(seen[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(["x-hop"]));
    expect(seen[0]?.headers).not.toHaveProperty("te");
    expect(seen[0]?.headers).not.toHaveProperty("x-plimsoll-token");
  });

  test("may be something else than a history", async () => {
    const { url, simulator, seen } = await startSetting();
    const response = await fetch(`${url}/v1/models?limit=2`);
    expect(await response.json()).toEqual(await (await fetch(`${simulator.url}/v1/models`)).json());
    expect(seen[0]).toMatchObject({ method: "GET", target: "/v1/models?limit=2" });
  });

  test("may be nested too deeply to read: it passes as it came, and the log says so", async () => {
    const { url, seen, stdout } = await startSetting();
    const deep = ODD.replace("1.0", `${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    await raw(`${url}/v1/messages`, HEADERS, deep);
    expect(seen[0]?.body.toString("utf8")).toBe(deep);
    expect(stdout()).toContain("passed on as it came: the request's JSON is nested too deeply to read");
  });

  test("may be what nobody can read", async () => {
    const { url, seen } = await startSetting();
    expect((await raw(`${url}/v1/messages`, HEADERS, '{"messages": [')).status).toBe(400);
    expect(seen[0]?.body.toString()).toBe('{"messages": [');
  });
});

describe("the upstream's answer comes as it was", () => {
  test("an error: status, headers and body", async () => {
    const body = '{"type":"error",  "error":{"type":"overloaded_error","message":"Overloaded"}}';
    const { url } = await startSetting({
      intercept: (_, response) => {
        response.writeHead(529, {
          "retry-after": "7",
          "request-id": "r1",
          "set-cookie": ["a=1", "b=2"],
          "content-type": "application/json",
        });
        response.end(body);
        return "answered";
      },
    });
    const answer = await raw(`${url}/v1/messages`, { ...HEADERS, session_id: "s" });
    expect(answer).toMatchObject({
      status: 529,
      headers: { "retry-after": "7", "request-id": "r1", "set-cookie": ["a=1", "b=2"] },
    });
    expect(answer.body.toString()).toBe(body);
  });

  test.each([
    ["a refusal", 400, "text/plain", 5],
    ["an answer", 200, "application/json", 65],
  ])("%s that is too large to read", async (_, status, type, megabytes) => {
    const body = Buffer.alloc(megabytes * 1024 * 1024, "x");
    const { url } = await startSetting({
      intercept: (_, response) => {
        response.writeHead(status, { "content-type": type, "request-id": "r1" }).end(body);
        return "answered";
      },
    });
    const answer = await raw(`${url}/v1/messages`, { ...HEADERS, session_id: "s" });
    expect(answer).toMatchObject({ status, headers: { "request-id": "r1" } });
    expect(answer.body.equals(body)).toBe(true);
  });

  test("a line of a stream that comes in many pieces, each searched a few times at most", async () => {
    const line = `data: ${JSON.stringify({ type: "message_start", message: { id: "m1", text: "x".repeat(3_000_000) } })}\n\n`;
    const split = vi.spyOn(String.prototype, "split");
    onTestFinished(() => split.mockRestore());
    const { url } = await startSetting({
      intercept: async (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (let at = 0; at < line.length; at += 100_000)
          await new Promise((resolve) => response.write(line.slice(at, at + 100_000), resolve));
        response.end();
        return "answered" as const;
      },
    });
    const answer = await raw(`${url}/v1/messages`, { ...HEADERS, session_id: "s" });
    expect(answer.body.toString("utf8")).toBe(line);
    const searched = split.mock.contexts.reduce<number>((chars, text) => chars + String(text).length, 0);
    expect(searched).toBeLessThan(4 * line.length);
  });

  test("a packed answer, and its usage is read all the same", async () => {
    const answer = { type: "message", id: "m1", model: "claude-x", content: [], usage: { input_tokens: 77, output_tokens: 1 } };
    const packed = gzipSync(JSON.stringify(answer));
    const { url, folder } = await startSetting({
      intercept: (_, response) => {
        response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" }).end(packed);
        return "answered";
      },
    });
    const got = await raw(`${url}/v1/messages`, { ...HEADERS, session_id: "s" });
    expect(got.body.equals(packed)).toBe(true);
    expect(logsIn(folder)).toContain('"requestId":"m1"');
  });

  test("nobody answers: the program is told each time, a person once, then with a count, and when it is back", async () => {
    let away = 12;
    const { url, stdout } = await startSetting({
      intercept: (_, response) => {
        away -= 1;
        if (away < 0) return undefined;
        response.destroy();
        return "answered";
      },
    });
    for (let asked = 0; asked < 11; asked++) expect((await raw(`${url}/v1/messages`, HEADERS)).status).toBe(502);
    const away502 = await fetch(`${url}/v1/models`);
    expect(away502.status).toBe(502);
    expect(await away502.text()).toMatch(/plimsoll proxy: the upstream http:\S+ did not answer \(ECONNRESET\)/);
    expect((await raw(`${url}/v1/messages`, HEADERS)).status).toBe(200);
    const status = (accept: string, path: string) => fetch(`${url}/plimsoll${path}`, { headers: { accept } });
    const counted = /13 requests since the proxy started, 12 failed \(last: ECONNRESET at \d\d:\d\d:\d\d\)/;
    expect(await (await status("text/plain", "/status")).text()).toMatch(counted);
    expect(await (await status("text/html", "")).text()).toMatch(counted);
    expect(problemsIn(stdout())).toEqual([
      "the upstream does not answer (ECONNRESET): agents get 502",
      "the upstream did not answer 10 requests in a row (ECONNRESET)",
      "the upstream answers again, after 12 requests without an answer",
    ]);
  });

  test.each<[string, (response: ServerResponse) => void, string]>([
    [
      "a gateway answers for it",
      (response) => response.writeHead(503).end("<html></html>"),
      "fails (503): agents get that answer",
    ],
    [
      "it breaks off its answers",
      (response) => response.setHeader("content-type", "application/json").write("{", () => response.destroy()),
      "breaks off its answers (ECONNRESET): agents get an error",
    ],
  ])("%s: a person is told once, then with a count, and when it is back", async (_, fail, words) => {
    let asked = 0;
    const { url, stdout } = await startSetting({
      intercept: (_request, response) => {
        asked += 1;
        if (asked > 10) return undefined;
        fail(response);
        return "answered";
      },
    });
    for (let turn = 0; turn < 11; turn++) await raw(`${url}/v1/messages`, HEADERS);
    expect(problemsIn(stdout()).map((line) => line.replace(/\(\w+\)$/, ""))).toEqual([
      `the upstream ${words}`,
      "the upstream did not answer 10 requests in a row ",
      "the upstream answers again, after 10 requests without an answer",
    ]);
  });

  test.each<[string, "json" | "stream", object | readonly object[], string]>([
    ["an answer that its window ended", "json", ENDED_ANSWER, "the window ended the reply"],
    ["a stream that begins with an error", "stream", [OVERFLOW_EVENT], "its stream was an error"],
  ])("%s is no refusal with 400", async (_, form, answer, why) => {
    let asked = 0;
    const { url, stdout } = await startSetting({
      intercept: (_request, response) => {
        asked += 1;
        if (asked !== 12) return undefined;
        if (form === "stream") return streaming(response, [answer].flat());
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
        return "answered";
      },
    });
    const agent = startAgent({
      wire: "anthropic",
      url,
      form: form === "json" ? "whole" : "streamed",
      headers: { session_id: "s" },
    });
    await agent.say("Look at every part.", 12);
    expect(problemsIn(stdout())).toEqual([`answered with 200, but ${why}, sent again`]);
  });

  test("a program that goes away takes its request along", async () => {
    let gone = () => {};
    const wasGone = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const { url } = await startSetting({
      intercept: (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write("event: ping\ndata: {}\n\n");
        response.once("close", gone);
        return "answered";
      },
    });
    const controller = new AbortController();
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: HEADERS,
      body: ODD,
      signal: controller.signal,
    });
    await response.body?.getReader().read();
    controller.abort();
    await expect(wasGone).resolves.toBeUndefined();
  });
});

describe("what cannot be taken", () => {
  test("a body that is too large to read is refused in one line that says why, and the proxy goes on", async () => {
    const { url, seen, stdout } = await startSetting();
    const { status, body } = await raw(`${url}/v1/messages`, HEADERS, Array(65).fill(Buffer.alloc(1024 * 1024, "x")));
    const { message } = JSON.parse(body.toString()).error;
    expect([status, message]).toEqual([413, expect.stringMatching(/^plimsoll proxy: .* larger than 67108864 bytes.*media/)]);
    expect(stdout()).toContain(message);
    expect(seen).toEqual([]);
    expect((await raw(`${url}/v1/messages`, HEADERS)).status).toBe(200);
  });
});

describe("who is served", () => {
  test.each<[string, (url: string) => { url: string; headers: { [name: string]: string } }]>([
    ["nobody without the token", (url) => ({ url: url.replace(/\/[^/]+$/, "/v1/messages"), headers: {} })],
    ["nobody with another token", (url) => ({ url: `${url.slice(0, -1)}/v1/messages`, headers: {} })],
    ["no page: it names its origin", (url) => ({ url: `${url}/v1/messages`, headers: { origin: "https://example.com" } })],
    [
      "no page: its name was pointed at this machine",
      (url) => ({ url: `${url}/v1/messages`, headers: { host: "example.com:8585" } }),
    ],
  ])("%s", async (_, request) => {
    const { url, seen } = await startSetting();
    const { url: asked, headers } = request(url);
    expect((await raw(asked, { ...HEADERS, ...headers })).status).toBe(403);
    expect(seen).toEqual([]);
  });
});

describe("a history that the vendor keeps passes as it came, and the first request of a session says why", () => {
  const user = { role: "user", content: "And then?" };
  const tools = [{ type: "function", name: "shell", parameters: {} }];
  const result = { role: "tool", tool_call_id: "c1", content: "one file" };
  const output = { type: "function_call_output", call_id: "c1", output: "one file" };
  const geminiResult = { role: "user", parts: [{ functionResponse: { name: "shell", response: {} } }] };
  const block = { type: "tool_result", tool_use_id: "c1", content: "one file" };
  const compact = { edits: [{ type: "compact_20260112" }] };

  test.each<[string, object, string]>([
    ["/v1/responses", { input: [user], tools, previous_response_id: "r" }, "previous_response_id"],
    ["/v1/responses", { input: "And then?", tools, previous_response_id: "r" }, "previous_response_id"],
    ["/v1/responses", { input: [user], tools, conversation: { id: "c" } }, "conversation"],
    ["/v1/responses", { input: [user], context_management: [{ type: "compaction" }] }, "context_management"],
    ["/v1/responses", { input: [output], tools }, "results without their calls"],
    [
      "/v1/chat/completions",
      { messages: [result], tools: [{ type: "function", function: { name: "shell" } }] },
      "results without their calls",
    ],
    ["/v1/messages", { messages: [user], context_management: compact }, "context_management"],
    [
      "/v1/messages",
      { messages: [{ role: "user", content: [block] }], tools: [{ name: "shell" }] },
      "results without their calls",
    ],
    ["/v1beta/models/g:generateContent", { contents: [geminiResult], cachedContent: "cachedContents/1" }, "cachedContent"],
  ])("%s %j", async (path, fields, named) => {
    const { url, seen, stdout } = await startSetting();
    const body = JSON.stringify({ model: "m", stream: true, ...fields });
    for (const session of ["one", "one", "two"]) await raw(`${url}${path}`, { ...HEADERS, session_id: session }, body);
    expect(seen.map((request) => request.body.toString())).toEqual([body, body, body]);
    const lines = stdout()
      .split("\n")
      .filter((line) => line.includes("nothing is compacted: "));
    expect(lines).toEqual([expect.stringContaining(`(${named})`), expect.stringContaining(`(${named})`)]);
  });
});

/** Requests that do not go on with the one before, but for its newest items, beside the compactions that were made. */
async function cacheBreaks(of: Pick<AgentOptions, "wire" | "form" | "reminder" | "reminderBefore">) {
  const { url, seen, stdout } = await startSetting();
  await startAgent({ url, headers: { session_id: "s" }, ...of }).say("Look at every part.", 60);
  const plain = (item: unknown) => JSON.stringify(item, (key, value: unknown) => (key === "cache_control" ? undefined : value));
  const body = z.object({ messages: z.array(z.unknown()) }).or(z.object({ input: z.array(z.unknown()) }));
  const sent = seen.map((request) => {
    const read = body.parse(JSON.parse(request.body.toString()));
    return ("messages" in read ? read.messages : read.input).map(plain);
  });
  const open = 1 + (of.reminderBefore ?? 0);
  const broken = sent.filter((items, at) => sent[at - 1]?.slice(0, -open).some((item, place) => items[place] !== item));
  return { requests: sent.length, breaks: broken.length, compactions: compactionsIn(stdout()) };
}

test.each([
  ["anthropic", "whole", {}],
  ["anthropic", "streamed", {}],
  ["anthropic", "whole", { reminderBefore: 2 }],
  ["anthropic", "streamed", { reminderBefore: 2 }],
  ["openai-chat", "streamed", { reminderBefore: 2 }],
  ["openai-responses", "whole", { reminderBefore: 4 }],
] as const)(
  "a reminder of one request only breaks the prompt cache no more than cuts do: %s, %s, %j",
  { timeout: 120_000 },
  async (wire, form, at) => {
    const reminder = (request: number) => `\nThe clock says 10:${request}. Nothing else is new.`;
    const found = await cacheBreaks({ wire, form, ...at, reminder });
    expect(found.requests).toBeGreaterThanOrEqual(60);
    expect(found.breaks).toBeLessThanOrEqual(found.compactions);
    expect(found.compactions).toBeLessThanOrEqual((await cacheBreaks({ wire, form })).compactions + 3);
  },
);

test("what is not cut stays the program's bytes after a cut, and so does everything around the history", async () => {
  const { url, seen, stdout } = await startSetting();
  const agent = startAgent({ wire: "openai-chat", url, form: "whole", headers: { session_id: "s" } });
  await agent.say("Look at every part.", 18);
  expect(stdout()).toContain("compacted (");
  const own = agent.body();
  await agent.ask([]);
  const sent = seen.at(-1)?.body.toString() ?? "";
  // The agent writes its bodies with line breaks; rewritten parts have none.
  const [before, after] = [own, sent].map((text) => text.split('"messages": [')[0]);
  expect(after).toBe(before);
  const last = own.slice(own.lastIndexOf('"role": "tool"'));
  expect(last.length).toBeGreaterThan(500);
  expect(sent.slice(sent.lastIndexOf('"role": "tool"'), sent.lastIndexOf("}]"))).toBe(last.slice(0, last.lastIndexOf("}\n ]")));
  expect(sent.length).toBeLessThan(own.length / 2);
});
