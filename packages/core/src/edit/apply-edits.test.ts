import { describe, expect, test } from "vitest";
import { type AppliedEdit, messagesWrittenBy } from "../entry.ts";
import type { Message } from "../message/message.ts";
import {
  absentImage,
  assistant,
  dropped,
  human,
  OPEN_STEP,
  replacedHistory,
  replacedPart,
  reply,
  result,
  summarized,
  summaryMessage,
} from "../testing/builders.ts";
import { applyEdits, refuseBrokenPromises } from "./apply-edits.ts";

const view = OPEN_STEP;
const summary = summaryMessage("s", "summary");
const notice = { ...summaryMessage("n", "notice"), origin: "notice" } as const;
const stub = { type: "text", text: "stub" } as const;
const call = { type: "tool-call", callId: "c", toolName: "tool", argumentsJson: "{}", paths: [] } as const;
const idsAfter = (edits: readonly AppliedEdit[]) => applyEdits(view, edits).map((message) => message.id);

describe("applyEdits", () => {
  test.each<[string, readonly AppliedEdit[], readonly string[]]>([
    ["nothing without edits", [], ["u1", "a1", "u2", "a2", "r"]],
    ["a summary where its span began", [summarized(summary, ["a1", "u2"])], ["u1", "s", "a2", "r"]],
    ["one summary of two spans where the first began", [summarized(summary, ["u1", "a1"], ["a2", "r"])], ["s", "u2"]],
    ["a summary of everything", [summarized(summary, ["u1", "r"])], ["s"]],
    ["a drop without notice", [dropped("u1", "a1")], ["u2", "a2", "r"]],
    ["a drop with its notice in its place", [dropped("a1", "a1", notice)], ["u1", "n", "u2", "a2", "r"]],
    ["two drops", [dropped("u1", "a1", notice), dropped("a2", "r")], ["n", "u2"]],
    ["a new history", [replacedHistory([summary])], ["s"]],
    ["a new history before what came later", [{ ...replacedHistory([summary]), through: "u2" }], ["s", "a2", "r"]],
    ["a new history for the first message", [{ ...replacedHistory([summary]), through: "u1" }], ["s", "a1", "u2", "a2", "r"]],
    ["edits of what earlier edits made", [summarized(summary, ["u1", "a1"]), dropped("s", "u2", notice)], ["n", "a2", "r"]],
    ["a new history that is then edited", [replacedHistory([summary, notice]), dropped("s", "s")], ["n"]],
  ])("makes %s", (_, edits, ids) => {
    expect(idsAfter(edits)).toEqual(ids);
  });

  test("a replaced part changes that part alone, and no other message", () => {
    const after = applyEdits(view, [replacedPart("r", 0, stub)]);
    expect(after[4]).toEqual({ ...view[4], parts: [stub] });
    expect(after.slice(0, 4).map((message, index) => message === view[index])).toEqual([true, true, true, true]);
  });

  test("parts are replaced in their place", () => {
    const messages = [
      assistant("a", [{ type: "reasoning", text: "why", opaque: null }, { type: "text", text: "calling" }, call]),
    ];
    const [after] = applyEdits(messages, [
      replacedPart("a", 2, { ...call, argumentsJson: '{"cut":true}' }),
      replacedPart("a", 0, stub),
    ]);
    expect(after?.parts).toEqual([stub, { type: "text", text: "calling" }, { ...call, argumentsJson: '{"cut":true}' }]);
  });

  test("an image next to a replaced text stays", () => {
    const message = { ...human("u", ""), parts: [absentImage(), { type: "text", text: "long" } as const] };
    const [after] = applyEdits([message], [replacedPart("u", 1, stub)]);
    expect(after?.parts).toEqual([absentImage(), stub]);
  });

  test("the later of two replacements of one part counts", () => {
    const [after] = applyEdits([human("u", "long")], [replacedPart("u", 0, absentImage()), replacedPart("u", 0, stub)]);
    expect(after?.parts).toEqual([stub]);
  });

  test("a part of a message that an earlier edit made can be replaced", () => {
    const [after] = applyEdits(view, [summarized(summary, ["u1", "r"]), replacedPart("s", 0, stub)]);
    expect(after).toEqual({ ...summary, parts: [stub] });
  });

  test("a part can be replaced before its neighbours are dropped", () => {
    const after = applyEdits(view, [replacedPart("r", 0, stub), dropped("u1", "u2")]);
    expect(after.map((message) => message.parts.at(-1))).toEqual([view[3]?.parts.at(-1), stub]);
  });

  test("untouched messages keep their identity", () => {
    const after = applyEdits(view, [summarized(summary, ["u1", "a1"])]);
    expect(after.map((message, index) => message === [summary, ...view.slice(2)][index])).toEqual([true, true, true, true]);
  });

  test.each<[string, AppliedEdit, string]>([
    ["a span that begins nowhere", dropped("missing", "a1"), "missing"],
    ["a span that ends nowhere", dropped("a1", "missing"), "missing"],
    ["a span that runs backwards", dropped("u2", "a1"), "u2"],
    ["spans that overlap", summarized(summary, ["u1", "u2"], ["a1", "r"]), "a1"],
    ["spans out of order", summarized(summary, ["a2", "r"], ["u1", "a1"]), "u1"],
    ["a new history up to a message that is not there", { ...replacedHistory([summary]), through: "missing" }, "missing"],
    ["a part of no message", replacedPart("missing", 0, stub), "missing"],
    ["a part that the message does not have", replacedPart("u1", 1, stub), "u1"],
    ["an image in an assistant message", replacedPart("a1", 0, absentImage()), "a1"],
    ["reasoning in a human message", replacedPart("u1", 0, { type: "reasoning", text: "why", opaque: null }), "u1"],
    ["a call in a human message", replacedPart("u1", 0, call), "u1"],
  ])("refuses %s", (_, edit, messageId) => {
    expect(() => applyEdits(view, [edit])).toThrowError(expect.objectContaining({ code: "bad-edit", details: { messageId } }));
  });

  test("a new history takes the place of everything through the newest message of an id that is there twice", () => {
    const damaged = [...view, human("r", "the same id"), human("later", "later")];
    const after = applyEdits(damaged, [{ ...replacedHistory([summary]), through: "r" }]);
    expect(after.map((message) => message.id)).toEqual(["s", "later"]);
  });

  test("a view that no edit changes is not copied", () => {
    expect(applyEdits(view, [])).toBe(view);
  });

  test("changes nothing in place", () => {
    const before = structuredClone(view);
    applyEdits(view, [replacedPart("r", 0, stub), dropped("u1", "a1", notice)]);
    expect(view).toEqual(before);
  });
});

