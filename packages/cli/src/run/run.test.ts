import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type SimulatedReply, startSimulator } from "@plimsoll/simulator";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { runIn } from "../../testing/recorded-io.ts";
import { argumentsIn, type Intercept, refusing, startRelay, streaming } from "../../testing/relay.ts";
import { shownAnswer } from "./run-command.ts";

const folder = freshFolder(beforeEach);
afterEach(() => void vi.unstubAllEnvs());

const plimsoll = (...argv: readonly string[]) => runIn(folder(), argv);

const log = () => {
  const sessions = folder(".plimsoll/sessions");
  return readFileSync(join(sessions, readdirSync(sessions).find((name) => name.endsWith(".jsonl")) ?? ""), "utf8");
};

describe("run", { timeout: 60_000 }, () => {
  test("what plimsoll.yaml says in the words of an earlier version is told once, and the run goes on", async () => {
    writeFileSync(folder("plimsoll.yaml"), "idleAfter: 4m30s\n");
    const { exitCode, stderr } = await plimsoll("run", "--demo", "--allow", "commands", "look");
    expect(exitCode).toBe(0);
    expect(stderr.match(/plimsoll\.yaml:1:1: idleAfter is gone: nothing replaces it, remove it/g)).toHaveLength(1);
  });

  test("a compaction is the log line that CI reads", async () => {
    writeFileSync(folder("plimsoll.yaml"), "policy: plimsoll\nactAt: 6000\npays: off\nkeep: { tokens: 2000 }\n");
    const { exitCode, stderr } = await plimsoll("run", "--demo", "--allow", "commands", "look");
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^\[plimsoll:context:compacted:\w+\] \d+ → \d+ tokens \(tool round \d\)$/m);
  });

  test("a server on this machine is asked for its window; a resumed session is told that its model is another one", async () => {
    const simulator = await startSimulator({
      contextWindowTokens: 9_000,
      replies: () => ({ parts: [{ type: "text", text: "Hello." }] }),
    });
    vi.stubEnv("LLAMA_CPP_BASE_URL", simulator.openAiUrl);
    const first = await plimsoll("run", "--model", "llama.cpp/own-model", "hello");
    expect(first).toMatchObject({ exitCode: 0, stdout: "Hello.\n" });
    expect(first.stderr).toContain("context window 9000 tokens (server, ");
    const second = await plimsoll("run", "again", "--resume", "--model", "llama.cpp/other", "--window", "20000");
    await simulator.close();
    expect(second.stderr).toContain("context window 20000 tokens (--window)");
    expect(second.stderr).toContain("the session's model was own-model; it continues with other (--model chooses another)");
    expect(log().match(/"type":"model-change"/g)).toHaveLength(2);
  });
});

describe("run without anybody to ask", { timeout: 60_000 }, () => {
  const RESULTS = /"text":"Not run: [^"]*"/g;

  test("refuses commands, tells the model, says at the end what it refused, and ends as it would have", async () => {
    const { exitCode, stderr } = await plimsoll("run", "--demo", "look");
    expect(exitCode).toBe(0);
    expect(log().match(RESULTS)).toHaveLength(5);
    expect(stderr.split("\n").slice(-7, -1)).toEqual([
      "refused (not allowed; --allow commands, writes, command:LINE, tool:NAME, server:NAME or all):",
      "  command:seq -f 'part 0.%g checked, nothing unusual' 1 120",
      ...[1, 2, 3, 4].map((part) => expect.stringContaining(`'part ${part}.%g checked`)),
    ]);
  });

  test("runs the very command that was allowed, and no other", async () => {
    const command = "seq -f 'part 1.%g checked, nothing unusual' 1 160";
    const { stderr } = await plimsoll("run", "--demo", "look", "--allow", "writes", "--allow", `command:${command}`);
    expect(log().match(RESULTS)).toHaveLength(4);
    expect(log()).toContain("part 1.160 checked");
    expect(stderr).toContain(`allowed without asking: writes, command:${command}\n`);
  });

  test("in read-only mode refuses what was allowed, too", async () => {
    const { exitCode, stderr } = await plimsoll("run", "--demo", "--read-only", "--allow", "all", "look");
    expect(exitCode).toBe(0);
    expect(log().match(RESULTS)).toHaveLength(5);
    expect(stderr).toContain("refused (read-only session):\n");
    expect(stderr).not.toContain("allowed without asking");
  });

  test("tells programs on the event's lines, too", async () => {
    const { stdout } = await plimsoll("run", "--demo", "--json", "look");
    expect(() =>
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).not.toThrow();
    expect(stdout.match(RESULTS)?.length).toBeGreaterThanOrEqual(5);
  });

  test.each(["run", "chat"])("%s without a key says which one is missing, and what needs none", async (command) => {
    vi.stubEnv("ANTHROPIC_API_KEY", "");
    const { exitCode, stdout, stderr } = await plimsoll(command, ...(command === "run" ? ["look"] : []));
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toBe("plimsoll: no key: set the environment variable ANTHROPIC_API_KEY, or give --demo, which needs none\n");
  });

  test("a rule that is none is one line", async () => {
    const { exitCode, stderr } = await plimsoll("run", "--demo", "--allow", "comands", "look");
    expect(exitCode).toBe(2);
    expect(stderr).toBe('plimsoll: "comands" is nothing that can be allowed: did you mean commands?\n');
  });
});

