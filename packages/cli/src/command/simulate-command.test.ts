import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeLog } from "@plimsoll/core";
import { human, logOf, reply } from "@plimsoll/core/testing";
import { expect, onTestFinished, test, vi } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";
import { simulate } from "./simulate-command.ts";

const DEFAULTS = { session: null, port: "0", window: "32k" };

function terminal() {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-simulate-"));
  return { folder, ...recordedIo(folder) };
}

/** Serves while the client asks; the client is given the address from the first line. */
async function serve(
  options: Parameters<typeof simulate>[0],
  { io }: ReturnType<typeof recordedIo>,
  client: (url: string) => Promise<void>,
): Promise<number> {
  const controller = new AbortController();
  let announce = (_url: string): void => undefined;
  const listening = new Promise<string>((resolve) => {
    announce = resolve;
  });
  const write = (text: string) => {
    io.stdout.write(text);
    announce(text.split(" ")[0] ?? "");
  };
  const served = simulate(options, { ...io, stdout: { write } }, controller.signal);
  await Promise.race([listening.then(client), served]);
  controller.abort();
  return served;
}

const ask = async (url: string) => {
  const headers = { "x-api-key": "key", "anthropic-version": "2023-06-01" };
  const body = JSON.stringify({ model: "m", max_tokens: 10, messages: [{ role: "user", content: "go" }] });
  const response = await fetch(`${url}/v1/messages`, { method: "POST", headers, body });
  const answer: unknown = await response.json();
  return { status: response.status, answer };
};

test("serves until it is interrupted and says what came of each request", async () => {
  const recorded = terminal();
  const exitCode = await serve(DEFAULTS, recorded, async (url) => {
    expect(await ask(url)).toMatchObject({ answer: { content: [{ text: "Reply 1 to a prompt of 1 tokens." }] } });
  });
  expect(exitCode).toBe(0);
  expect(recorded.stdout().split("\n").slice(3)).toEqual(["anthropic answered 200; 1 tokens; 0 read, 0 written", ""]);
});

test("--rules prints each rule that can be switched, and serves nothing", async () => {
  const recorded = terminal();
  await main(["simulate", "--rules"], recorded.io);
  expect(recorded.stdout()).toContain("turns (openai-chat, since 2026-11-26)\n  Chat templates of Mistral");
});

test("a port that is taken is named", async () => {
  const recorded = terminal();
  await serve(DEFAULTS, recorded, async (url) => {
    expect(await main(["simulate", "--port", new URL(url).port], recorded.io)).toBe(2);
  });
  expect(recorded.stderr()).toMatch(/port \d+ is in use: stop the other one or give --port 0/);
});

test("plays the replies of a session log", async () => {
  const recorded = terminal();
  const log = encodeLog(logOf([human("1", "go"), reply("2", "as it was said then")]));
  writeFileSync(join(recorded.folder, "session.jsonl"), log);
  await serve({ ...DEFAULTS, session: "session.jsonl" }, recorded, async (url) => {
    expect(await ask(url)).toMatchObject({ answer: { content: [{ text: "as it was said then" }] } });
  });
});

const EXAMPLE = new URL("../../../simulator/examples/scenario.json", import.meta.url);

test("plays a scenario's file, and adds the facts of each exchange", async () => {
  const recorded = terminal();
  writeFileSync(join(recorded.folder, "scenario.json"), readFileSync(EXAMPLE));
  await serve({ ...DEFAULTS, session: "scenario.json", facts: "facts.jsonl" }, recorded, async (url) => {
    expect(await ask(url)).toMatchObject({ status: 200, answer: { usage: { input_tokens: 20_000 } } });
    expect(await ask(url)).toMatchObject({ status: 200, answer: { usage: { input_tokens: 24_000 } } });
  });
  const lines = readFileSync(join(recorded.folder, "facts.jsonl"), "utf8").trimEnd().split("\n");
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { index: 0, kind: "main", toldPromptTokens: 20_000, roles: { user: 1 } },
    { index: 1, kind: "main", toldPromptTokens: 24_000, sinceMain: { sharedItems: 1 } },
  ]);
});

