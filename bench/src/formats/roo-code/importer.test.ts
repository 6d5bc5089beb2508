import { writeFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { describeLog, importDocument } from "../../../testing/describe-log.ts";
import { freshFolder } from "../../../testing/fresh-folder.ts";
import { importFile } from "../registry.ts";

// Made from the types in the agents' sources: no task of a real run.
const SURROUNDINGS = {
  type: "text",
  text: "<environment_details>\n# Current Mode\n<slug>code</slug>\n<model>m-1</model>\n</environment_details>",
};
const user = (ts: number, content: unknown, more: object = {}) => ({ role: "user", content, ts, ...more });
const model = (ts: number, content: unknown, more: object = {}) => ({ role: "assistant", content, ts, ...more });
const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const result = (id: string, content: unknown) => ({ type: "tool_result", tool_use_id: id, content });
const FIRST = user(1, [{ type: "text", text: "<task>go</task>" }, SURROUNDINGS]);

const NOTHING_REPORTED = "usage null (read null, write null) out null";
const spoken = (log: readonly string[]) => log.filter((line) => line !== NOTHING_REPORTED).slice(1);

test("calls of the API, with the files that a reading lists, and the surroundings apart", async () => {
  const [transcript] = await importDocument([
    FIRST,
    { type: "reasoning", encrypted_content: "sealed", summary: [{ type: "summary_text", text: "hm" }], ts: 2 },
    model(3, [
      use("c1", "read_file", { files: [{ path: "a.ts" }, { path: "b.ts" }] }),
      use("c2", "apply_diff", { path: "c.ts" }),
    ]),
    user(4, [result("c1", "body"), result("c2", [{ type: "text", text: "done" }]), SURROUNDINGS]),
    model(5, [
      { type: "reasoning", text: "so", summary: [] },
      { type: "text", text: "end" },
    ]),
  ]);
  expect(transcript?.format).toBe("roo-code");
  expect(spoken(describeLog(transcript))).toEqual([
    "human: <task>go</task>",
    `injected: ${SURROUNDINGS.text}`,
    'model: (hm) | call c1 read_file {"files":[{"path":"a.ts"},{"path":"b.ts"}]} read a.ts read b.ts | call c2 apply_diff {"path":"c.ts"} modify c.ts',
    "result c1 (read_file, file-content): body",
    "result c2 (apply_diff, generic): done",
    `injected: ${SURROUNDINGS.text}`,
    "model: (so) | end",
  ]);
  const models = transcript?.entries.flatMap((entry) => (entry.type === "usage" ? [entry.modelId] : []));
  expect(models).toEqual(["m-1", "m-1"]);
});

test("calls that are written as text", async () => {
  const read = "<read_file>\n<args>\n<file><path>a.ts</path></file>\n<file><path>b.ts</path></file>\n</args>\n</read_file>";
  const [transcript] = await importDocument([
    FIRST,
    model(2, [{ type: "text", text: `Look.\n${read}` }]),
    user(3, [{ type: "text", text: "[read_file for 'a.ts'] Result:" }, { type: "text", text: "body" }, SURROUNDINGS]),
  ]);
  const log = spoken(describeLog(transcript)).map((line) => line.replace(/call:[0-9a-f]{32}/, "ID"));
  expect(log[2]).toMatch(/^model: Look\.\n \| call ID read_file .* read a\.ts read b\.ts$/);
  expect(log[3]).toBe("result ID (read_file, file-content): body");
});

test("the form of the AI SDK, version 2", async () => {
  const [transcript] = await importDocument({
    version: 2,
    messages: [
      FIRST,
      model(2, [{ type: "tool-call", toolCallId: "c", toolName: "search_files", input: { path: "src", regex: "x" } }]),
      {
        ...{ role: "tool", ts: 3 },
        content: [
          { type: "tool-result", toolCallId: "c", toolName: "search_files", output: { type: "error-text", value: "no" } },
        ],
      },
    ],
  });
  expect(spoken(describeLog(transcript)).slice(2)).toEqual([
    'model: call c search_files {"path":"src","regex":"x"}',
    "result c (search_files, match-list, error): no",
  ]);
});

const SUMMARY = { isSummary: true, condenseId: "s" };
const HIDDEN = { truncationParent: "t" };
const MARKER = { isTruncationMarker: true, truncationId: "t" };

test.each([
  [
    "condensed: the summary alone stays",
    [{ ...FIRST, condenseParent: "s" }, model(2, "a", { condenseParent: "s" }), user(3, "sum", SUMMARY), model(4, "on")],
    ["compaction 3 -> 1: replace 3 by [summary: sum]", "model: on"],
  ],
  [
    "condensed with the last three messages, which stand behind the summary",
    [FIRST, model(2, "gone"), model(3, "sum", SUMMARY), user(3, "k1"), model(4, "k2"), user(5, "k3"), model(6, "on")],
    [
      "human: k1",
      "model: k2",
      "human: k3",
      expect.stringMatching(
        /^compaction 6 -> 6: replace 1 by \[summary: sum; human: <task>go<\/task>; injected: .*; human: k1; model: k2; human: k3\]$/s,
      ),
      "model: on",
    ],
  ],
  [
    "truncated: as many messages later as it hid",
    [
      FIRST,
      model(2, "h1", HIDDEN),
      user(3, "h2", HIDDEN),
      user(4, "2 hidden", MARKER),
      model(5, "k1"),
      user(6, "k2"),
      model(7, "on"),
    ],
    [
      "model: k1",
      "human: k2",
      expect.stringMatching(/^compaction 6 -> 5: replace 2 by \[notice: 2 hidden; .*; model: k1; human: k2\]$/s),
      "model: on",
    ],
  ],
])("%s", async (_, messages, lines) => {
  const [transcript] = await importDocument(messages);
  expect(spoken(describeLog(transcript)).slice(-lines.length)).toEqual(lines);
});

const folder = freshFolder(beforeAll);

const started = (ts: number, report: object) => ({ ts, type: "say", say: "api_req_started", text: JSON.stringify(report) });
const report = (tokensIn: number, more: object = {}) => {
  return { request: "long", tokensIn, tokensOut: 5, cacheReads: 30, cacheWrites: 10, ...more };
};

test.each([
  ["roo-code", report(50), "usage 50 (read 30, write 10) out 5"],
  ["kilo-code", report(50, { inferenceProvider: "p" }), "usage 50 (read 30, write 10) out 5"],
  ["roo-code", report(2), "usage 42 (read 30, write 10) out 5"],
])("usage of %s by time; a failed request before it counts for nothing: %j", async (name, told, usage) => {
  const path = folder("api_conversation_history.json");
  writeFileSync(path, JSON.stringify([FIRST, model(30, "a"), user(40, "q"), model(50, "cut off"), user(60, "sum", SUMMARY)]));
  const condensed = { ts: 60, type: "say", say: "condense_context", contextCondense: { prevContextTokens: 77 } };
  const failed = started(10, { request: "long", cancelReason: "streaming_failed" });
  writeFileSync(folder("ui_messages.json"), JSON.stringify([failed, started(20, told), condensed]));
  const [transcript] = await importFile(path);
  expect(transcript?.entries[0]).toMatchObject({ agent: { name } });
  expect(describeLog(transcript).slice(3, 7)).toEqual([usage, "model: a", "human: q", "model: cut off"]);
  expect(transcript?.entries.at(-1)).toMatchObject({ type: "compaction", record: { tokensBefore: 77 } });
  expect(JSON.stringify(transcript)).not.toContain("long");
});
