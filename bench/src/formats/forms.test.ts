import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isHuman, type Message, textOf } from "@plimsoll/core";
import { EMPTY_VIEW, foldEntry } from "@plimsoll/core/extend";
import { createSpending, MODEL_CATALOG } from "@plimsoll/providers";
import { describe, expect, test } from "vitest";
import { describeLog, importDocument, importObjects } from "../../testing/describe-log.ts";
import { countedOnce, lineages, ownEntries } from "../lineage.ts";
import { textSource } from "./file-source.ts";
import { withoutPackedCopies } from "./locations.ts";
import { pathNames } from "./path-names.ts";
import { importFile, importSource } from "./registry.ts";

/** Made logs in the forms that agents write, each with the values that a person counts in it. */
const FORMS = fileURLToPath(new URL("../../testing/forms/", import.meta.url));

interface Facts {
  readonly calls: number;
  readonly prompts: readonly (number | null)[];
  readonly output: number;
  readonly typed: readonly string[];
  /** Texts in the context at the end. */
  readonly view: readonly string[];
  readonly compactions: number;
  /** Prompts and compactions of the last log, in order. */
  readonly steps: readonly (number | null | "cut")[];
  readonly usd: number | null;
  readonly usdIs: string;
  readonly paths: number;
  readonly notes: readonly string[];
}

const CUT_CHARS = 30;

function textIn({ parts }: Message): string {
  return parts
    .map((part) => (part.type === "text" ? part.text : part.type === "tool-call" ? `(${part.toolName})` : ""))
    .join("")
    .slice(0, CUT_CHARS);
}

/** The facts of a log or of a folder, whose answers count once; texts are those of the last log. */
async function factsOf(name: string): Promise<Facts> {
  const files = statSync(join(FORMS, name)).isFile() ? [name] : filesBelow(name);
  const read = (await Promise.all(files.map((file) => importFile(join(FORMS, file), file).catch(() => [])))).flat();
  const { in: shared } = lineages(read);
  const counted = read.flatMap((transcript) => countedOnce(transcript, shared(transcript.file)) ?? []);
  const own = counted.flatMap(ownEntries);
  const spending = createSpending((modelId, atMs) => MODEL_CATALOG.pricesOf(modelId, atMs));
  for (const entry of own) spending.add(entry);
  const reports = own.flatMap((entry) => (entry.type === "usage" ? [entry.usage] : []));
  const last = read.at(-1)?.entries ?? [];
  const messages = last.flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  const { usd, usdIs } = spending.now();
  return {
    calls: reports.length,
    prompts: reports.map(({ input }) => input.totalTokens),
    output: reports.reduce((sum, { output, billed }) => sum + (output.totalTokens ?? billed.outputTokens ?? 0), 0),
    typed: messages.filter(isHuman).map(textOf),
    view: last.reduce(foldEntry, EMPTY_VIEW).messages.slice().map(textIn),
    steps: last.flatMap((entry) =>
      entry.type === "usage" ? entry.usage.input.totalTokens : entry.type === "compaction" ? "cut" : [],
    ),
    compactions: own.filter(({ type }) => type === "compaction").length,
    ...{ usd: usd === null ? null : Number(usd.toFixed(6)), usdIs, paths: pathsIn(messages).size },
    notes: read.flatMap(({ notes }) => notes.map(({ text }) => text)),
  };
}

function pathsIn(messages: readonly Message[]): ReadonlySet<string> {
  const calls = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-call" ? [part] : [])));
  return new Set(calls.flatMap(({ paths }) => paths.map(({ path }) => path)));
}

function filesBelow(folder: string): readonly string[] {
  const names = readdirSync(join(FORMS, folder), { recursive: true, encoding: "utf8" }).toSorted();
  const files = names.map((name) => join(folder, name)).filter((path) => statSync(join(FORMS, path)).isFile());
  return withoutPackedCopies(files, String);
}

const holds = async (name: string, facts: Partial<Facts>) => expect(await factsOf(name)).toMatchObject(facts);

describe("packed rollouts of Codex", () => {
  test.each<[string, Partial<Facts>]>([
    ["01-packed-folder", { calls: 12 }],
    ["01-packed-alone.jsonl.zst", { calls: 6, typed: [1, 2, 3].map((at) => `Question ${at} of 15.`) }],
    ["01-packed-two-frames.jsonl.zst", { calls: 2 }],
  ])("%s", holds);
});

