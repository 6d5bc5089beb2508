import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import { createDigest } from "../memory/digest.ts";
import type { Message } from "../message/message.ts";
import { NONE_POLICY } from "../policy/presets/none.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import {
  assistant,
  compaction,
  FAILED_ATTEMPT,
  human,
  humanImage,
  replacedHistory,
  reply,
  revertOf,
  sessionStart,
  toolCall,
  usageEntry,
} from "../testing/builders.ts";
import { usageOf } from "../usage.ts";
import type { ContextEvent } from "./events.ts";
import { createSession } from "./open-session.ts";
import { EMPTY_PROMPT_WATCH, foldPromptWatch } from "./usage-watch.ts";
import { EMPTY_VIEW, foldEntry } from "./view.ts";

/** Four characters a token, as a model would count it. */
const words = (tokens: number) => "word".repeat(tokens);
const said = (message: Message): SessionEntry => ({ type: "message", message });

/** One call with so many new tokens and such a reported size. */
interface Call {
  readonly newTokens: number;
  readonly reportedTokens: number;
}

/** The log of the calls: a person's message first, then a reply with the new text. */
function callsOf(calls: readonly Call[]): readonly SessionEntry[] {
  return calls.flatMap(({ newTokens, reportedTokens }, index) => [
    said(index === 0 ? human("h", words(newTokens)) : reply(`r${index}`, words(newTokens))),
    usageEntry(`q${index}`, index === 0 ? "h" : `r${index}`, reportedTokens),
  ]);
}

function told(entries: readonly SessionEntry[], kept: readonly SessionEntry[] = []): readonly ContextEvent[] {
  const events: ContextEvent[] = [];
  const options = {
    policy: NONE_POLICY,
    summarizer: createDigest(),
    onEvent: (event: ContextEvent) => void events.push(event),
  };
  const manager = createSession({ ...options, ...(kept.length === 0 ? {} : { entries: kept }) });
  for (const entry of entries) manager.append(entry);
  return events;
}

describe("a prompt that was cut without a word", () => {
  test.each<[string, readonly Call[], number]>([
    ["a prompt that grows as it should", [call(8_000, 8_100), call(2_000, 10_100), call(2_000, 12_100)], 0],
    ["text that measures little over half of what is common", [call(20_000, 20_000), call(9_000, 24_600)], 0],
    ["a reasoning mode that is switched off: 850 tokens less", [call(8_000, 8_100), call(100, 7_350), call(900, 8_300)], 0],
    ["the oldest messages are gone", [call(8_000, 8_100), call(2_000, 5_000)], 1],
    ["a size that stays where it is, call by call", stuck(6), 1],
    ["the very first prompt is cut", [call(30_000, 4_096)], 1],
    ["told once, although it goes on", stuck(40), 1],
  ])("%s", (_, calls, events) => {
    expect(told(callsOf(calls)).filter(({ type }) => type === "silent-truncation")).toHaveLength(events);
  });

  test("the event says what was expected and what was read", () => {
    expect(told(callsOf([call(8_000, 8_100), call(2_000, 5_000)]))).toEqual([
      {
        type: "silent-truncation",
        modelId: "test/model",
        requestId: "q1",
        reportedTokens: 5_000,
        expectedTokens: expect.any(Number),
        estimator: "calibrated-ema(chars-per-token(4, utf8-bytes))",
        missingTokens: 4_100,
      },
    ]);
  });

  test("a vendor may leave its own reasoning out when a turn begins", () => {
    const calls = [...callsOf([call(20_000, 20_000)]), said(human("next", words(200))), usageEntry("q9", "next", 16_000)];
    expect(told(calls)).toEqual([]);
  });

  test.each<[string, SessionEntry]>([
    ["another model", { type: "model-change", id: "x", modelId: "other", limits: null, atMs: null }],
    ["other tools", sessionStart("new")],
  ])("%s measures anew", (_, change) => {
    const after = [change, said(reply("r9", words(100))), { ...usageEntry("q9", "r9", 6_000), overheadHash: "other" }];
    expect(told([...callsOf([call(8_000, 12_000)]), ...after])).toEqual([]);
  });

  test("what a log tells of the past is not told again", () => {
    const past = callsOf([call(8_000, 8_100), call(2_000, 5_000)]);
    expect(told([], past)).toEqual([]);
  });

  test("after a compaction the smaller prompt is what was asked for", async () => {
    const events: ContextEvent[] = [];
    const onEvent = (event: ContextEvent) => void events.push(event);
    const manager = createSession({ policy: SVEN_POLICY, summarizer: createDigest(), onEvent });
    for (const turn of Array.from({ length: 9 }, (_, index) => index)) {
      manager.append(said(human(`h${turn}`, words(1_000))));
      manager.append(usageEntry(`q${turn}`, `h${turn}`, 3_000 * turn + 1_000));
      manager.append(said(reply(`r${turn}`, words(2_000))));
    }
    const model = { contextWindowTokens: 24_000, maxOutputTokens: 2_000 };
    const input = { gate: "before-step", pending: [], model, nowMs: null } as const;
    await manager.fit(input, new AbortController().signal);
    const last = manager.view().messages.at(-1)?.id ?? null;
    manager.append(usageEntry("q99", last, 8_000));
    expect(events.map(({ type }) => type)).toEqual(["compaction-start", "compaction-end"]);
  });
});

