import { readFileSync, writeFileSync } from "node:fs";
import type { Message, SessionEntry } from "@plimsoll/core";
import {
  absentImage,
  assistant,
  callPart,
  compaction,
  human,
  reply,
  result,
  sessionStart,
  summarized,
  summaryMessage,
  usageEntry,
} from "@plimsoll/core/testing";
import { beforeAll, expect, test } from "vitest";
import { freshFolder } from "../../testing/fresh-folder.ts";
import { recordedIo } from "../../testing/recorded-io.ts";
import { main } from "../main.ts";
import { sessionStory } from "./session-story.ts";

const folder = freshFolder(beforeAll);

/** Inspects a file of this text or these lines, and returns the printed text. */
async function inspected(name: string, content: string | readonly object[], ...options: readonly string[]): Promise<string> {
  const text = typeof content === "string" ? content : content.map((line) => `${JSON.stringify(line)}\n`).join("");
  writeFileSync(folder(name), text);
  const shown = recordedIo(folder());
  expect(await main(["inspect", name, ...options], shown.io), shown.stderr()).toBe(0);
  return shown.stdout();
}

const said = (message: Message): SessionEntry => ({ type: "message", message });

/** An importer of one's own, for runs with a grade. */
const MODULE = `
const message = (role, id, origin, text) => ({ type: "message", message: { role, id, origin, parts: [{ type: "text", text }], atMs: null } });
const entriesOf = ({ asked }) => [
  { type: "session", version: 1, id: "s", createdMs: null, system: "", tools: [], parent: null, agent: null },
  message("user", "u", "human", asked),
];
const graded = {
  format: "graded",
  description: "Runs with a reward",
  recognises: ({ firstObjects: [run] }) => typeof run?.reward === "number",
  read: async (source) => {
    const run = await source.document();
    const file = source.displayName;
    const outcome = { grades: [{ name: "reward", value: run.reward }] };
    return [{ name: file, file, format: "graded", entries: entriesOf(run), parentName: null, outcome, hasUsage: false, notes: [] }];
  },
};
export default { importers: [graded] };
`;