describe("what was typed in paginated rollouts", () => {
  test.each<[string, Partial<Facts>]>([
    [
      "02-paginated-parts.jsonl",
      {
        calls: 2,
        output: 180,
        typed: ["Fix the test in the picture.", "# AGENTS.md instructions are wrong, ignore them"],
        notes: [],
      },
    ],
    ["02-paginated-injected.jsonl", { calls: 3, typed: ["Go on."] }],
    ["02-both-copies.jsonl", { calls: 1, typed: ["Count the rows."] }],
    ["02-part-beside.jsonl", { calls: 1, typed: ["Fix the test.\n (2 plugins)"] }],
    [
      "02-subagent-prefix.jsonl",
      { calls: 1, typed: [], view: ["The parent was asked this.", "The parent said this.", "Count the files.", "Seven."] },
    ],
  ])("%s", holds);
});

describe("rollouts that go on from another", () => {
  const DAY = "03-history-base/sessions/2026/11/24";
  const id = (end: string) => `00000000-0000-7000-8000-0000000000${end}`;
  const READ = ["ONE: read the big file.", "(exec_command)", "the and one again later is ite", "Read."];
  const rollout = (time: string, name: string) => `${DAY}/rollout-2026-11-24T${time}-00-${name}.jsonl`;
  test.each<[string, Partial<Facts>]>([
    ["03-history-base", { calls: 7, output: 225, prompts: [9000, 10600, 10800, 10900, 11100, 11200, 10850] }],
    [
      rollout("09-10", id("32")),
      { calls: 2, view: [...READ, "THREE: sort it.", "Sorted.", "FOUR: print it.", "Printed."], notes: [] },
    ],
    [rollout("09-20", id("33")), { calls: 1, typed: ["ONE: read the big file.", "THREE: sort it.", "FIVE: delete it."] }],
    [rollout("09-30", `${id("31")}_${id("34")}`), { calls: 1, view: [...READ, "TWO again: mean of it.", "3.5"] }],
    ["03-fork-parent-packed", { calls: 3, typed: ["Question 1 of 36.", "And now?"] }],
    ["03-legacy-fork-copy.jsonl", { calls: 1, typed: ["Asked before the fork.", "Asked in the fork."] }],
    [
      "03-fork-parent-missing.jsonl",
      {
        calls: 1,
        notes: [
          `03-fork-parent-missing.jsonl: goes on from the rollout ${id("99")}, which is not here: about 57496 tokens of its context are missing`,
        ],
      },
    ],
  ])("%s", holds);
});

const summary = { type: "compaction", content: "S" };

describe("the vendor's own compaction", () => {
  const ASKED = ["The entities are Recipe, Item,", "And their fields?", "Title and time."];
  test.each<[string, Partial<Facts>]>([
    [
      "05-cc-threshold.jsonl",
      {
        calls: 4,
        compactions: 1,
        prompts: [9010, 179010, 4000, 4200],
        view: ["is item rows tax of price the ", "I go on.", "Thanks, go on.", "Done."],
      },
    ],
    ["05-cc-on-demand.jsonl", { compactions: 1, prompts: [150010, 152144, 890], view: ASKED }],
    ["05-cc-null.jsonl", { compactions: 0, view: ["Begin.", "One.", "Go on.", "Two."] }],
    ["05-messages-list.jsonl", { compactions: 2, calls: 4, view: ["Summary B, over A.", "End."] }],
    ["05-responses-items.jsonl", { compactions: 1, view: ["[summary encrypted by the prov", "On.", "More.", "End."] }],
  ])("%s", holds);

  const mark = { providerMetadata: { anthropic: { type: "compaction" } } };
  const on = { type: "text", text: "on" };
  const ui = (id: string, role: string, parts: object[]) => ({ id, role, parts });
  const lineOf = (role: string, content: object[]) => ({ type: "message", parentId: null, message: { role, content } });
  test.each<[string, object[]]>([
    [
      "the AI SDK",
      [
        ui("u", "user", [{ type: "text", text: "q" }]),
        ui("a", "assistant", [{ type: "step-start" }, { type: "text", text: "S", ...mark }, on]),
      ],
    ],
    [
      "Messages without another block",
      [
        { role: "user", content: "q" },
        { role: "assistant", content: [summary, on] },
      ],
    ],
    [
      "LangChain",
      [
        { type: "human", content: "q" },
        { type: "ai", content: [summary, on] },
      ],
    ],
    [
      "pi",
      [
        lineOf("user", [{ type: "text", text: "q" }]),
        { ...lineOf("assistant", [summary, on]), message: { role: "assistant", content: [summary, on], usage: { input: 9 } } },
      ],
    ],
  ])("is one in %s", async (_, objects) => {
    const [transcript] = await importObjects(objects);
    expect(
      describeLog(transcript)
        .filter((each) => !each.startsWith("usage"))
        .slice(-2),
    ).toEqual(["compaction 1 -> 1: replace 1 by [summary: S]", "model: on"]);
  });
});

