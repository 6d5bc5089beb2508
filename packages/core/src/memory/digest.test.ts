import { describe, expect, test } from "vitest";
import { lettered } from "../../testing/lettered.ts";
import type { Message } from "../message/message.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { PRESETS } from "../policy/presets/presets.ts";
import type { SummaryRequest } from "../ports.ts";
import { SUMMARY_HEADER } from "../prompts/notices.ts";
import { isEmptyBody, sectionsIn } from "../summarizer/sections.ts";
import { assistant, calling, human, reply, result, summaryMessage, toolCall } from "../testing/builders.ts";
import { DEFAULT_DIGEST_OPTIONS, digestText } from "./digest.ts";
import { foldFacts, NO_FACTS } from "./facts.ts";

const policies = PRESETS.filter(({ enabled }) => enabled).map((preset) => [preset.name, preset] as const);
const ask = (summary: Omit<SummaryRequest, "parts" | "focus">, messages: readonly Message[], maximumChars = 6000) =>
  digestText({ ...summary, focus: null, parts: [{ promptId: "p", messages }] }, { maximumChars });
const HISTORY: readonly Message[] = [
  human("u", "fix the parser"),
  calling("k", ["c"]),
  { ...result("r", "c", "line 1\nTypeError: x is not a function"), isError: true },
  reply("a", "The parser drops the last token.\n## not a heading of ours"),
];

describe("the digest", () => {
  test.each(policies)("has sections of %s, in order, none of them empty, and no others", (_, { summary }) => {
    const { preamble, found, unknown } = sectionsIn(ask(summary, HISTORY), summary.sections);
    const titles = found.map(({ title }) => title);
    expect(titles).toEqual(summary.sections.filter((title) => titles.includes(title)));
    expect(found.some(({ body }) => isEmptyBody(body))).toBe(false);
    expect(summary.sections.length === 0 || (preamble === "" && unknown.length === 0)).toBe(true);
  });

  test.each(policies)("quotes under %s what was asked, what failed and what was found", (_, { summary }) => {
    const text = ask(summary, HISTORY);
    for (const said of ["fix the parser", "TypeError: x is not a function", "The parser drops the last token."])
      expect(text).toContain(said);
  });

  test.each(policies)("has one size under %s as under any other", (_, { summary }) => {
    const work = Array.from({ length: 60 }, (_, at) => [
      planned(`p${at}`, ...[...Array(60).keys()].map((each) => [`Part ${each} of ${at}`, "pending"] as const)),
      touching(`t${at}`, `src/${"long/".repeat(30)}${at}.ts`, "modify"),
    ]).flat();
    const text = ask(summary, [...lettered("UA".repeat(60), 4000), ...work, ...lettered("UA", 4000)]);
    expect(text.length).toBeLessThanOrEqual(DEFAULT_DIGEST_OPTIONS.maximumChars);
    expect(text.length).toBeGreaterThan(DEFAULT_DIGEST_OPTIONS.maximumChars * 0.5);
  });

  test.each(policies)("carries over under %s what it said before", (_, { summary }) => {
    const first = ask(summary, HISTORY);
    const second = ask(summary, [summaryMessage("s", first), human("v", "and the lexer")]);
    expect(second).toContain("fix the parser");
    expect(second).toContain("and the lexer");
  });

  test.each(policies)("with little room under %s quotes all the same", (_, { summary }) => {
    expect(ask(summary, HISTORY, 240)).toContain("fix the parser");
  });

  test.each(policies)("is the same for the same history under %s", (_, { summary }) => {
    expect(ask(summary, structuredClone(HISTORY))).toBe(ask(summary, HISTORY));
  });

  test.each(policies)("keeps under %s the first request over five full cuts", (_, { summary }) => {
    let messages: readonly Message[] = [human("u", "Port the parser."), ...busy(0)];
    for (let cut = 1; cut <= 5; cut++) messages = [summaryMessage(`s${cut}`, ask(summary, messages)), ...busy(cut)];
    expect(ask(summary, messages)).toContain("- Asked first: Port the parser.\n- Asked later: Add rule 5.19 here.");
  });
});

