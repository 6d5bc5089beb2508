import { describe, expect, test } from "vitest";
import { strategyInput } from "../../testing/strategy-input.ts";
import { isHuman, type Message, textOf } from "../message/message.ts";
import { partChars } from "../message/size.ts";
import { SVEN_POLICY } from "../policy/presets/sven.ts";
import type { Summarizer, Summary, SummaryRequest } from "../ports.ts";
import { assistant, callPart, human, humanImage, never, reply, result } from "../testing/builders.ts";
import { usageOf } from "../usage.ts";
import { chunkedSummarizer } from "./chunked.ts";

const { messageTokens } = strategyInput([]);
const text = (count: number, letter = "x") => letter.repeat(count);

/** A request for one summary of the messages, in one part for each prompt. */
function requestFor(...parts: readonly (readonly Message[])[]): SummaryRequest {
  return {
    parts: parts.map((messages, index) => ({ promptId: `prompt-${index}`, messages })),
    sections: ["Goal"],
    maxTokens: 100,
    turnPrefixMaxTokens: 50,
    focus: "the tests",
    resultCapChars: null,
    labels: SVEN_POLICY.summary.labels,
  };
}

/** A summariser that numbers its summaries, and the requests that it was sent. */
function recording(answer: (call: number) => Promise<Summary> = (call) => good(`summary ${call}`)) {
  const requests: SummaryRequest[] = [];
  const summarizer: Summarizer = (request) => {
    requests.push(request);
    return answer(requests.length);
  };
  return { requests, summarizer };
}

/** Summarises in chunks that fit so many tokens. */
const chunk = (summarizer: Summarizer, request: SummaryRequest, historyTokens: number, more: object = {}) =>
  chunkedSummarizer(summarizer, { historyTokens, overheadTokens: 0, messageTokens, ...more })(request, never);

const good = (summary: string): Promise<Summary> => Promise.resolve({ text: summary, usage: null, stopReason: "end" });
const messagesOf = (request: SummaryRequest | undefined) => request?.parts.flatMap((part) => part.messages) ?? [];
const tokensOf = (request: SummaryRequest | undefined) =>
  messagesOf(request).reduce((sum, message) => sum + messageTokens(message), 0);