describe("what no plan may take", () => {
  const step = assistant("a3", [{ type: "reasoning", text: "why", opaque: "signed" }, { type: "text", text: "now" }, call]);
  const image = absentImage();
  const [question, first, second] = [human("u2", "second"), result("r1", "c", "long"), result("r2", "d", "longer")];
  const old = [human("u1", "first"), reply("a1", "answer")] as const;
  const open: readonly Message[] = [...old, question, reply("a2", "looking"), step, first, second];
  const stubbed = { ...first, parts: [stub] };

  test.each<[string, readonly Message[], readonly Message[]]>([
    ["nothing of an empty view", [], []],
    ["nothing, if nothing changed", open, open],
    ["what is before the person's last message", open, [summary, ...open.slice(2)]],
    ["what is between that message and the open step", open, [...open.slice(0, 3), ...open.slice(4)]],
    ["the text of the open step's results", open, [...open.slice(0, 5), stubbed, second]],
    ["an image for the text of a result", open, [...open.slice(0, 5), { ...first, parts: [image] }, second]],
    ["an image of a result", [step, { ...first, parts: [image] }], [step, stubbed]],
    ["the text of the reply that made the calls", open, [...open.slice(0, 4), withPart(1, stub), first, second]],
    ["a step that was answered", [...open, reply("a4", "done")], [question, reply("a4", "done")]],
    ["everything, if there is no person and no open step", [...old].slice(1), [summary]],
  ])("may go: %s", (_, before, after) => {
    expect(() => refuseBrokenPromises(before, after)).not.toThrow();
  });

  test.each<[string, readonly Message[], string, string]>([
    ["the person's last message", [...old, ...open.slice(3)], "last-human-message", "u2"],
    ["its words", [...old, { ...question, parts: [stub] }, ...open.slice(3)], "last-human-message", "u2"],
    ["the open step", open.slice(0, 4), "open-step", "a3"],
    ["the open step, if that is all there is", [question], "open-step", "a3"],
    ["the call", [...open.slice(0, 4), first, second], "open-step", "a3"],
    ["its reasoning", [...open.slice(0, 4), withPart(0, stub), first, second], "open-step", "a3"],
    ["its arguments", [...open.slice(0, 4), withPart(2, stub), first, second], "open-step", "a3"],
    ["a part of it", [...open.slice(0, 4), { ...step, parts: step.parts.slice(0, 2) }, first, second], "open-step", "a3"],
    ["its place, to a message of the same id", [...open.slice(0, 4), human("a3", "now"), first, second], "open-step", "a3"],
    ["a result", open.slice(0, 6), "open-step", "a3"],
    ["a result, for another one", [...open.slice(0, 5), { ...first, id: "other" }, second], "open-step", "r1"],
    ["a result, for a reply of the same id", [...open.slice(0, 6), reply("r2", "longer")], "open-step", "r2"],
    ["the step's place at the end", [...open, reply("late", "")], "open-step", "a3"],
  ])("stays: %s", (_, after, promise, messageId) => {
    const refused = expect.objectContaining({ code: "bad-edit", details: { promise, messageId } });
    expect(() => refuseBrokenPromises(open, after)).toThrowError(refused);
  });

  test("the person's last message may go if it is not promised, the open step may not", () => {
    const goes = { lastHuman: "goes" } as const;
    expect(() => refuseBrokenPromises(open, [...old, ...open.slice(3)], goes)).not.toThrow();
    expect(() => refuseBrokenPromises(open, open.slice(0, 4), goes)).toThrow();
    expect(() => refuseBrokenPromises(open, [...old, ...open.slice(3)], { lastHuman: "stays" })).toThrow();
  });

  function withPart(place: number, part: typeof stub): Message {
    return { ...step, parts: step.parts.map((each, index) => (index === place ? part : each)) };
  }
});

test.each<[string, AppliedEdit, readonly string[]]>([
  ["its one message, for spans", summarized(summary, ["u1", "a1"]), ["s"]],
  ["none, for spans without a notice", dropped("u1", "a1"), []],
  ["all of a new history", replacedHistory([summary, notice]), ["s", "n"]],
  ["none, for a part", replacedPart("r", 0, stub), []],
])("an edit wrote into the view: %s", (_, edit, ids) => {
  expect(messagesWrittenBy(edit).map((message) => message.id)).toEqual(ids);
});