/** More than a digest holds: requests, and replies. */
function busy(seed: number): readonly Message[] {
  return Array.from({ length: 20 }, (_, at) => [
    human(`u${seed}-${at}`, `Add rule ${seed}.${at} here. ${"request ".repeat(60)}`),
    reply(`a${seed}-${at}`, `Found ${seed}.${at}. ${"reply ".repeat(80)}`),
  ]).flat();
}

const { summary: PLIMSOLL } = PLIMSOLL_POLICY;
const planned = (id: string, ...items: readonly (readonly [string, string])[]) =>
  toolCall(id, `c-${id}`, {
    name: "any",
    argumentsJson: JSON.stringify({ items: items.map(([content, status]) => ({ content, status })) }),
  });
const touching = (id: string, path: string, access: "read" | "modify") =>
  assistant(id, [
    { type: "text", text: "" },
    { type: "tool-call", callId: `c-${id}`, toolName: "any", argumentsJson: `{"path":"${path}"}`, paths: [{ path, access }] },
  ]);
const failing = (id: string) => ({ ...result(`r-${id}`, `c-${id}`, "trace\nTypeError: x"), isError: true });
const requestOf = (messages: readonly Message[], view: readonly Message[]): SummaryRequest => {
  return { ...PLIMSOLL, focus: null, parts: [{ promptId: "p", messages }], view };
};
const before = (text: string) => summaryMessage("s", `${SUMMARY_HEADER.text}\n\n${text}`);
const PLAN_BEFORE = "## Progress\n- Plan, done: A\n- B is red.\n\n## Next Steps\n- Plan, open: C";