describe("lists of messages", () => {
  test.each<[string, Partial<Facts>]>([
    ["07-anthropic-blocks.jsonl", { calls: 4, typed: ["Read both."], paths: 6 }],
    ["07-openai-chat.jsonl", { calls: 4, typed: ["Read.", "Thanks."] }],
    ["07-responses-items.jsonl", { calls: 3 }],
    ["10-server-search.jsonl", { calls: 2, paths: 0 }],
    ["07-usage-each-line.jsonl", { calls: 2, output: 55 }],
    ["07-ids-decide.jsonl", { calls: 3, view: ["Go.", "One.(Read)", "a", "Stopped short.", "Tried again."] }],
    ["07-array.json", { calls: 2, view: ["Go.", "One.(Read)", "a", "End."] }],
  ])("one answer on several lines is one call: %s", holds);

  test.each([
    ["01-packed-torn.jsonl.zst", "cannot be read (zstd: unexpected EOF)"],
    [
      "07-refuse-cursor/agent-transcripts/u1/u1.jsonl",
      "found Cursor's agent transcript: 3 messages, 1 tool call without an id, no results, no usage, no model",
    ],
    ["07-refuse-cursor/agent-transcripts/u2/u2.jsonl", "found Cursor's agent transcript: no messages"],
    ["07-refuse-grok.jsonl", "found Grok Build's chat history: 5 messages, 1 tool call, 1 result, no usage"],
    ["07-refuse-stream.jsonl", "found messages of an unknown form: 5 messages, 1 tool call, 1 result)"],
    ["07-refuse-questions.jsonl", "found objects with the fields question, answer"],
    ["07-refuse-conversations.jsonl", "found objects with the fields conversations[from, value]"],
  ])("a list that can't be read is refused by what was found: %s", async (file, found) => {
    await expect(importFile(join(FORMS, file), file)).rejects.toThrow(found);
  });
});

describe("the order of sending, and logs of pi and its forks", () => {
  test.each<[string, Partial<Facts>]>([
    ["09-omp-in-flight.jsonl", { steps: [349802, 349803, 350778, "cut", 115649] }],
    ["09-omp-untimed.jsonl", { steps: [349802, 349803, 350778, "cut", 115649] }],
    ["09-pi-inside-pair.jsonl", { steps: [200002, "cut", 21002], view: ["S", "(read)", "x", "End."] }],
    ["09-pi-no-header.jsonl", { calls: 2, typed: ["Hello.", "Again."] }],
    ["09-omp-title-slot.jsonl", { calls: 2, notes: [] }],
    [
      "09-pi-retained-tail.jsonl",
      { calls: 2, usd: 1.05535, view: ["S of it", "the last request", "the last reply", "Go on.", "On."] },
    ],
    ["09-pi-branch.jsonl", { calls: 3, view: ["One.", "A.", "The other way was B.", "Three.", "C."] }],
    ["09-omp-reset.jsonl", { view: ["Two.", "B."] }],
  ])("%s", holds);
});

describe("notices of background tasks", () => {
  test.each<[string, Partial<Facts>]>([
    ["06-cc-origin.jsonl", { calls: 3, typed: ["Build it."] }],
    ["06-cc-list-and-quote.jsonl", { typed: ["Build it.", "Why did I see <task-notification> there?"] }],
    ["06-cc-queued.jsonl", { calls: 3, typed: ["Build it.", "And test it."] }],
    ["06-cc-no-tag.jsonl", { typed: ["Build it.", "Thanks."] }],
    ["06-omp-async-result.jsonl", { calls: 3, typed: ["Bench it."] }],
    [
      "06-qwen-notification.jsonl",
      { calls: 4, prompts: [9000, 9200, 9300, 9400], typed: ["Build it.\n\n", "Good, now test."] },
    ],
  ])("%s", holds);

  test("stand in lists of messages alike", async () => {
    const [transcript] = await importDocument([
      { role: "user", content: "Build it." },
      { role: "assistant", content: "Waiting." },
      { role: "user", content: "<task-notification>\n<status>done</status>\n</task-notification>\nRead the file." },
    ]);
    expect(describeLog(transcript).at(-1)).toMatch(/^injected: /);
  });
});

