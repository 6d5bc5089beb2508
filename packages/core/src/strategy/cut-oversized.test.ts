import { describe, expect, test } from "vitest";
import { strategyInput, unitMeasure } from "../../testing/strategy-input.ts";
import { applyEdits } from "../edit/apply-edits.ts";
import type { AppliedEdit } from "../entry.ts";
import { type Message, textOf } from "../message/message.ts";
import { clearedText } from "../prompts/notices.ts";
import { absentImage, assistant, calling, human, reply, result, summaryMessage } from "../testing/builders.ts";
import { createWorkCounter } from "../tokens/measure.ts";
import { CUT_OVERSIZED, type CutOversizedSpec } from "./cut-oversized.ts";

const bound = (spec: CutOversizedSpec) => CUT_OVERSIZED.bind(spec);
const text = (count: number, letter = "x") => letter.repeat(count);

function cut(messages: readonly Message[], roomTokens: number, more = {}): readonly Message[] {
  const input = strategyInput(messages, { roomTokens, ...more });
  const answer = bound({ kind: "cut-oversized", to: "fit" }).plan(input);
  const edits = answer.kind === "edits" ? answer.edits : [];
  return applyEdits(
    messages,
    edits.flatMap((edit): AppliedEdit[] =>
      edit.kind === "replace-part" ? [{ ...edit, part: { type: "text", text: edit.text }, removedChars: 0 }] : [],
    ),
  );
}

const tokensOf = (messages: readonly Message[]) =>
  messages.reduce((sum, message) => sum + strategyInput([]).messageTokens(message), 0);

