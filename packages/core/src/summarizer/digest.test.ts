import { describe, expect, test } from "vitest";
import { lettered } from "../../testing/lettered.ts";
import type { Message } from "../message/message.ts";
import { PLIMSOLL_POLICY } from "../policy/presets/plimsoll.ts";
import { PRESETS } from "../policy/presets/presets.ts";
import type { SummaryRequest } from "../ports.ts";
import { SUMMARY_HEADER } from "../prompts/notices.ts";
import { assistant, human, reply, result, summaryMessage, toolCall } from "../testing/builders.ts";
import { createDigest, DEFAULT_DIGEST_OPTIONS, digestText } from "./digest.ts";
import { isEmptyBody, sectionsIn } from "./sections.ts";

const policies = PRESETS.filter(({ enabled }) => enabled).map((preset) => [preset.name, preset] as const);
const ask = (summary: Omit<SummaryRequest, "parts" | "focus">, messages: readonly Message[], maximumChars = 6000) =>
  digestText({ ...summary, focus: null, parts: [{ promptId: "p", messages }] }, { maximumChars });
const HISTORY: readonly Message[] = [
  human("u", "fix the parser"),
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
    const text = ask(summary, lettered("UA".repeat(60), 400));
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
    expect(ask(summary, HISTORY, 120)).toContain("fix the parser");
  });

  test.each(policies)("is the same for the same history under %s", (_, { summary }) => {
    expect(ask(summary, structuredClone(HISTORY))).toBe(ask(summary, HISTORY));
  });

  test.each(policies)("keeps under %s a constraint from the start over five full cuts", (_, { summary }) => {
    let messages: readonly Message[] = [human("u", "Port the parser. You must not touch the lexer."), ...busy(0)];
    for (let cut = 1; cut <= 5; cut++) messages = [summaryMessage(`s${cut}`, ask(summary, messages)), ...busy(cut)];
    expect(ask(summary, messages)).toContain("You must not touch the lexer.");
  });
});

/** More than a digest holds: requests with constraints, and replies. */
function busy(seed: number): readonly Message[] {
  return Array.from({ length: 20 }, (_, at) => [
    human(`u${seed}-${at}`, `Never use rule ${seed}.${at} here. ${"request ".repeat(60)}`),
    reply(`a${seed}-${at}`, `Found ${seed}.${at}. ${"reply ".repeat(80)}`),
  ]).flat();
}

const { summary: PLIMSOLL } = PLIMSOLL_POLICY;
const planned = (id: string, ...items: readonly (readonly [string, string])[]) =>
  toolCall(id, `c-${id}`, {
    name: "any",
    argumentsJson: JSON.stringify({ items: items.map(([content, status]) => ({ content, status })) }),
  });
const announcing = (id: string, text: string) =>
  assistant(id, [
    { type: "text", text },
    { type: "tool-call", callId: `c-${id}`, toolName: "any", argumentsJson: "{}", paths: [] },
  ]);
const before = (text: string) => summaryMessage("s", `${SUMMARY_HEADER.text}\n\n${text}`);
const PLAN_BEFORE =
  "## Progress\n- Plan, done: A\n- B is red.\n\n## Next Steps\n- Plan, open: C\n- Said to come next: I'll do C now.";