test("inspect and the report of bench show the grade that an importer of one's own reads; without it the file is no session", async () => {
  writeFileSync(folder("graded.mjs"), MODULE);
  const shown = await inspected("run.json", JSON.stringify({ asked: "q", reward: 0.25 }), "--with", "graded.mjs");
  expect(shown.replace(/\s+/g, " ")).toContain("outcome: reward 0.25");
  const replayed = recordedIo(folder());
  const bench = ["bench", "run.json", "--with", "graded.mjs", "--policy", "none", "--window", "64k", "--json", "report.json"];
  expect(await main(bench, replayed.io)).toBe(0);
  const report: unknown = JSON.parse(readFileSync(folder("report.json"), "utf8"));
  expect(report).toMatchObject({ sessions: [{ outcome: { grades: [{ name: "reward", value: 0.25 }] } }] });
  writeFileSync(folder("late.mjs"), MODULE.replace("recognises: ", "recognises: async "));
  const late = recordedIo(folder());
  expect(await main(["inspect", "run.json", "--with", "late.mjs"], late.io)).toBe(2);
  expect(late.stderr()).toContain("the importer graded must not be async: it answered with a promise");
  const refused = recordedIo(folder());
  expect(await main(["inspect", "run.json"], refused.io)).toBe(2);
  expect(refused.stderr()).toMatch(
    /^plimsoll: run\.json:1: no known session format \(found .*, or add an importer with --with\n$/,
  );
});

test("inspect --json writes the facts by their names, and what was not read with the version that wrote it", async () => {
  const common = { parentUuid: null, isSidechain: false, sessionId: "s", version: "2.9.1", timestamp: "2026-11-01T00:00:00Z" };
  const lines = [
    { ...common, type: "user", uuid: "u", message: { role: "user", content: "q" } },
    { ...common, type: "hologram", uuid: "x" },
    { ...common, type: "hologram", uuid: "y" },
  ];
  await inspected("log.jsonl", lines, "--json", "facts.json");
  expect(JSON.parse(readFileSync(folder("facts.json"), "utf8"))).toMatchObject({
    sessions: [
      {
        format: "claude-code",
        facts: { "your messages": "1", "tool results": "0" },
        unread: [{ writtenBy: "claude-code 2.9.1", counts: { hologram: 2 } }],
      },
    ],
  });
});

test("reports calibrate the table of what the context holds; those of a reply's beginning are its least size", async () => {
  const asked = [user("u", "word ".repeat(10)), answer("a", 1_000, text("ok")), user("v", "word ".repeat(2_000))];
  const shown = await inspected("reported.jsonl", [...asked, answer("b", 7_000, text("long ".repeat(20)))]);
  expect(shown).toMatch(/^all +4 +7\.\d\dk +100%\n.*Estimates, scaled to the expected size of the next request\./m);
  expect(shown.replace(/\s+/g, " ")).toContain("· replies: ≥ 4 tokens (1 of 2 not logged in full) ·");
});

test("a compaction shows its wait, its price and the passages that later replies needed, as text, page and data", async () => {
  const MODEL = "claude-sonnet-4-5";
  const at = <Of extends { readonly atMs: number | null }>(atMs: number, of: Of): Of => ({ ...of, atMs });
  const asked = (id: string, through: string, tokens: number): SessionEntry => ({
    ...usageEntry(id, through, tokens),
    modelId: MODEL,
  });
  const needed = ["oak", "elm", "fir", "ash", "yew", "bay", "fig"].map((wood) => `the ${wood}_hull has a leak below the line`);
  const entries = [
    sessionStart("Mend ships."),
    said(human("h1", "Find leaks.")),
    asked("q1", "h1", 50_000),
    said(assistant("a1", [callPart("c1", "tool")])),
    said(result("r1", "c1", needed.join("\n"))),
    asked("q2", "r1", 51_000),
    said(assistant("a2", [callPart("c2", "tool")])),
    said(at(1_000, result("r2", "c2", "nothing more"))),
    at(31_000, compaction("k1", [summarized(summaryMessage("s1", "Leaks were looked for."), ["h1", "r2"])])),
    asked("q3", "s1", 8_000),
    said(assistant("a3", [{ type: "text", text: needed.map((line) => line.slice(4, 12)).join() }, callPart("c3", "tool")])),
    said(result("r3", "c3", needed.join("\n"))),
    asked("q4", "r3", 8_100),
    said(reply("a4", "Seen.")),
    said(human("h2", "Go on.")),
  ];
  const shown = await inspected("needed.jsonl", entries, "--html", "needed.html", "--json", "needed.json");
  const lost = "the agent read 7 removed lines again (results of later calls repeat them)";
  const price = "30 s of waiting; about $0.183 for the summary; $0.0276 for the lost prompt";
  expect(shown).toContain(`      ${lost}:\n        call 3: the oak_hull has a leak below the line\n`);
  expect(shown).toMatch(/call 3: the fir_hull.*\n +and 4 more \(--html or --json FILE: up to 200\)\n/);
  expect(shown).toContain(price);
  const page = readFileSync(folder("needed.html"), "utf8");
  for (const each of [lost, price, "bay_hull", "1 more</summary>", "fig_hull"]) expect(page).toContain(each);
  expect(JSON.parse(readFileSync(folder("needed.json"), "utf8"))).toMatchObject({
    sessions: [
      {
        figures: { modelCalls: 4, yourMessages: 2, largestPromptTokens: 51_000, models: [MODEL] },
        compactions: [
          {
            ...{ callsBefore: 2, tokensBefore: 51_000, tokensAfter: 8_000, waitMs: 30_000, neededLater: 7 },
            spend: { summaryUsd: expect.closeTo(0.183, 3), lostCacheUsd: expect.closeTo(0.0276, 4) },
            examples: expect.arrayContaining([{ call: 3, text: needed[5], lines: 1 }]),
          },
        ],
      },
    ],
  });
});

const SLICES = JSON.stringify({ code: `${"deep below the line ".repeat(9)}\nsee("src/hull-1.ts:42", "src/hull-2.ts:43")` });
const NEAR = [1, 2, 3].map((number) => `oak_hull${number} leaks below the line of the keel`).join("\n");
const LOCK = "see HULL_LOCK now\nand close it before the ship leaves the harbour\nor the hull fills before the night";
const placed = (place: string) => `${place}${LOCK.replaceAll("\n", `\n${place}`)}`;
const CODE = "{\nreturn sternLock()\n}";

interface Reading extends Partial<Record<"output" | "used" | "again" | "told" | "since", string>> {
  readonly shownAs?: RegExp;
  readonly call?: Parameters<typeof callPart>[2];
  readonly times?: number;
}

test.each<readonly [string, Reading]>([
  ["escapes are not shown", { output: SLICES, used: "src/hull-1.ts:42, src/hull-2.ts:43", shownAs: /: see\("src\/hull-1/ }],
  [
    "nearly equal ones are one",
    { output: NEAR, used: "oak_hull1, oak_hull2, oak_hull3", shownAs: /: oak_hull.*2 like it\)$/m },
  ],
  [
    "a search's place is none of it",
    { output: placed("src/oak.ts:7: "), again: placed("7\t"), shownAs: /: see HULL_LOCK now$/m },
  ],
  ["one without its neighbours is none", { again: "see HULL_LOCK now\nor tomorrow" }],
  ["short lines such as code often has are none", { output: CODE, used: "sternLock" }],
  ["a change's confirmation is none", { call: { paths: [{ path: "ship.ts", access: "modify" }] } }],
  ["those of many results are none", { times: 4 }],
  ["a mention is no evidence", { again: "nothing" }],
  ["one that the summary has is not lost", { told: LOCK }],
  ["one that a result since has is not lost", { since: LOCK }],
  ["a file's name is none", { output: "/home/a/ship/rudder.ts", used: "/home/a/ship/rudder.ts" }],
  ["a number is none", { output: "510-elm\n511-", used: "Line 511." }],
])("of lines that the agent read again, %s", async (_, reading) => {
  const { output = LOCK, used = "HULL_LOCK", again = output, shownAs, call, told = "", since = "", times = 1 } = reading;
  const entries = [
    sessionStart("Mend ships."),
    said(human("h1", "Find leaks.")),
    usageEntry("q1", "h1", 50_000),
    ...Array.from({ length: times }, (_, n) => [
      said(assistant(`a1${n}`, [callPart(`c1${n}`, "tool")])),
      said(result(`r1${n}`, `c1${n}`, output)),
    ]).flat(),
    usageEntry("q2", `r1${times - 1}`, 51_000),
    said(reply("a2", "Seen.")),
    compaction("k1", [summarized(summaryMessage("s1", `Done. ${told}`), ["h1", "a2"])]),
    usageEntry("q3", "s1", 8_000),
    said(assistant("a3", [callPart("c3", "tool")])),
    said(result("r3", "c3", since)),
    usageEntry("q4", "r3", 8_100),
    said(assistant("a4", [{ type: "text", text: used }, callPart("c4", "tool", call)])),
    said(result("r4", "c4", again)),
    usageEntry("q5", "r4", 8_200),
    said(reply("a5", "Go on.")),
  ];
  const shown = await inspected("slices.jsonl", entries);
  expect(shown).toMatch(shownAs ?? /the agent read no removed line again/);
  expect(shown).toContain(`the agent read ${shownAs === undefined ? "no" : "1"} removed line again`);
});

const CLAUDE = { isSidechain: false, sessionId: "s", version: "2.1.20", timestamp: "2026-01-01T00:00:00Z" };
const user = (uuid: string, content: unknown, more: object = {}) => {
  return { ...CLAUDE, parentUuid: null, type: "user", uuid, message: { role: "user", content }, ...more };
};
const answer = (uuid: string, input_tokens: number, block: object) => {
  const usage = { input_tokens, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 2 };
  const message = { id: uuid, role: "assistant", model: "claude-opus-4-5", content: [block], usage };
  return { ...CLAUDE, parentUuid: null, type: "assistant", uuid, message };
};
const text = (words: string) => ({ type: "text", text: words });
const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const resultOf = (id: string, content: string, more: object = {}) =>
  user(id, [{ type: "tool_result", tool_use_id: id, content }], more);
const STERN = "func two(ofTheShipsInTheHarbour Ships, beforeTheNight Time) Lock {\n\treturn sternLock()\n}\n";
const FILE = `func one() {\n\treturn hullLock()\n}\n${STERN}`;
const READ = { file: { filePath: "/w/hull.go", content: FILE, numLines: 7, totalLines: 7 } };
const system = (subtype: string, more: object) => ({
  ...CLAUDE,
  parentUuid: null,
  type: "system",
  subtype,
  uuid: subtype,
  ...more,
});
const COMPACTED = [
  system("compact_boundary", { compactMetadata: { trigger: "auto", preTokens: 52_000 } }),
  user("s", "Locks were looked at.", { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
];
const clearing = (id: string, tokensSaved: number) =>
  system("microcompact_boundary", {
    microcompactMetadata: { trigger: "auto", preTokens: 60, tokensSaved, compactedToolIds: [id] },
  });
const UPPER = "the agent attached recently used files again; the log does not show them, so these losses are upper bounds";

test.each<[string, readonly object[], readonly string[]]>([
  [
    "a file that the agent attached again is in the prompt",
    [resultOf("c1", FILE, { toolUseResult: READ }), answer("a2", 50_000, text("seen")), ...COMPACTED],
    [
      "(automatic; the log says 52.0k): 50.0k → 7.00k tokens",
      "the agent read no removed line again",
      UPPER,
      "not logged: system prompt, tools, files put back ",
    ],
  ],
  [
    "a line that the agent repeats is in the prompt, without its neighbours",
    [
      ...[resultOf("c1", FILE), answer("a2", 50_000, text("seen")), ...COMPACTED],
      user("n", "Changed meanwhile: return sternLock()", { isMeta: true }),
    ],
    ["the agent read no removed line again", "not logged: system prompt and tools "],
  ],
  [
    "a clearing of old results is a compaction, and asks no model",
    [...[resultOf("c1", FILE), answer("a2", 50_000, text("seen"))], clearing("c1", 40)],
    [
      "compactions: 1 (1 only shortened old results)",
      "compaction (automatic by clearing old results): 50.0k → 7.00k tokens, all messages stay, some shortened $0.0402 for the lost prompt cache",
      "no longer sent: results of Read 1",
      "the agent read 1 removed line again",
    ],
  ],
  [
    "a clearing right before a compaction takes what the log says, and the lost cache counts once",
    [resultOf("c1", FILE), answer("a2", 50_000, text("seen")), clearing("c1", 10_000), ...COMPACTED],
    [
      "by clearing old results): 50.0k → 40.0k tokens, all messages stay, some shortened ◆ compaction (automatic; the log says 52.0k): 40.0k → 7.00k tokens",
      "about $0.0750 for the summary; $0.0402 for the lost prompt cache no longer sent",
    ],
  ],
  ["one may be unlogged", [answer("a2", 50_000, text("seen")), ...COMPACTED.slice(0, 1)], ["1 summary, not in the log"]],
])("of Claude Code's compactions, %s", async (_, lines, words) => {
  const whole = [
    user("u", "q"),
    answer("a1", 40_000, use("c1", "Read", { file_path: "/w/hull.go" })),
    ...lines,
    answer("y", 7_000, use("c9", "Grep", { pattern: "sternLock" })),
    resultOf("c9", STERN),
    answer("z", 7_100, text("next")),
  ];
  const shown = await inspected("claude.jsonl", whole);
  for (const each of words) expect(shown.replace(/\s+/g, " ")).toContain(each);
  expect(shown).not.toContain("unknown");
});

test.each([
  ["as many tokens as its record", 42_000, 8_000],
  ["the estimate if the record does not know", null, 10_500],
])("the list of a cut removes at least %s, and little more", async (_, tokensAfter, removed) => {
  const cut = compaction("k1", [summarized(summaryMessage("s1", "Mended."), ["h1", "h1"])]);
  const message = human("h1", "leak ".repeat(10_000));
  const record = { ...cut.record, tokensBefore: 50_000, tokensAfter };
  const [story] = sessionStory([sessionStart(), { type: "message", message }, { ...cut, record }]).compactions;
  const listed = story?.loss.kinds[0]?.tokens ?? 0;
  expect(listed).toBeGreaterThan(removed * 0.99);
  expect(listed).toBeLessThan(removed * 1.3);
});

test("compactions before the newest are one sentence, unless all are asked for", async () => {
  const lines = [user("u", "q"), answer("a1", 40_000, text("r")), ...COMPACTED, answer("a2", 7_000, text("r"))];
  const again = [...COMPACTED, answer("a3", 7_000, text("r"))].map((line, place) => ({ ...line, uuid: `again-${place}` }));
  const losses = async (...options: readonly string[]) => {
    const shown = await inspected("twice.jsonl", [...lines, ...again], ...options);
    expect(shown).toMatch(/messages?\s+became\s+1\s+summary\n +about \$[^\n]+\n/);
    return [shown.match(/◆ compaction \(/g)?.length, shown.match(/no longer sent/g)?.length];
  };
  expect(await losses()).toEqual([2, 1]);
  expect(await losses("--full")).toEqual([2, 2]);
});

test("a message counts once, with all its texts; images have their own tokens", async () => {
  const parts = [
    { ...absentImage(), widthPx: 400, heightPx: 300 },
    { type: "text", text: "See" },
    { type: "text", text: "this." },
  ] as const;
  const entries = [sessionStart(), { type: "message", message: { ...human("h1", ""), parts } } as const];
  const shown = await inspected("parts.jsonl", entries, "--html", "parts.html");
  expect(shown).toMatch(/^images +1 +[1-9]\S* /m);
  expect(shown).toMatch(/^your messages +1 /m);
  expect(readFileSync(folder("parts.html"), "utf8")).toContain('<td class="text">your messages</td><td>1</td>');
});
