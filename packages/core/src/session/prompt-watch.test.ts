import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../entry.ts";
import type { Message } from "../message/message.ts";
import { NONE_POLICY } from "../policy/presets/none.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import { createDigest } from "../summarizer/digest.ts";
import { human, reply, sessionStart, usageEntry } from "../testing/builders.ts";
import { createContextManager } from "./context-manager.ts";
import type { ContextEvent } from "./events.ts";

/** Four characters a token, as a model would count it. */
const words = (tokens: number) => "word".repeat(tokens);
const said = (message: Message): SessionEntry => ({ type: "message", message });

/** One call that is asked with so many new tokens and told to have measured so many. */
interface Call {
  readonly newTokens: number;
  readonly reportedTokens: number;
}

/** The log of the calls: a person's message first, then a reply that brings what is new. */
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
  const manager = createContextManager({ ...options, ...(kept.length === 0 ? {} : { entries: kept }) });
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
    const manager = createContextManager({ policy: SVEN_POLICY, summarizer: createDigest(), onEvent });
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

function call(newTokens: number, reportedTokens: number): Call {
  return { newTokens, reportedTokens };
}

/** A server that keeps 8,000 tokens of whatever it is sent. */
function stuck(count: number): readonly Call[] {
  return [call(8_000, 8_000), ...Array.from({ length: count }, () => call(1_000, 8_000))];
}
