import { describe, expect, test } from "vitest";
import { content, contentSum, HAND_PRIOR } from "../../../testing/ledger-values.ts";
import type { Message, ReasoningPart } from "../../message/message.ts";
import { absentImage, assistant, human, result, summaryMessage } from "../../testing/builders.ts";
import { addSums, contentReader, fixedTokensOf, isSameContent, withContent } from "../char-class.ts";
import { addCounts, createWorkCounter, weighCounts } from "../measure.ts";

const read = (message: Message) => contentReader(createWorkCounter())(message);
const picture = { ...absentImage(), widthPx: 750, heightPx: 1000 };
const reasoning = (text: string, opaque: ReasoningPart["opaque"]): ReasoningPart => ({ type: "reasoning", text, opaque });

describe("the content of a message", () => {
  test("is read once", () => {
    const work = createWorkCounter();
    const contentOf = contentReader(work);
    const message = assistant("a", [reasoning("hm", null), { type: "text", text: "ab cd" }]);
    expect(contentOf(message)).toBe(contentOf(message));
    expect(work.total()).toMatchObject({ messagesVisited: 1, charactersScanned: 2 + 5 });
  });

  test("a call is its name and arguments, reasoning is counted apart", () => {
    const said = assistant("a", [
      reasoning("hm", null),
      { type: "text", text: "ab cd" },
      { type: "tool-call", callId: "c", toolName: "x", argumentsJson: "{}", paths: [] },
    ]);
    const { counts, reasoningCounts } = read(said);
    const weight = (of: readonly number[]) => weighCounts(of, HAND_PRIOR.weights);
    const plain = read(assistant("b", [{ type: "text", text: "ab cd" }]));
    expect(weight(counts)).toBeGreaterThan(weight(plain.counts));
    expect(reasoningCounts).toEqual(read(human("h", "hm")).counts);
  });

  test.each<[string, Message, string]>([
    ["none", human("h", "x"), "none"],
    ["readable if the vendor wants nothing back", assistant("a", [reasoning("hm", null)]), "readable"],
    ["readable next to text", assistant("a", [reasoning("hm", null), { type: "text", text: "x" }]), "readable"],
    ["opaque if it does", assistant("a", [reasoning("", "signature"), reasoning("hm", null)]), "opaque"],
  ])("reasoning is %s", (_, message, kind) => {
    expect(read(message).reasoning).toBe(kind);
  });

  test.each<[string, Message, boolean]>([
    ["a summary of 59 characters is unseen", summaryMessage("s", "x".repeat(59)), true],
    ["one of 60 is not", summaryMessage("s", "x".repeat(60)), false],
    ["a short message of a person is seen", human("h", "x"), false],
    ["a short result is seen", result("r", "c", "x"), false],
  ])("%s", (_, message, isUnseen) => {
    expect(read(message).isUnseen).toBe(isUnseen);
  });

  test.each([
    ["an image of 750 × 1,000 pixels", content(0, { images: [picture] }), 1000],
    ["an unseen summary", content(0, { isUnseen: true }), 2000],
    ["both", content(0, { images: [picture], isUnseen: true }), 3000],
    ["text alone", content(50), 0],
  ])("%s has fixed tokens", (_, of, tokens) => {
    expect(fixedTokensOf(of, HAND_PRIOR.image)).toBe(tokens);
  });

  test.each([
    ["the same, read twice", content(5, { reasoningWeighed: 2 }), true],
    ["other text", content(6, { reasoningWeighed: 2 }), false],
    ["other reasoning", content(5, { reasoningWeighed: 3 }), false],
    ["an image more", content(5, { reasoningWeighed: 2, images: [picture] }), false],
  ])("%s", (_, other, same) => {
    const one = content(5, { reasoningWeighed: 2 });
    expect(isSameContent(one, other)).toBe(same);
    expect(isSameContent(one, one)).toBe(true);
  });
});

describe("content added up", () => {
  test("one more message: its characters, itself, its fixed tokens", () => {
    // 5 + 20 characters, 3 + 1 messages, 7 + 40 tokens
    expect(withContent(contentSum(5, 3, 7), content(20), 40)).toEqual(contentSum(25, 4, 47));
  });

  test("two sums add up", () => {
    expect(addSums(contentSum(5, 3, 7), contentSum(20, 2, 40))).toEqual(contentSum(25, 5, 47));
  });

  test.each<[string, readonly number[], readonly number[], readonly number[]]>([
    ["class by class", [1, 2], [10, 20], [11, 22]],
    ["a class that the other lacks counts as none", [1, 2], [10], [11, 2]],
  ])("counts add up: %s", (_, a, b, sum) => {
    expect(addCounts(a, b)).toEqual(sum);
  });

  test.each<[string, readonly number[], readonly number[], number]>([
    ["each count by its own weight: 2 × 10 + 3 × 100", [2, 3], [10, 100], 320],
    ["a class without a weight weighs nothing: 2 × 10", [2, 3], [10], 20],
    ["nothing weighs nothing", [], [10], 0],
  ])("weigh %s", (_, counted, weights, weighed) => {
    expect(weighCounts(counted, weights)).toBe(weighed);
  });
});