describe("cut-oversized", () => {
  const messages = [
    human("u", text(300)),
    calling("a", ["c", "d", "e"], ""),
    result("r1", "c", text(2000)),
    result("r2", "d", text(100)),
    result("r3", "e", text(4000)),
  ];

  test("cuts to one cap at which everything fits: small parts stay whole, large ones share what is left", () => {
    const after = cut(messages, 2000);
    expect(tokensOf(after)).toBeLessThanOrEqual(2000);
    expect([after[0] === messages[0], after[3] === messages[3]]).toEqual([true, true]);
    const sizes = after.slice(2).map((message) => textOf(message).length);
    expect([sizes[1], Math.abs((sizes[0] ?? 0) - (sizes[2] ?? 0)) < 10, (sizes[0] ?? 0) > 700]).toEqual([100, true, true]);
  });

  test("cuts to a lower cap where messages measure more than their parts", () => {
    const more = { messageTokens: (message: Message) => 200 + 1.5 * strategyInput([]).messageTokens(message) };
    const after = cut(messages, 3000, more);
    const sum = after.reduce((tokens, message) => tokens + more.messageTokens(message), 0);
    expect([sum <= 3000, after.slice(2).map((message) => textOf(message).startsWith("x"))]).toEqual([true, [true, true, true]]);
  });

  test("keeps head and tail around a line that counts what is gone", () => {
    const [, after] = cut([calling("a", ["c"], ""), result("r", "c", `${text(500, "h")}${text(500, "t")}`)], 250);
    const omitted = /^(h+)\n\[… (\d+) characters omitted; handle r\]\n(t+)$/.exec(after === undefined ? "" : textOf(after));
    expect(omitted?.slice(1).map((each) => each.length > 40 || Number(each) > 700)).toEqual([true, true, true]);
    expect(Number(omitted?.[2]) + (omitted?.[1]?.length ?? 0) + (omitted?.[3]?.length ?? 0)).toBe(1000);
  });

  test("never cuts half a character", () => {
    const [, after] = cut([calling("a", ["c"], ""), result("r", "c", "👍".repeat(500))], 301);
    expect(after === undefined ? "" : textOf(after)).toMatch(/^(?:👍)+\n\[.*\]\n(?:👍)+$/u);
  });

  test("puts a stub if not even a short head and tail fit", () => {
    const [, after] = cut([calling("a", ["c"], ""), result("r", "c", text(5000))], 60);
    expect(after === undefined ? "" : textOf(after)).toBe(clearedText("text", 5000, "r"));
  });

  test.each([
    [70, 70],
    [90, clearedText("text", 90, "r").length],
  ])("a stub to fit saves half of a text or more: of %s characters %s are left", (chars, left) => {
    const [, after] = cut([calling("a", ["c"], ""), result("r", "c", text(chars))], 50);
    expect(after === undefined ? 0 : textOf(after).length).toBe(left);
  });

  test("clears images in the same way", () => {
    const shot = { ...result("r", "c", "ok"), parts: [absentImage()] };
    const [, after] = cut([calling("a", ["c"], ""), shot], 500);
    expect(after?.parts).toEqual([{ type: "text", text: clearedText("image", 0, "r") }]);
  });

  test("a text denser than its middle is measured again until it fits", () => {
    const dense = `${"压".repeat(400)}${text(4000)}${"缩".repeat(400)}`;
    const utf8 = { ...strategyInput([]).measure, textTokens: (value: string) => Buffer.byteLength(value) };
    const [, after] = cut([calling("a", ["c"], ""), result("r", "c", dense)], 1000, { measure: utf8 });
    expect(Buffer.byteLength(after === undefined ? "" : textOf(after))).toBeLessThanOrEqual(1000);
  });

  test.each<[string, Message]>([
    ["a human message", human("u", text(5000))],
    ["a summary", summaryMessage("s", text(5000))],
    ["a summary as the assistant's", { ...reply("s", text(5000)), origin: "summary" }],
    [
      "reasoning and calls",
      assistant("a", [
        { type: "reasoning", text: text(5000), opaque: null },
        { type: "tool-call", callId: "c", toolName: "tool", argumentsJson: text(5000), paths: [] },
      ]),
    ],
    ["what is a stub already", result("r", "c", clearedText("text", 987_654, "r"))],
    ["what is shorter than its stub", result("r", "c", "ok")],
  ])("never cuts %s", (_, message) => {
    const answer = bound({ kind: "cut-oversized", to: "stubs" }).plan(strategyInput([message], { roomTokens: 10 }));
    expect(answer.kind).toBe("not-applicable");
  });

  test("cuts an assistant's text and leaves its calls", () => {
    const call = calling("a", ["c"], text(3000));
    const [after] = cut([call, result("r", "c", "ok")], 400);
    expect(after?.parts.slice(1)).toEqual(call.parts.slice(1));
    expect(after === undefined ? "" : textOf(after)).toMatch(/characters omitted; handle a\]/);
  });

  test("to stubs: everything that is longer than its stub, whatever the room", () => {
    const answer = bound({ kind: "cut-oversized", to: "stubs" }).plan(strategyInput(messages));
    expect(answer.kind === "edits" && answer.edits.map((edit) => edit.kind === "replace-part" && edit.text)).toEqual([
      clearedText("text", 2000, "r1"),
      clearedText("text", 100, "r2"),
      clearedText("text", 4000, "r3"),
    ]);
  });

  test.each<[string, CutOversizedSpec["to"], number, number]>([
    ["stubs measure no text beside their parts", "stubs", 10, 0],
    ["what fits measures none either", "fit", 10_000, 0],
    ["texts above the cap are measured, and twice what would be left of them", "fit", 2000, 6000 + 2 * 1600],
  ])("%s, and a part is priced once however often it is cut", (_, to, roomTokens, mostChars) => {
    const work = createWorkCounter();
    const measure = unitMeasure(work);
    const scannedChars = () => {
      const before = work.total().charactersScanned;
      bound({ kind: "cut-oversized", to }).plan(strategyInput(messages, { measure, roomTokens }));
      return work.total().charactersScanned - before;
    };
    const [first, second] = [scannedChars(), scannedChars()];
    expect([first - second, second <= mostChars]).toEqual([6100, true]);
  });

  test("does nothing if everything fits", () => {
    expect(bound({ kind: "cut-oversized", to: "fit" }).plan(strategyInput(messages)).kind).toBe("not-applicable");
  });
});
