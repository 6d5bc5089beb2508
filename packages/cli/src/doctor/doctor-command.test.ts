import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeLog } from "@plimsoll/core";
import { SUMMARY_HEADER } from "@plimsoll/core/extend";
import { assistant, human, sessionStart } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";

/** A file alone in a folder, of this text or these lines, and commands that are run there. */
function placed(content: string | readonly unknown[], name = "log.jsonl") {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-doctor-"));
  const text = typeof content === "string" ? content : content.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(join(folder, name), text);
  const { io, stdout, stderr } = recordedIo(folder);
  return { folder, stdout, stderr, run: (...args: readonly string[]) => main(args, io) };
}

const CLAUDE = [
  { type: "user", uuid: "u0", parentUuid: null, message: { role: "user", content: "Look at the harbour." } },
  {
    type: "assistant",
    uuid: "u1",
    parentUuid: "u0",
    message: { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "Bash", input: {} }] },
  },
  { type: "user", uuid: "u2", parentUuid: "u1", message: { role: "user", content: "Go on." } },
].map((line) => ({ ...line, sessionId: "s", isSidechain: false }));

const PI = [
  { type: "session", version: 3, id: "s", timestamp: "2026-11-01T10:00:00Z", cwd: "/w" },
  { type: "message", id: "u0", parentId: null, message: { role: "user", content: [{ type: "text", text: "Look." }] } },
  {
    type: "message",
    id: "u1",
    parentId: "u0",
    message: { role: "toolResult", toolCallId: "c9", toolName: "bash", content: [] },
  },
];

test.each([
  ["Claude Code's", CLAUDE, "this call of Bash has no result", "to continue: claude --resume "],
  ["pi's", PI, "this result has no call before it", "to continue: pi --session "],
])("of %s log a mended copy stands beside it, which is left as it was", async (_, lines, words, opened) => {
  const { folder, run, stdout } = placed(lines);
  const text = readFileSync(join(folder, "log.jsonl"), "utf8");
  expect(await run("doctor", "log.jsonl")).toBe(1);
  expect(readdirSync(folder)).toEqual(["log.jsonl"]);
  expect(await run("doctor", "log.jsonl", "--write")).toBe(0);
  expect(stdout()).toContain(words);
  expect(stdout()).toContain(opened);
  expect(readFileSync(join(folder, "log.jsonl"), "utf8")).toBe(text);
  const copy = readdirSync(folder).find((name) => name !== "log.jsonl") ?? expect.fail("no copy");
  expect(await run("doctor", copy)).toBe(0);
});

test.each<[string, string, string, string | null]>([
  [
    "Claude Code's own, where a mod could be asked",
    "2.1.300",
    "The work on the harbour goes on.",
    "log.jsonl:2: Claude Code wrote this summary itself",
  ],
  ["the mod's", "2.1.300", `${SUMMARY_HEADER.text}\n\n> It goes on.`, null],
  ["of a version without mods", "2.1.286", "The work on the harbour goes on.", null],
])("whose the newest summary of a log is: %s", async (_, version, content, expected) => {
  const summary = { type: "user", uuid: "s1", parentUuid: null, isCompactSummary: true, message: { role: "user", content } };
  const log = [CLAUDE[0], { ...summary, version, sessionId: "s", isSidechain: false }];
  const { run, stdout } = placed(log);
  expect(await run("doctor", "log.jsonl")).toBe(0);
  const said = stdout()
    .split("\n")
    .find((line) => line.includes("summary"));
  expect(said ?? null).toEqual(expected === null ? null : expect.stringContaining(expected));
});

test.each([
  ["doctor", ["log.jsonl"]],
  ["inspect", ["log.jsonl"]],
  ["bench", ["log.jsonl", "--policy", "none", "-w", "16k", "--jobs", "1"]],
])("%s names the encoding of a log that is no plain UTF-8", async (command, given) => {
  const { folder, run, stdout, stderr } = placed(CLAUDE);
  writeFileSync(join(folder, "log.jsonl"), Buffer.from(readFileSync(join(folder, "log.jsonl"), "utf8"), "utf16le"));
  await run(command, ...given);
  const said = `${stdout()}${stderr()}`.replaceAll(/\s+/g, " ");
  expect(said).toContain("UTF-16LE without a byte-order mark: read here, but agents expect plain UTF-8");
});

const DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

test.each([
  ["a line", `${JSON.stringify(CLAUDE[0])}\n${DEEP}\n${JSON.stringify(CLAUDE[2])}\n`, "log.jsonl:2: JSON that is nested"],
  [
    "a part of a message",
    `${JSON.stringify(CLAUDE[0])}\n${JSON.stringify(CLAUDE[1]).replace("{}", DEEP)}\n${JSON.stringify(CLAUDE[2])}\n`,
    "log.jsonl:2: JSON that is nested",
  ],
  ["a document", `{"messages":[{"role":"user","content":${DEEP}}]}`, "log.jsonl: its JSON is nested too deeply to read"],
])("JSON that is nested 100,000 deep is a fault with its place: %s", async (_, text, words) => {
  const { run, stdout, stderr } = placed(text);
  expect(await run("doctor", "log.jsonl")).not.toBe(0);
  expect(stdout() + stderr()).toContain(words);
});