const calling = (argumentsJson: string): SimulatedReply => ({
  parts: [{ type: "tool-call", toolName: "run_terminal_command", argumentsJson }],
});
const DONE: SimulatedReply = { parts: [{ type: "text", text: "All is well." }] };
type Host = readonly [name: string, model: string, path: string];
const MESSAGES: Host = ["anthropic", "claude-opus-4-5", ""];
const RESPONSES: Host = ["openai", "gpt-5", "/v1"];
const CHAT: Host = ["openrouter", "own-model", "/v1"];
const WELL = [0, "All is well.\n"];
/** A stream of the Responses wire whose only item is this. */
const finished = (item: object) => [
  { type: "response.completed", response: { id: "r", object: "response", model: "m", status: "completed", output: [item] } },
];

/** Runs a task against a simulated provider, in whose place a relay may answer. */
async function ran(
  [host, model, path]: Host,
  replies: readonly SimulatedReply[],
  intercept: Intercept = () => undefined,
  ...args: readonly string[]
) {
  const rules = { thinkingPrefix: "off" } as const;
  const simulator = await startSimulator({ replies, reasoning: "every-reply", rules, maximumOutputTokens: 128_000 });
  // A server may be asked for its window first.
  const relay = await startRelay(simulator.url, (asked, answer) =>
    asked.method === "GET" ? undefined : intercept(asked, answer),
  );
  vi.stubEnv(`${host.toUpperCase()}_BASE_URL`, `${relay.url}${path}`);
  vi.stubEnv(`${host.toUpperCase()}_API_KEY`, "key");
  const { exitCode, stdout, stderr } = await plimsoll("run", "--model", `${host}/${model}`, "--allow", "all", "look", ...args);
  await relay.close();
  await simulator.close();
  const sent = relay.requests.filter(({ method }) => method === "POST").map(({ body }) => String(body));
  return { ended: [exitCode, stdout], stderr, sent };
}