describe("the vendor's fast mode", () => {
  test.each<[string, Partial<Facts>]>([
    ["04-fast-mixed.jsonl", { usd: 0.9873, usdIs: "whole" }],
    ["04-fast-opus-4-6-march.jsonl", { usd: 0.855 }],
    ["04-fast-opus-4-6-august.jsonl", { usd: 0.1425 }],
    ["04-fast-unknown-model.jsonl", { usd: null, usdIs: "a-part" }],
    ["04-fast-lines-of-one-reply.jsonl", { usd: 0.28885 }],
    ["04-codex-fast.jsonl", { usd: 0.124 }],
  ])("%s", holds);
});

describe("output sizes from the beginning of a reply", () => {
  const note = (name: string, words: string) => [expect.anything(), `${name}: ${words}: dollars are too low`];
  test.each<[string, Partial<Facts>]>([
    [
      "08-placeholder.jsonl",
      {
        ...{ calls: 4, output: 13, usd: 0.08026, usdIs: "a-part" },
        notes: note("08-placeholder.jsonl", "the log counts 13 output tokens for 13,726 characters of 4 replies"),
      },
    ],
    ["08-partial.jsonl", { calls: 1, output: 310, usdIs: "a-part" }],
    ["08-short-replies.jsonl", { output: 328, usdIs: "whole" }],
    ["08-synthetic.jsonl", { calls: 1 }],
  ])("%s", holds);
});

describe("one file under several spellings, and pruned results", () => {
  test.each<[string | null, readonly string[], number]>([
    [String.raw`\\srv\share`, [String.raw`\\srv\share\a.ts`, "//srv/share/A.ts", String.raw`\\SRV\share\.\a.ts`, "a.ts"], 1],
    [String.raw`\\?\UNC\srv\share`, [String.raw`\\srv\share\a.ts`, "a.ts"], 1],
    ["c:/w", [String.raw`C:\W\src\..\a.ts`, "/c/w/a.ts", "a.ts", "D:/w/a.ts"], 2],
    [null, [String.raw`C:\w\a.ts`, "c:/w/A.ts", "/w/a.ts", "/w/A.ts"], 3],
    ["/Users/x", ["/Users/x/a.ts", "a.ts", "/Users/x/A.ts"], 2],
  ])("in the folder %s: %j", (cwd, paths, count) => {
    expect(new Set(paths.map(pathNames(cwd))).size).toBe(count);
  });

  const CLEARED = "[Old tool result content clear";
  test.each<[string, Partial<Facts>]>([
    ["11-windows-cc.jsonl", { paths: 3 }],
    ["11-windows-relative.jsonl", { paths: 2 }],
    ["11-windows-pi.jsonl", { paths: 1 }],
    ["11-linux-cc.jsonl", { paths: 4 }],
    [
      "11-opencode-pruned.json",
      {
        prompts: [9010, 11010, 13210, 8610],
        view: [
          "Read three.",
          "(read)",
          CLEARED,
          "(read)",
          CLEARED,
          "Next.",
          "(read)",
          "later is item rows tax of pric",
          "Read.",
        ],
      },
    ],
  ])("%s", holds);
});

describe("what `pnpm formats` had agents write on 2026-11-29: two turns of ten steps, and once a report of a full window", () => {
  const typed = ["Read the notes and the logs of the harbour, please.", "Go on with the others."];
  const inTag = [`<user_input mode="act">${typed[0]}</user_input>`];
  test.each<[string, Partial<Facts>]>([
    ["14-codex-plain.jsonl", { calls: 10, typed, compactions: 0, notes: [] }],
    ["14-codex-full.jsonl", { calls: 11, typed, compactions: 1 }],
    ["14-opencode-plain.json", { calls: 10, typed: typed.map((text) => JSON.stringify(text)), compactions: 0, notes: [] }],
    ["14-opencode-full.json", { calls: 11, typed: typed.map((text) => JSON.stringify(text)), compactions: 1, notes: [] }],
    ["14-gemini-plain.jsonl", { calls: 10, typed, notes: [] }],
    ["14-gemini-full.jsonl", { calls: 6, typed: typed.slice(0, 1), notes: [] }],
    ["14-qwen-code-plain.jsonl", { calls: 10, typed, compactions: 0, notes: [] }],
    ["14-qwen-code-full.jsonl", { calls: 10, typed, compactions: 1, notes: [] }],
    ["14-pi-plain.jsonl", { calls: 10, typed, notes: [] }],
    ["14-pi-full.jsonl", { calls: 10, typed, notes: [] }],
    ["14-cline-plain.json", { calls: 7, typed: inTag, notes: [] }],
    ["14-cline-full.json", { calls: 7, typed: inTag, notes: [] }],
  ])("%s", holds);
});