describe("under the sections of a policy", () => {
  test.each<[string, readonly Message[], string]>([
    [
      "of conclusions that differ in a number alone the newest few stay, with a count",
      [
        before("## Progress\n- Number 1 is green. (and 4 more like it)\n- The port is 80."),
        ...[2, 3, 4].map((at) => reply(`n${at}`, `Number ${at} is green.`)),
      ],
      "## Progress\n- The port is 80.\n- Number 2 is green. (and 5 more like it)\n- Number 3 is green.\n- Number 4 is green.",
    ],
    ["a ticked item has one mark", [reply("a", "- [x] It is green.")], "## Progress\n- [x] It is green."],
    ["what is not known has no section", [reply("a", "It is green.")], "## Progress\n- It is green."],
    ["requests are the goal, the newest last", [human("u", "A"), human("v", "B")], "## Goal\n- A\n- B"],
    [
      "what the person decides or forbids is a constraint, word for word and once",
      [human("u", "Port it.\n- Don’t touch `a.ts`. Why must it fail? Don’t touch `a.ts`.\n```\nyou must not\n```")],
      "## Goal\n- Port it.\n- Don’t touch `a.ts`. Why must it fail? Don’t touch `a.ts`.\n ```\nyou must not\n ```\n\n## Constraints & Preferences\n- Don’t touch `a.ts`.",
    ],
    [
      "a word in a longer one decides nothing",
      [human("u", "Send must-revalidate here.")],
      "## Goal\n- Send must-revalidate here.",
    ],
    [
      "a choice of the model is a decision",
      [reply("a", "All is green. I use a map instead of a list.")],
      "## Progress\n- All is green. I use a map instead of a list.\n\n## Key Decisions\n- I use a map instead of a list.",
    ],
    [
      "of a plan, what is done is progress, the rest comes next, and what was given up is neither",
      [planned("p", ["A", "completed"], ["B\nb", "in_progress"], ["C", "pending"], ["D", "cancelled"], ["None", "pending"])],
      "## Progress\n- Plan, done: A\n\n## Next Steps\n- Plan, open: B b\n- Plan, open: C",
    ],
    ["the newest plan counts", [planned("p", ["A", "pending"]), planned("q", ["A", "DONE"])], "## Progress\n- Plan, done: A"],
    [
      "the last sentence that says what comes next is the next step, and no conclusion",
      [announcing("a", "Let me look at it."), announcing("b", "Let me see it first. Now I'll run the tests.")],
      "## Next Steps\n- Said to come next: Now I'll run the tests.",
    ],
    [
      "a sentence that only leads to the calls behind it is no conclusion",
      [
        announcing("a", "Two handlers do the same.\nBoth are old. Add `agent_end` of theme.ts to both:"),
        announcing("b", "Now find `prompt()`:"),
      ],
      "## Progress\n- Two handlers do the same.\nBoth are old.",
    ],
    ["what a turn ends with is quoted whole", [reply("b", "These are left:")], "## Progress\n- These are left:"],
    [
      "a turn that has ended has no next step",
      [announcing("a", "Let me look at it."), reply("b", "Done.")],
      "## Progress\n- Done.",
    ],
    [
      "a word to the person is no next step",
      [reply("b", "Let me know what you think.")],
      "## Progress\n- Let me know what you think.",
    ],
    [
      "failures are critical",
      [{ ...result("r", "c", "trace\nTypeError: x"), isError: true }, result("q", "d", "fine")],
      "## Critical Context\n- tool: TypeError: x",
    ],
    [
      "an answer that says nothing is not quoted",
      [human("u", "None."), reply("a", "N/A"), human("v", "Go on")],
      "## Goal\n- Go on",
    ],
    [
      "if nothing can be quoted, that is said",
      [result("r", "c", "fine")],
      "## Progress\nNothing is quoted of 1 earlier message.",
    ],
    [
      "text that reads as a heading, a fence or a line of ours is moved in",
      [human("u", "A\n## Goal\n```\r# x\n- Plan, open: B\n- Said to come next: C\nNone")],
      "## Goal\n- A\n ## Goal\n ```\r # x\n - Plan, open: B\n - Said to come next: C\n None",
    ],
  ])("%s", (_, messages, expected) => {
    expect(ask(PLIMSOLL, messages)).toBe(expected);
  });

  test.each<[string, string, readonly Message[], string]>([
    ["a plan and a next step, if there are no newer ones", PLAN_BEFORE, [human("u", "D")], `## Goal\n- D\n\n${PLAN_BEFORE}`],
    [
      "nothing of a plan, if there is a newer one",
      PLAN_BEFORE,
      [planned("p", ["C", "completed"])],
      "## Progress\n- B is red.\n- Plan, done: C\n\n## Next Steps\n- Said to come next: I'll do C now.",
    ],
    [
      "no next step, if there is a newer one",
      PLAN_BEFORE,
      [announcing("a", "I'll do D now.")],
      "## Progress\n- Plan, done: A\n- B is red.\n\n## Next Steps\n- Plan, open: C\n- Said to come next: I'll do D now.",
    ],
    [
      "a constraint once",
      "## Constraints & Preferences\n- Never push.",
      [human("u", "Never push.")],
      "## Goal\n- Never push.\n\n## Constraints & Preferences\n- Never push.",
    ],
    [
      "nothing that a model left empty",
      "## Goal\n- A\n### Done\n- (none)\n### Open\n- B\n### Blocked\nNone\n\n## Next Steps\nNone",
      [],
      "## Goal\n- A\n### Open\n- B",
    ],
    ["what stands above the sections, as progress", "Before.\n\n## Goal\n- A", [], "## Goal\n- A\n\n## Progress\n- Before."],
    ["a text without sections, as progress", "They fixed it.", [], "## Progress\n- They fixed it."],
    ["no heading out of a fence", "## Goal\n- A\n```\n## Progress\n```", [], "## Goal\n- A\n ```\n ## Progress\n ```"],
  ])("an earlier summary carries over %s", (_, text, more, expected) => {
    expect(ask(PLIMSOLL, [before(text), ...more])).toBe(expected);
  });

  const plan = planned("p", ["C", "pending"]);
  const step = announcing("a", "I'll do D now.");
  const done = reply("z", "Done.");
  test.each<[string, readonly Message[], readonly Message[], string]>([
    [
      "a plan that stays in the view, nor an older one",
      [before(PLAN_BEFORE)],
      [plan],
      "## Progress\n- B is red.\n\n## Next Steps\n- Said to come next: I'll do C now.",
    ],
    [
      "a next step that stays in the view, nor an older one",
      [human("u", "A"), announcing("b", "I'll do C now.")],
      [step],
      "## Goal\n- A",
    ],
    ["a next step if the turn has ended in what stays", [human("u", "A"), step], [done], "## Goal\n- A"],
    ["an older plan if the newest is covered", [plan], [], "## Next Steps\n- Plan, open: C"],
  ])("does not tell %s", (_, messages, stays, expected) => {
    const view = [...messages, ...stays];
    const request = { ...PLIMSOLL, focus: null, parts: [{ promptId: "p", messages }], view };
    expect(digestText(request, DEFAULT_DIGEST_OPTIONS)).toBe(expected);
  });

  test.each<[string, readonly string[], string]>([
    [
      "go to the last section if no title is theirs",
      ["Notes"],
      "## Notes\n- Never push to main.\n- Never push to main.\n- It is red.",
    ],
    [
      "have sections of their own if the policy has none",
      [],
      "## Goal\n- Never push to main.\n\n## Constraints\n- Never push to main.\n\n## Progress\n- It is red.",
    ],
  ])("quotations %s", (_, sections, expected) => {
    expect(ask({ ...PLIMSOLL, sections }, [human("u", "Never push to main."), reply("a", "It is red.")])).toBe(expected);
  });

  test("without room for all, the first constraint and the newest stay", () => {
    const messages = Array.from({ length: 9 }, (_, at) => human(`u${at}`, `Never use rule ${at}.`));
    const body = sectionsIn(ask(PLIMSOLL, messages, 800), ["Constraints & Preferences", "Goal"]).found.at(-1)?.body;
    expect(body).toBe("- Never use rule 0.\n- Never use rule 6.\n- Never use rule 7.\n- Never use rule 8.");
  });
});