/** The shortfalls that the reports of a log show, `null` for a report that shows none. */
function shortfalls(entries: readonly SessionEntry[]): readonly (number | null)[] {
  let [view, watch] = [EMPTY_VIEW, EMPTY_PROMPT_WATCH];
  return entries.flatMap((entry) => {
    view = foldEntry(view, entry);
    const { isTold } = watch;
    watch = foldPromptWatch(watch, entry, view);
    return entry.type === "usage" ? [watch.isTold && !isTold ? Math.round(watch.missingTokens) : null] : [];
  });
}

const tool = { name: "t", description: "d".repeat(24_000), parametersJson: "p".repeat(56_000) };
/** 10,000 tokens, if eight characters are one. */
const long = "x".repeat(80_000);
const q = usageEntry;
const ofOther = { modelId: "other" } as const;
const unreported = { ...q("q0", "a", 0), usage: usageOf({ totalInputTokens: null, outputTokens: 9 }) };
const cutToLong = compaction("c", [replacedHistory([human("k", long)])]);

// Eight characters are a token at most. A shortfall is reported if it is over 1,000 tokens and over 5% of the prompt.
describe("what must be in a prompt", () => {
  test.each<[string, readonly SessionEntry[], readonly (number | null)[]]>([
    ["the system text: 10,000 − 1,000", [sessionStart(long), q("q", null, 1_000)], [9_000]],
    ["tools: 3,000 + 7,000 − 1,000", [{ ...sessionStart(), tools: [tool] }, q("q", null, 1_000)], [9_000]],
    [
      "a new setup's",
      [{ type: "setup-change", id: "x", system: long, tools: [tool], atMs: null }, q("q", null, 1_000)],
      [19_000],
    ],
    ["the messages that a compaction left", [said(reply("a", "short")), cutToLong, q("q", "k", 1_000)], [9_000]],
    ["those that an undo brings back", [said(human("a", long)), cutToLong, revertOf("c"), q("q", "a", 2_000)], [8_000]],
    ["text", [said(human("a", long)), q("q", "a", 1_000)], [9_000]],
    ["the arguments of calls", [said(toolCall("a", "c", { name: "t", argumentsJson: long })), q("q", "a", 1_000)], [9_000]],
    ["no reasoning", [said(assistant("a", [{ type: "reasoning", text: long, opaque: null }])), q("q", "a", 1_000)], [null]],
    ["no image", [said(humanImage("a")), q("q", "a", 10)], [null]],
    ["what a report measured before", [q("q", null, 10_000), q("r", null, 5_000)], [null, 5_000]],
    ["after an attempt as well", [q("q", null, 10_000), FAILED_ATTEMPT, q("r", null, 5_000)], [null, 5_000]],
    ["after a report without a size as well", [q("q", null, 10_000), unreported, q("r", null, 5_000)], [null, null, 5_000]],
    ["all before the last message sent", [said(reply("a", long)), said(reply("b", long)), q("q", "b", 1_000)], [19_000]],
    ["not what came after it", [said(reply("a", long)), said(reply("b", long)), q("q", "a", 9_500)], [null]],
    [
      "what came after it, in the next prompt",
      [said(reply("a", long)), said(reply("b", long)), q("q", "a", 10_000), q("r", "b", 12_000)],
      [null, 8_000],
    ],
    [
      "not what a report of an unknown message may have measured",
      [q("q", null, 1_000), said(reply("a", long)), q("r", "unknown", 1_000), q("s", "a", 1_000)],
      [null, null, null],
    ],
    [
      "what comes after a report of an unknown message",
      [q("q", null, 1_000), q("r", "unknown", 1_000), said(reply("a", long)), q("s", "a", 1_000)],
      [null, null, 10_000],
    ],
    ["nothing of another model's prompt", [q("q", null, 10_000), { ...q("r", null, 5_000), ...ofOther }], [null, null]],
    [
      "what that model's report measured, from then on",
      [q("q", null, 10_000), { ...q("r", null, 5_000), ...ofOther }, { ...q("s", null, 2_000), ...ofOther }],
      [null, null, 3_000],
    ],
    [
      "none of another overhead's prompt",
      [q("q", null, 10_000), { ...q("r", null, 5_000), overheadHash: "new" }],
      [null, null],
    ],
    ["all but a shortfall of 1,000", [q("q", null, 10_000), q("r", null, 9_000)], [null, null]],
    ["not 1,001 less", [q("q", null, 10_000), q("r", null, 8_999)], [null, 1_001]],
    ["a shortfall of 5% of a long prompt is not told", [q("q", null, 105_000), q("r", null, 100_000)], [null, null]],
    ["one token more is", [q("q", null, 105_001), q("r", null, 100_000)], [null, 5_001]],
    [
      "at a new turn three quarters of it, less 1,000",
      [q("q", null, 20_000), said(human("h", "")), said(reply("a", "")), q("r", "a", 14_000)],
      [null, null],
    ],
    [
      "at a new turn not a token less",
      [q("q", null, 20_000), said(human("h", "")), said(reply("a", "")), q("r", "a", 13_999)],
      [null, 1_001],
    ],
    ["within a turn all of it", [q("q", null, 20_000), said(reply("a", "")), q("r", "a", 18_000)], [null, 2_000]],
  ])("%s", (_, entries, missing) => {
    expect(shortfalls(entries)).toEqual(missing);
  });
});

function call(newTokens: number, reportedTokens: number): Call {
  return { newTokens, reportedTokens };
}

/** A server that keeps 8,000 tokens of any request. */
function stuck(count: number): readonly Call[] {
  return [call(8_000, 8_000), ...Array.from({ length: count }, () => call(1_000, 8_000))];
}