test("a mended session of OpenCode has ids of its own, in the same order, wherever they are named", async () => {
  const ids = { id: "prt_1", sessionID: "ses_1", messageID: "msg_1" };
  const tool = { type: "tool", callID: "ses_9", tool: "bash", state: { status: "running", input: {} }, ...ids };
  const info = { id: "ses_1", version: "1.18.33", time: { created: 1 } };
  const message = { info: { id: "msg_1", sessionID: "ses_1", role: "assistant", time: { created: 1 } }, parts: [tool] };
  const { folder, run, stdout } = placed(JSON.stringify({ info, messages: [message] }), "s.json");
  expect(await run("doctor", "s.json", "--write")).toBe(0);
  const copy = JSON.parse(readFileSync(join(folder, "s.mended.json"), "utf8"));
  expect(copy.info.id).toMatch(/^ses_1[0-9a-f]{6}$/);
  const [{ info: of, parts }] = copy.messages;
  const end = copy.info.id.slice("ses_1".length);
  expect(of).toMatchObject({ id: `msg_1${end}`, sessionID: `ses_1${end}` });
  expect(parts[0]).toMatchObject({ id: `prt_1${end}`, sessionID: `ses_1${end}`, messageID: `msg_1${end}`, callID: "ses_9" });
  expect(stdout()).toContain(`s.mended.json && opencode --session ses_1${end}\n`);
});

test("of a log of ours it names the lines of the log, and says what mends them", async () => {
  const call = { type: "tool-call", callId: "c0", toolName: "look", argumentsJson: '{"path":', paths: [] } as const;
  const messages = [human("u0", "Look."), assistant("a0", [call]), human("u1", "Well?")];
  const log = encodeLog([sessionStart(), ...messages.map((message) => ({ type: "message", message }) as const)]);
  // A blank line is none that the agent reads, and counts.
  const { folder, run, stdout } = placed(`${log.replace("\n", "\n\n")}{"type":"mess`);
  expect(await run("doctor", "log.jsonl", "--write")).toBe(1);
  expect(stdout()).toContain(
    "log.jsonl:4: call without result\nlog.jsonl:4: the arguments of this call of look are not a JSON object\nlog.jsonl:6: the log is cut off here\n",
  );
  expect(stdout()).toContain("plimsoll chat --resume ID");
  expect(readdirSync(folder)).toEqual(["log.jsonl"]);
});

const SIGNATURE = 'API Error: 400 {"error":{"message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}';
const failed = (text: string) => ({
  ...{ type: "assistant", uuid: "u1", parentUuid: "u0", sessionId: "s", isSidechain: false, isApiErrorMessage: true },
  message: { role: "assistant", content: [{ type: "text", text }] },
});
const said = { ...failed("Well."), uuid: "u2", parentUuid: "u1", isApiErrorMessage: false };
const stopped = { role: "assistant", content: [], stopReason: "error", errorMessage: "400 prompt is too long: 9 tokens > 8" };
const item = { type: "message", role: "user", content: [{ type: "input_text", text: "Look." }] };
const CODEX = [
  { type: "session_meta", payload: { id: "s", cwd: "/w", cli_version: "0.171.0" } },
  { type: "response_item", payload: item },
  { type: "event_msg", payload: { type: "error", message: "The encrypted content gAAA...DQ== could not be verified." } },
].map((line) => ({ timestamp: "2026-11-01T10:00:00Z", ...line }));

test.each<[string, readonly unknown[], number, string]>([
  ["Claude Code's", [CLAUDE[0], failed(SIGNATURE)], 1, "log.jsonl:2: the vendor refused the thinking: --full"],
  ["Claude Code's, which went on", [CLAUDE[0], failed(SIGNATURE), said], 0, "no problems found"],
  ["Claude Code's, of something else", [CLAUDE[0], failed("API Error: 529 overloaded")], 0, "no problems found"],
  [
    "pi's",
    [...PI.slice(0, 2), { type: "message", id: "u1", parentId: "u0", message: stopped }],
    1,
    "log.jsonl:3: the vendor refused the request for its length: plimsoll compact",
  ],
  ["Codex's", CODEX, 1, "log.jsonl:3: the vendor refused the thinking"],
])("a refusal that ends a log of %s is named with what mends it", async (_, lines, code, words) => {
  const { run, stdout } = placed(lines);
  expect([await run("doctor", "log.jsonl"), stdout()]).toEqual([code, expect.stringContaining(words)]);
});

test("of a file that is no session log it says so in one line", async () => {
  const { run, stderr } = placed("hello\n", "other.txt");
  expect(await run("doctor", "other.txt")).toBe(2);
  expect(stderr()).toContain("other.txt:1: no known session format (found ");
});