describe("forks that look like others", () => {
  test.each<[string, Partial<Facts>]>([
    ["12-iflow.jsonl", { calls: 3, prompts: [16472, 17100, null], typed: ["Read a and b.", "Thanks."] }],
    ["12-iflow-two-lines.jsonl", { calls: 2, typed: ["Read."], compactions: 1 }],
    ["12-qwen.jsonl", { calls: 3, compactions: 1, view: ["Summary.", "Got it.", "And b?", "Too."] }],
    [
      "12-gemini.jsonl",
      { calls: 3, view: ["Read a.", "(read_file)", "the and one again later is ite", "Read.", "And b?", "Too."] },
    ],
  ])("%s", holds);

  test("what iFlow's tools gave is read, and its versions are its own", async () => {
    const [transcript] = await importFile(join(FORMS, "12-iflow.jsonl"), "log");
    const results = transcript?.entries.flatMap((entry) =>
      entry.type === "message" && entry.message.role === "tool-result" ? [textOf(entry.message).length] : [],
    );
    expect([results, transcript?.entries[0]]).toEqual([
      [300, 500],
      expect.objectContaining({ agent: { name: "iflow", version: "1.0.0" } }),
    ]);
  });
});

const line = { parentUuid: null, isSidechain: false, sessionId: "s", version: "2.1.9" };
const rollout = (type: string, payload: object) => ({ type, payload: { cli_version: "0.171.0", ...payload } });
const qwen = (type: string, more: object) => ({ ...line, uuid: type, type, ...more });
const CLAUDE_USER = { ...line, type: "user", message: { role: "user", content: "q" } };
const block = { type: "new_block" };

test.each<[string, object[], object]>([
  [
    "Claude Code",
    [
      { ...line, uuid: "a", type: "assistant", message: { role: "assistant", id: "m", content: [block] } },
      { ...line, uuid: "b", type: "attachment", attachment: { type: "new_form", body: "x".repeat(300) } },
      { ...line, uuid: "c", type: "user", message: { role: "user", content: [block] } },
      { ...line, uuid: "d", type: "new_line", text: "x" },
      { ...line, uuid: "e", type: "system", subtype: "new_kind" },
      { ...line, uuid: "f", type: "system", subtype: "turn_duration" },
    ],
    { "block new_block": 2, "attachment new_form": 1, new_line: 1, "system new_kind": 1 },
  ],
  [
    "Codex",
    [
      rollout("session_meta", { id: "s" }),
      rollout("response_item", { type: "message", role: "user", content: [block] }),
      rollout("event_msg", { type: "new_event" }),
      rollout("event_msg", { type: "new_tool_end" }),
      rollout("event_msg", { type: "item_completed", item: { type: "NewItem" } }),
    ],
    { "block new_block": 1, "event new_event": 1, "event NewItem": 1 },
  ],
  [
    "pi",
    [
      { type: "session", id: "s", cwd: "/w" },
      { type: "message", message: { role: "user", content: [block] } },
      { type: "message", message: { role: "assistant", content: [block], usage: { input: 1 } } },
    ],
    { "block new_block": 2 },
  ],
  [
    "Qwen Code",
    [
      qwen("user", { provenance: "real_user", message: { role: "user", parts: [{ newPart: 1 }, { text: "q" }] } }),
      qwen("assistant", { message: { role: "model", parts: [{ newPart: 1 }] } }),
      qwen("system", { subtype: "new_kind" }),
      qwen("new_line", {}),
    ],
    { "block newPart": 2, "system new_kind": 1, new_line: 1 },
  ],
  [
    "Gemini CLI",
    [{ sessionId: "s", projectHash: "h" }, { id: "u", type: "user", content: [{ newPart: 1 }] }, { $new: 1 }],
    { "block newPart": 1, $new: 1 },
  ],
  [
    "Copilot",
    [
      { type: "session.start", data: { sessionId: "s", copilotVersion: "1.0.68" } },
      { type: "user.message", data: { content: "q" } },
      { type: "new.event", data: { body: "x" } },
      { type: "session.new_text", data: { content: "x" } },
      { type: "session.new_setting", data: { value: 1 } },
      { type: "tool.execution_start", data: { toolName: "view" } },
    ],
    { "new.event": 1, "session.new_text": 1 },
  ],
])("lines, items, blocks and events of unknown forms are named: %s", async (_, objects, counts) => {
  const [transcript] = await importObjects(objects);
  expect(transcript?.notes.flatMap(({ unread }) => unread ?? []).map((each) => each.counts)).toEqual([counts]);
});