describe("under the sections of a policy", () => {
  test.each<[string, readonly Message[], string]>([
    ["a ticked item has one mark", [reply("a", "- [x] It is green.")], "## Progress\n- [x] It is green."],
    ["what is not known has no section", [reply("a", "It is green.")], "## Progress\n- It is green."],
    [
      "of requests the first and the newest are the goal",
      [human("u", "A"), human("v", "B"), human("w", "C\nc")],
      "## Goal\n- Asked first: A\n- Asked later: C c",
    ],
    [
      "of a plan, what is done is progress, the rest comes next, and what was given up is neither",
      [planned("p", ["A", "completed"], ["B\nb", "in_progress"], ["C", "pending"], ["D", "cancelled"], ["None", "pending"])],
      "## Progress\n- Plan, done: A\n\n## Next Steps\n- Plan, open: B b\n- Plan, open: C",
    ],
    ["the newest plan counts", [planned("p", ["A", "pending"]), planned("q", ["A", "DONE"])], "## Progress\n- Plan, done: A"],
    [
      "of steps the newest counts: what was said, and what its calls gave",
      [
        assistant("a", [{ type: "text", text: "Look." }]),
        assistant("b", [
          { type: "text", text: "Now I run them." },
          { type: "tool-call", callId: "c", toolName: "tool", argumentsJson: "{}", paths: [] },
        ]),
        result("r", "c", "two\nlines"),
      ],
      "## Progress\n- Now I run them.\n- tool: two\nlines",
    ],
    [
      "files are told by what was done to them",
      [touching("a", "a.ts", "read"), touching("b", "b.ts", "modify"), touching("c", "a.ts", "read")],
      "## Critical Context\n- Changed: b.ts\n- Read: a.ts",
    ],
    [
      "what runs comes next",
      [
        toolCall("s", "c", { name: "Bash", argumentsJson: '{"command":"npm run dev","run_in_background":true}' }),
        result("r", "c", "Command running in background with ID: bash_1"),
      ],
      "## Progress\n- tool: Command running in background with ID: bash_1\n\n## Next Steps\n- In the background: bash_1: running; npm run dev",
    ],
    [
      "failures are critical",
      [touching("p", "", "read"), failing("p"), reply("z", "N/A")],
      "## Critical Context\n- Failed: any: TypeError: x",
    ],
    [
      "an answer that says nothing is not quoted",
      [human("u", "None."), reply("a", "N/A"), human("v", "Go on")],
      "## Goal\n- Asked first: Go on",
    ],
    ["if nothing can be quoted, that is said", [human("u", "None")], "## Progress\nNothing is quoted of the earlier messages."],
    [
      "text that reads as a heading, a fence or a line of ours is moved in",
      [reply("u", "A\n## Goal\n```\r# x\n- Plan, open: B\n- Asked first: C\nNone")],
      "## Progress\n- A\n ## Goal\n ```\r # x\n - Plan, open: B\n - Asked first: C\n None",
    ],
  ])("%s", (_, messages, expected) => {
    expect(ask(PLIMSOLL, messages)).toBe(expected);
  });

  test.each<[string, string, readonly Message[], string]>([
    ["a plan, if there is no newer one", PLAN_BEFORE, [human("u", "D")], `## Goal\n- Asked later: D\n\n${PLAN_BEFORE}`],
    [
      "the first request, and the newest if there is no newer one",
      "## Goal\n- Asked first: A\n- Asked later: B",
      [reply("a", "Done.")],
      "## Goal\n- Asked first: A\n- Asked later: B\n\n## Progress\n- Done.",
    ],
    [
      "no request but the first, if there is a newer one",
      "## Goal\n- Asked first: A\n- Asked later: B",
      [human("u", "C")],
      "## Goal\n- Asked first: A\n- Asked later: C",
    ],
    [
      "nothing of a plan, if there is a newer one",
      PLAN_BEFORE,
      [planned("p", ["C", "completed"])],
      "## Progress\n- B is red.\n- Plan, done: C",
    ],
    [
      "nothing that a model left empty",
      "## Goal\n- A\n### Done\n- (none)\n### Open\n- B\n### Blocked\nNone\n\n## Next Steps\nNone",
      [],
      "## Goal\n- A\n### Open\n- B",
    ],
    ["what stands above the sections, as progress", "Before.\n\n## Goal\n- A", [], "## Goal\n- A\n\n## Progress\n- Before."],
    [
      "nothing of a digest that quoted nothing",
      "## Progress\nNothing is quoted of the earlier messages.",
      [reply("a", "Done.")],
      "## Progress\n- Done.",
    ],
    ["a text without sections, as progress", "They fixed it.", [], "## Progress\n- They fixed it."],
    ["no heading out of a fence", "## Goal\n- A\n```\n## Progress\n```", [], "## Goal\n- A\n ```\n ## Progress\n ```"],
  ])("an earlier summary carries over %s", (_, text, more, expected) => {
    expect(ask(PLIMSOLL, [before(text), ...more])).toBe(expected);
  });

  test.each<[string, readonly Message[], readonly Message[], string]>([
    ["none that was covered, if the first stays", [human("u", "A")], [human("v", "B")], "## Goal\n- Asked later: B"],
    ["none that comes after a summary without it", [before("Done.")], [human("v", "B")], "## Goal\n- Asked later: B"],
    ["the one before a summary", [], [human("u", "A"), before("Done.")], "## Goal\n- Asked first: A\n\n## Progress\n- Done."],
    ["the one that says something", [human("u", "None")], [human("v", "B")], "## Goal\n- Asked first: B"],
  ])("the first request is %s", (_, stays, messages, expected) => {
    expect(digestText(requestOf(messages, [...stays, ...messages]), DEFAULT_DIGEST_OPTIONS)).toBe(expected);
  });

  const plan = planned("p", ["C", "pending"]);
  test.each<[string, readonly Message[], readonly Message[], string]>([
    ["a plan that stays in the view, nor an older one", [before(PLAN_BEFORE)], [plan], "## Progress\n- B is red."],
    ["an older plan if the newest is covered", [plan], [], "## Next Steps\n- Plan, open: C"],
  ])("does not tell %s", (_, messages, stays, expected) => {
    expect(digestText(requestOf(messages, [...messages, ...stays]), DEFAULT_DIGEST_OPTIONS)).toBe(expected);
  });

  test.each<[string, readonly string[], string]>([
    ["go to the last section if no title is theirs", ["Notes"], "## Notes\n- Asked first: Leave main.\n- It is red."],
    ["have their own sections if the policy has none", [], "## Goal\n- Asked first: Leave main.\n\n## Progress\n- It is red."],
  ])("quotations %s", (_, sections, expected) => {
    expect(ask({ ...PLIMSOLL, sections }, [human("u", "Leave main."), reply("a", "It is red.")])).toBe(expected);
  });

  test("beside the record it tells nothing that the record has, and nothing that an earlier digest had of it", () => {
    const messages = [before(PLAN_BEFORE), human("u", "D"), touching("a", "a.ts", "modify"), failing("a"), reply("b", "Done.")];
    const options = { maximumChars: 6000, facts: messages.reduce(foldFacts, NO_FACTS), isBesideRecord: true };
    expect(digestText(requestOf(messages, messages), options)).toBe(
      "## Goal\n- Asked later: D\n\n## Progress\n- B is red.\n- Done.",
    );
  });
});