describe("chunkedSummarizer", () => {
  const messages = Array.from({ length: 10 }, (_, index) => human(`u${index}`, text(100)));

  test("what fits is one request, unchanged", async () => {
    const { requests, summarizer } = recording();
    const request = requestFor(messages.slice(0, 5), messages.slice(5));
    const summary = await chunk(summarizer, request, 1000);
    expect(requests).toEqual([request]);
    expect(messagesOf(requests[0])[0]).toBe(messages[0]);
    expect(summary.text).toBe("summary 1");
  });

  test.each([
    ["fits together with what is sent before it goes as it is", 600, true],
    ["does not fit together with what is sent before it is serialised", 601, false],
  ])("a conversation that %s", async (_, overheadTokens, goes) => {
    const { requests, summarizer } = recording();
    const conversation = { system: "", tools: [], messages: messages.slice(0, 4), dynamicContext: null };
    const serialised = requestFor(messages.slice(0, 2));
    await chunk(summarizer, { ...serialised, conversation }, 1000, { overheadTokens });
    expect(requests).toEqual([goes ? { ...serialised, conversation } : serialised]);
  });

  test.each([
    [10_000, 5904],
    [6000, 3000],
  ])("a history of %i tokens that shows thoughts leaves room for those of its summary", async (historyTokens, most) => {
    const { requests, summarizer } = recording();
    const thoughts = assistant("t", [{ type: "reasoning", text: text(100), opaque: null }]);
    const long = Array.from({ length: 90 }, (_, index) => human(`u${index}`, text(100)));
    await chunk(summarizer, requestFor([thoughts, ...long]), historyTokens);
    expect(Math.max(...requests.map(tokensOf))).toBeLessThanOrEqual(most);
  });

  test("one token more, and it is written in chunks that each fit, in order, nothing twice and nothing left out", async () => {
    const { requests, summarizer } = recording();
    await chunk(summarizer, requestFor(messages), 999);
    expect(requests.map(tokensOf).every((tokens) => tokens <= 999)).toBe(true);
    expect(requests.flatMap(messagesOf).filter(isHuman)).toEqual(messages);
    expect(requests.length).toBe(2);
  });

  test("each chunk after the first has the summary so far before it, and the last summary is the answer", async () => {
    const { requests, summarizer } = recording();
    const summary = await chunk(summarizer, requestFor(messages), 500);
    const [first, ...later] = requests.map((request) => messagesOf(request)[0]);
    expect(first).toBe(messages[0]);
    expect(later.map((message) => message?.role === "user" && message.origin)).toEqual(later.map(() => "summary"));
    expect(later.map((message) => message !== undefined && textOf(message).split("\n").at(-1))).toEqual(
      later.map((_, index) => `summary ${index + 1}`),
    );
    expect(summary.text).toBe(`summary ${requests.length}`);
  });

  test("what all requests took together, with which prompts, is the summary's", async () => {
    const usage = usageOf({ totalInputTokens: 100, outputTokens: 10 });
    const { requests, summarizer } = recording((call) =>
      Promise.resolve({
        text: `summary ${call}`,
        usage,
        stopReason: "end",
        prompts: [`p@${call}`],
        repairs: ["section-added"],
      }),
    );
    const summary = await chunk(summarizer, requestFor(messages), 500);
    expect(requests.length).toBeGreaterThan(2);
    expect(summary.usage?.input.totalTokens).toBe(100 * requests.length);
    expect(summary.usage?.output.totalTokens).toBe(10 * requests.length);
    expect(summary.prompts).toEqual(requests.map((_, index) => `p@${index + 1}`));
    expect(summary.repairs).toHaveLength(requests.length);
  });

  test("a chunk keeps the prompts of the parts that it takes from", async () => {
    const { requests, summarizer } = recording();
    const request = requestFor(messages.slice(0, 6), messages.slice(6));
    await chunk(summarizer, request, 500);
    expect(requests.map((each) => each.parts.map((part) => [part.promptId, part.messages.filter(isHuman).length]))).toEqual([
      [["prompt-0", 4]],
      [
        ["prompt-0", 2],
        ["prompt-1", 2],
      ],
      [["prompt-1", 2]],
    ]);
    expect(requests.map(({ focus, sections, maxTokens }) => [focus, sections, maxTokens])).toEqual(
      requests.map(() => ["the tests", ["Goal"], 100]),
    );
  });

  const DENSE = `${text(300, "压")}${text(3000)}${text(300, "缩")}`;
  const bytes = (message: Message) =>
    message.parts.reduce((sum, part) => sum + Buffer.byteLength(part.type === "text" ? part.text : text(partChars(part))), 0);

  test.each<[string, Message, (message: Message) => number]>([
    ["a giant result", result("r", "c", text(50_000)), messageTokens],
    ["a giant reply", reply("a", text(50_000)), messageTokens],
    ["giant arguments", assistant("a", [callPart("c", "t", { argumentsJson: text(50_000) })]), messageTokens],
    ["giant reasoning", assistant("a", [{ type: "reasoning", text: text(50_000), opaque: null }]), messageTokens],
    ["many parts", assistant("a", Array(400).fill({ type: "text", text: text(90) })), messageTokens],
    ["an image that counts more than the room", humanImage("u"), messageTokens],
    ["a text denser at its ends than in its middle", human("u", DENSE), bytes],
  ])("%s is shortened to its share before it is sent", async (_, giant, price) => {
    const { requests, summarizer } = recording();
    await chunk(summarizer, requestFor([...messages, giant]), 1000, { messageTokens: price });
    const sizes = requests.map((request) => messagesOf(request).reduce((sum, message) => sum + price(message), 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
    expect(requests.flatMap(messagesOf).filter((message) => message.id === giant.id)).toHaveLength(1);
  });

  test("of what is shortened head and tail stay, around a line that counts the rest", async () => {
    const { requests, summarizer } = recording();
    const giant = result("r", "c", `${text(5000, "h")}${text(5000, "t")}`);
    await chunk(summarizer, requestFor([giant]), 1000);
    const [short] = messagesOf(requests[0]);
    expect(short === undefined ? "" : textOf(short)).toMatch(/^h{300,}\n\[… \d+ characters omitted; handle r\]\nt{300,}$/);
  });

  test("a summary so far that is longer than it was asked for is shortened too", async () => {
    const { requests, summarizer } = recording(() => good(text(5000)));
    await chunk(summarizer, requestFor(messages), 500);
    expect(requests.length).toBeGreaterThan(1);
    expect(requests.map(tokensOf).every((tokens) => tokens <= 500)).toBe(true);
  });
});

describe("chunkedSummarizer rejects", () => {
  const messages = Array.from({ length: 10 }, (_, index) => human(`u${index}`, text(100)));
  const run = (answer: (call: number) => Promise<Summary>) => chunk(recording(answer).summarizer, requestFor(messages), 500);

  test("if a chunk fails, with its reason", async () => {
    await expect(run((call) => (call === 2 ? Promise.reject(new Error("overloaded")) : good("fine")))).rejects.toThrow(
      "overloaded",
    );
  });

  test.each<[string, Summary]>([
    ["is empty", { text: " ", usage: null, stopReason: "end" }],
    ["was cut off", { text: "half of", usage: null, stopReason: "length" }],
  ])("if the summary so far %s: it is never built on", async (_, summary) => {
    await expect(run(() => Promise.resolve(summary))).rejects.toMatchObject({ code: "summary-failed" });
  });

  test("if the caller has given up, before another chunk is asked for", async () => {
    const controller = new AbortController();
    const { requests, summarizer } = recording((call) => {
      controller.abort(new Error("given up"));
      return good(`summary ${call}`);
    });
    const chunked = chunkedSummarizer(summarizer, { historyTokens: 500, overheadTokens: 0, messageTokens });
    await expect(chunked(requestFor(messages), controller.signal)).rejects.toThrow("given up");
    expect(requests).toHaveLength(1);
  });
});