test("a log whose first line holds two objects is recognised", async () => {
  const [transcript] = await importSource(textSource(`${JSON.stringify(CLAUDE_USER).repeat(2)}\n`, "log"));
  expect(transcript?.format).toBe("claude-code");
});

const SAID = [
  { role: "user", content: [block, { type: "text", text: "q" }] },
  { role: "assistant", content: [block, { type: "text", text: "a" }] },
  { role: "new_role", content: [block] },
];
const hands = (id: number, more: object) => ({ id, source: "agent", timestamp: "2026-01-01T00:00:00", message: "", ...more });

test.each<[string, unknown, object]>([
  [
    "Roo Code",
    [
      { role: "user", ts: 1, content: [{ type: "text", text: "<task>q</task>" }, block] },
      { role: "assistant", ts: 2, content: [block] },
    ],
    { "block new_block": 2 },
  ],
  [
    "OpenHands",
    [
      hands(0, { source: "user", action: "message", args: { content: "q" } }),
      hands(1, { action: "new_action", args: {} }),
      hands(2, { action: "change_agent_state", args: {} }),
      hands(3, { observation: "new_kind", content: "x" }),
    ],
    { "action new_action": 1, new_kind: 1 },
  ],
  ["SWE-agent", { trajectory: [], history: SAID }, { "block new_block": 2, "role new_role": 1 }],
  ["mini-swe-agent", { trajectory_format: "mini-swe-agent-1", messages: SAID }, { "block new_block": 2, "role new_role": 1 }],
  ["Chat Completions", SAID, { "block new_block": 2, "role new_role": 1 }],
  ["Messages", [...SAID, { role: "assistant", content: [summary] }], { "block new_block": 2, "role new_role": 1 }],
  ["the AI SDK", [...SAID, { role: "tool", content: [{ type: "tool-result" }] }], { "block new_block": 2, "role new_role": 1 }],
  ["the AI SDK's UI", SAID.map(({ role, content }) => ({ id: role, role, parts: content })), { "block new_block": 3 }],
  [
    "LangChain",
    [
      { type: "human", content: [block] },
      { type: "ai", content: [block] },
      { type: "new", content: "x" },
    ],
    { "block new_block": 2, "type new": 1 },
  ],
])("so are those of documents: %s", async (_, document, counts) => {
  const [transcript] = await importDocument(document);
  expect(transcript?.notes.flatMap(({ unread }) => unread ?? []).map((each) => each.counts)).toEqual([counts]);
});

const calls = [{ id: "c", type: "function", function: { name: "new_tool", arguments: '{"thing":"src/a.ts"}' } }];

test.each<[string, unknown]>([
  [
    "Roo Code",
    [
      { role: "user", ts: 1, content: "<task>q</task>" },
      { role: "assistant", ts: 2, content: [{ type: "tool_use", id: "c", name: "new_tool", input: { thing: "src/a.ts" } }] },
    ],
  ],
  [
    "OpenHands",
    [
      hands(0, { source: "user", action: "message", args: { content: "q" } }),
      hands(1, {
        action: "run",
        tool_call_metadata: { tool_call_id: "c", model_response: { id: "r", choices: [{ message: { tool_calls: calls } }] } },
      }),
    ],
  ],
  [
    "SWE-agent",
    {
      trajectory: [],
      history: [
        { role: "user", content: "q" },
        { role: "assistant", content: "", tool_calls: calls },
      ],
    },
  ],
])("unknown tools of documents are named: %s", async (_, document) => {
  const [transcript] = await importDocument(document);
  expect(transcript?.notes.flatMap(({ unread }) => unread ?? []).map((each) => each.counts)).toEqual([{ new_tool: 1 }]);
});