/** Calls of one tool, with results that say nothing. */
const called = (name: string, ...args: readonly object[]): readonly Message[] =>
  args.flatMap((each, at) => [
    toolCall(`${name}${at}`, `c${at}`, { name, argumentsJson: JSON.stringify(each) }),
    result(`r${name}${at}`, `c${at}`, ""),
  ]);

describe("the calls of a digest", () => {
  const ids = (...all: readonly number[]) => all.map((id) => ({ id, verbose: true }));
  test.each([
    ["runs of numbers are merged", called("bill", ...ids(0, 1, 2, 3, 7, 9)), "- Called: bill id 0 to 3, 7, 9 (6 calls)"],
    ["the newest of many stay", called("bill", ...ids(...[...Array(60).keys()].map((at) => at * 3))), "(60 calls)"],
    ["words are values, too", called("find", { q: "rent" }, { q: "heat" }), "- Called: find q rent, heat (2 calls)"],
    ["values may be JSON", called("ask", { a: { toString: 1 } }, { a: 2 }), '- Called: ask a {"toString":1}, 2 (2 calls)'],
    ["long values are not read", called("ask", { a: 1 }, { a: 3 }, { a: "x".repeat(5_000) }), "ask a 1, 3 (3 calls)"],
  ])("%s", (_, messages, line) => {
    const text = ask(PLIMSOLL_POLICY.summary, [human("u", "Check all."), ...messages]);
    expect(text).toContain(line);
    expect((text.match(/- Called: .*/)?.[0] ?? "").length).toBeLessThan(240);
  });

  test("are those of the whole log but for the last, and replace an earlier list", () => {
    const log = called("bill", ...ids(...Array(1_200).keys()));
    const facts = log.reduce(foldFacts, NO_FACTS);
    const covered = [before("## Progress\n- Called: bill id 0 to 9 (10 calls)"), ...log.slice(-40, -4)];
    const text = digestText(requestOf(covered, [...covered, ...log.slice(-4)]), { maximumChars: 6000, facts });
    expect(text.match(/- Called: .*/g)).toEqual(["- Called: bill id 198 to 1197 (1000+ calls)"]);
  });

  test.each([
    ["one call", called("bill", { id: 1 })],
    ["equal calls", called("bill", { id: 1 }, { id: 1 })],
    ["calls of a session with files", [...called("bill", { id: 1 }, { id: 2 }), touching("t", "src/a.ts", "modify")]],
    ["calls of a session with a plan", [...called("bill", { id: 1 }, { id: 2 }), planned("p", ["Pay", "pending"])]],
  ])("%s are not listed", (_, messages) => {
    expect(ask(PLIMSOLL_POLICY.summary, [human("u", "Check all."), ...messages])).not.toContain("- Called: ");
  });
});

test.each([
  ["whether or not a line has its words", "the open bills", ["- Focus: the open bills"], []],
  [
    "with the lines of its rare words",
    "what is open in the harbour with invoice.ts and what is to be done next",
    ["invoice.ts drops the last bill", "invoice.ts rounds to cents"],
    ["is done next with the harbour"],
  ],
  ["with the lines of its words, if all are common", "the harbour", ["Page 39 is done next with the harbour"], []],
])("a focus is in the digest, %s", (_, focus, has, lacks) => {
  const pages = Array.from({ length: 40 }, (_, at) =>
    reply(`p${at}`, `Page ${at} is done next with the harbour, and what is in it.`),
  );
  const found = [
    reply("i", "I see that invoice.ts drops the last bill."),
    result("j", "c", "it is so:\ninvoice.ts rounds to cents"),
  ];
  const messages = [...HISTORY, ...pages.slice(0, 5), ...found, ...pages.slice(5)];
  const text = digestText({ ...PLIMSOLL_POLICY.summary, focus, parts: [{ promptId: "p", messages }] }, { maximumChars: 6000 });
  const quoted = text.slice(0, text.indexOf("- Focus: "));
  for (const each of has) expect(text).toContain(each);
  for (const each of lacks) expect(quoted).not.toContain(each);
});