test.each([
  ["that is not there", null, "bad.json: "],
  ["that is no session and no scenario", "{", "bad.json: "],
  ["with a wrong field", '{"name":"a","main":[],"usage":5}', "scenario bad.json at usage: Invalid input\n"],
])("refuses a file %s", async (_, text, message) => {
  const { io, folder, stderr } = terminal();
  for (const content of text === null ? [] : [text]) writeFileSync(join(folder, "bad.json"), content);
  expect(await main(["simulate", "bad.json"], io)).toBe(2);
  expect(stderr()).toMatch(/^plimsoll: .+\n$/);
  expect(stderr()).toContain(message);
});

test.each([
  ["simulate", ["simulate", "/dev/zero"]],
  ["bench merge", ["bench", "merge", "/dev/zero", "/dev/zero"]],
])("%s reads no device", async (_, args) => {
  const { io, stderr } = terminal();
  expect(await main(args, io)).toBeGreaterThan(0);
  expect(stderr()).toMatch(/\/dev\/zero: (cannot be read \()?is not a regular file/);
});

test("says how `run` is pointed at it", async () => {
  const recorded = terminal();
  const urls: string[] = [];
  await serve(DEFAULTS, recorded, async (url) => void urls.push(url));
  expect(recorded.stdout()).toContain(`ANTHROPIC_BASE_URL=${urls[0]} plimsoll run "say hello"\n`);
});

test.each([
  { name: "without a model", window: "200k", options: [], wire: "anthropic" },
  { name: "with the largest of a maker", window: "200k", options: ["--model", "opus"], wire: "anthropic" },
  { name: "with a model of another maker", window: "200k", options: ["--model", "openai/gpt-5"], wire: "openai-responses" },
  { name: "in a window that is told", window: "32k", options: ["--window", "32k"], wire: "anthropic" },
])("answers `run` out of the box, without a key, $name", { timeout: 60_000 }, async ({ window, options, wire }) => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const served = terminal();
  const runs = terminal();
  const exitCode = await serve({ ...DEFAULTS, window }, served, async (url) => {
    vi.stubEnv("ANTHROPIC_BASE_URL", url).stubEnv("OPENAI_BASE_URL", `${url}/v1`);
    vi.stubEnv("ANTHROPIC_API_KEY", "").stubEnv("OPENAI_API_KEY", "");
    expect([await main(["run", ...options, "hello"], runs.io), runs.stderr()]).toEqual([
      0,
      expect.not.stringContaining("max_tokens"),
    ]);
  });
  expect(exitCode).toBe(0);
  expect(runs.stdout()).toMatch(/^Reply 1 to a prompt of \d+ tokens\.\n$/);
  expect(served.stdout().split("\n").slice(3)).toEqual([expect.stringMatching(`^${wire} answered 200; `), ""]);
});

test.each([
  { name: "that the provider names", options: [], says: "in 32.0k tokens: asking for at most 8.00k tokens" },
  { name: "that it does not name", options: ["--model", "openai/gpt-5"], says: "prompt: asking for at most 8.19k tokens" },
])("in a window $name `run` asks for a shorter reply once, and compacts nothing", { timeout: 60_000 }, async (row) => {
  onTestFinished(() => void vi.unstubAllEnvs());
  const served = terminal();
  const runs = terminal();
  await serve({ ...DEFAULTS, window: "32k" }, served, async (url) => {
    vi.stubEnv("ANTHROPIC_BASE_URL", url).stubEnv("OPENAI_BASE_URL", `${url}/v1`);
    expect(await main(["run", ...row.options, "hello"], runs.io)).toBe(0);
  });
  expect(runs.stderr()).toContain(`◇ the reply did not fit next to the prompt`);
  expect(runs.stderr()).toContain(row.says);
  expect(runs.stderr()).not.toContain("compacting");
  expect(served.stdout().match(/overflow 400/g)).toHaveLength(1);
});

test.each([
  [["--facts", "facts.jsonl"], "plimsoll: --facts works only with a scenario; add a scenario file\n"],
  [["--port", "70000"], "plimsoll: --port 70000: give a whole number from 0 to 65535\n"],
  [["--window", "real"], "plimsoll: --window real: give a number of tokens, such as 8000 or 200k\n"],
])("refuses %j", async (options, message) => {
  const { io, stderr } = terminal();
  expect(await main(["simulate", ...options], io)).toBe(2);
  expect(stderr()).toBe(message);
});
