import { expect, test } from "vitest";
import { describeLog, importDocument } from "../../../testing/describe-log.ts";
import { onlyCommandBlock } from "./importer.ts";

test.each([
  ["one block", "think\n```bash\nls -l\n```\nthen", { before: "think\n", command: "ls -l", after: "\nthen" }],
  ["blanks after the fence", "```bash  \nls\n```", { before: "", command: "ls", after: "" }],
  ["a fence inside a line of the command", "```bash\necho '```'\n```", { before: "", command: "echo '```'", after: "" }],
  ["no block", "ls", null],
  ["another language", "```sh\nls\n```", null],
  ["a block that does not end", "```bash\nls", null],
  ["two blocks", "```bash\na\n```\n```bash\nb\n```", null],
])("command block: %s", (_, text, block) => {
  expect(onlyCommandBlock(text)).toEqual(block);
});

const chat = (id: string) => ({
  id,
  model: "m",
  usage: {
    prompt_tokens: 20,
    completion_tokens: 4,
    prompt_tokens_details: { cached_tokens: 5 },
    completion_tokens_details: { reasoning_tokens: 1 },
  },
});
const responses = (id: string) => ({
  id,
  model: "m",
  object: "response",
  usage: {
    input_tokens: 30,
    input_tokens_details: { cached_tokens: 6 },
    output_tokens: 4,
    output_tokens_details: { reasoning_tokens: 1 },
  },
});
const COMMAND = "think\n```bash\nls\n```";

test("a command block is a call, the next message its result; a complaint is not", async () => {
  const [transcript] = await importDocument({
    info: { mini_version: "1.17.3" },
    instance_id: "i",
    trajectory_format: "mini-swe-agent-1",
    messages: [
      { role: "system", content: "You are.", timestamp: 1.5 },
      { role: "user", content: "the task" },
      { role: "assistant", content: COMMAND, extra: { response: chat("r1") } },
      { role: "user", content: "a.ts" },
      { role: "assistant", content: "no block", extra: { response: responses("r2") } },
      { role: "user", content: "Please give one action" },
      { role: "assistant", content: COMMAND },
      { role: "user", content: "a.ts" },
    ],
  });
  const log = describeLog(transcript).map((line) => line.replace(/call:[0-9a-f]{32}/, "ID"));
  expect(log).toEqual([
    "session i",
    "human: the task",
    "usage 20 (read 5, write null) out 4",
    'model: think\n | call ID bash {"command":"ls"}',
    "result ID (bash, head-tail): a.ts",
    "usage 30 (read 6, write null) out 4",
    "model: no block",
    "injected: Please give one action",
    "usage null (read null, write null) out null",
    'model: think\n | call ID bash {"command":"ls"}',
    "result ID (bash, head-tail): a.ts",
  ]);
  expect(transcript?.entries[0]).toMatchObject({ system: "You are.", createdMs: 1500 });
  const callIds = transcript?.entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "tool-result" ? [entry.message.callId] : [],
  );
  expect(new Set(callIds).size).toBe(2);
});