describe("a run goes on", { timeout: 60_000 }, () => {
  test.each<[string, Host, number, object]>([
    ["a signature", MESSAGES, 400, { message: "messages.1.content.0: Invalid `signature` in `thinking` block" }],
    ["a signature, in unknown words,", MESSAGES, 422, { message: "Die Fracht ist nicht in Ordnung" }],
    ["an encrypted item", RESPONSES, 400, { message: "so nicht", code: "invalid_encrypted_content" }],
    ["an encrypted item, in unknown words,", RESPONSES, 422, { message: "Die Fracht ist nicht in Ordnung" }],
  ])("after %s is refused, asked once more", async (_, host, status, error) => {
    let seal: string | undefined;
    const look = calling(`{"command":"echo se''en"}`);
    const { ended, sent } = await ran(host, [look, look, look, DONE], ({ body }, response) => {
      seal ??= /"(?:signature|encrypted_content)":"([^"]+)"/.exec(String(body))?.[1];
      return seal !== undefined && body.includes(seal) ? refusing(response, status, error) : undefined;
    });
    expect(ended).toEqual(WELL);
    expect(sent.map((body) => body.includes(`${seal}`))).toEqual([false, true, false, false, false]);
    expect(sent.slice(1).filter((body) => !body.includes("seen"))).toEqual([]);
  });

  const CUT = '{"command":"echo se';
  const UNSOUND = Object.entries({ [CUT]: { unparsed: CUT }, "[]": { unparsed: "[]" }, null: {}, '""': {}, "": {} });
  describe.each([MESSAGES, RESPONSES, CHAT])("on %s", (...host) => {
    test.each(UNSOUND)("after a call of %j, for which %j is sent", async (text, expected) => {
      const { ended, sent } = await ran(host, [calling(text), DONE]);
      expect([ended, sent.flatMap(argumentsIn)]).toEqual([WELL, [expected]]);
    });
  });

  test.each<[string, Host, number, (prompt: number, reply: number) => string]>([
    ["a sum", MESSAGES, 400, (p, r) => `input length and \`max_tokens\` exceed context limit: ${p} + ${r} > 64000`],
    ["a total", RESPONSES, 400, (p, r) => `Your request exceeded model token limit: 64000 (requested: ${p + r})`],
    ["another language", CHAT, 422, (p, r) => `输入长度 ${p} 与 max_tokens ${r} 之和超过了模型上限 64000`],
  ])("after prompt and reply are refused together by %s", async (_, host, status, words) => {
    const taken: number[] = [];
    const refused: string[] = [];
    const log = calling(`{"command":"seq -f 'line %g of the log' 1 1200"}`);
    const intercept: Intercept = ({ body }, response) => {
      const [prompt, reply] = [body.length >> 2, Number(/"max_\w*tokens":(\d+)/.exec(String(body))?.[1])];
      prompt + reply > 64_000 ? refused.push(String(body)) : taken.push(reply);
      return prompt + reply > 64_000 ? refusing(response, status, { message: words(prompt, reply) }) : undefined;
    };
    const { ended, stderr, sent } = await ran(host, [...Array(14).fill(log), DONE], intercept, "--window", "200000");
    expect([ended, taken.length]).toEqual([WELL, 15]);
    expect(refused.length).toBeOneOf([1, 2, 3]);
    const lowered = sent[sent.indexOf(refused[0] ?? "") + 1];
    expect(lowered?.replace(/tokens":\d+/, "")).toBe(refused[0]?.replace(/tokens":\d+/, ""));
    expect(Math.min(...taken)).toBeGreaterThanOrEqual(1_024);
    expect(stderr).toContain("[plimsoll:context:compacted:");
  });

  const delta = { audio: { id: "a", data: "AAAA" } };
  test.each<[string, Host, readonly object[]]>([
    ["an item", RESPONSES, finished({ id: "x", type: "tide_table", rows: [1] })],
    ["a custom tool's call", RESPONSES, finished({ id: "c", type: "custom_tool_call", call_id: "c1", name: "p", input: "*" })],
    ["sound", CHAT, [{ id: "r", model: "m", choices: [{ index: 0, delta, finish_reason: "stop" }] }]],
  ])("and ends with %s that nobody knows, asked once", async (_, host, events) => {
    const { ended, sent } = await ran(host, [], (_request, response) => streaming(response, events));
    expect([ended, sent.length]).toEqual([[0, ""], 1]);
  });
});

test("a run that fails says so in a line that a terminal can show, and how to go on", { timeout: 60_000 }, async () => {
  const { ended, stderr } = await ran(CHAT, [], (_, response) => refusing(response, 400, { message: "no\u001b[31m" }));
  expect(ended).toEqual([1, ""]);
  expect(stderr).toMatch(/^failed after \d steps?:$/m);
  expect(stderr).toMatch(/\nplimsoll: .*no\ufffd\[31m.*\ncontinue with: plimsoll run --resume \S+ "…"\n$/);
});

const SENTENCES = `${"All is well with it. ".repeat(5)}\n  second line`;

test.each([
  ["a terminal breaks it between words", { isTTY: true, columns: 80 }, 80],
  ["a wider one has longer lines", { isTTY: true, columns: 100 }, 100],
  ["a file or pipe has it as it was said", {}, SENTENCES.indexOf("\n")],
])("an answer: %s", (_rule, output, longest) => {
  const shown = shownAnswer({ write: () => true, ...output }, SENTENCES);
  expect(Math.max(...shown.split("\n").map((line) => line.length))).toBe(longest);
  expect(shown.split(/\s+/)).toEqual(SENTENCES.split(/\s+/));
});