/** A reply whose text counts how often it is read. */
function watchedReply(): { readonly message: Message; readonly reads: () => number } {
  let reads = 0;
  const call = { type: "tool-call", callId: "c", toolName: "read", argumentsJson: "{}", paths: [] } as const;
  const text = {
    type: "text",
    get text() {
      reads += 1;
      return "Nothing is decided yet.";
    },
  } as const;
  return { message: { ...reply("watched", ""), parts: [call, text] }, reads: () => reads };
}

test.each<[string, (watched: Message) => readonly [readonly Message[], readonly Message[]]]>([
  ["the view that a history's chunks share", (watched) => [HISTORY.slice(0, 1), [...HISTORY.slice(0, 1), watched]]],
  ["a message that is covered", (watched) => [[watched], [watched, planned("p", ["C", "pending"])]]],
])("digests read %s once", async (_, partsOf) => {
  const { message, reads } = watchedReply();
  const [messages, view] = partsOf(message);
  const asked = { ...PLIMSOLL_POLICY.summary, focus: null, parts: [{ promptId: "p", messages }], view };
  const digest = createDigest();
  await digest(asked, new AbortController().signal);
  const once = reads();
  await digest(asked, new AbortController().signal);
  expect(once).toBeGreaterThan(0);
  expect(reads()).toBe(once);
});
