import { describe, expect, test } from "vitest";
import { strategyInput } from "../../testing/strategy-input.ts";
import { parseHandle } from "../message/handle.ts";
import type { Message } from "../message/message.ts";
import { clearedText } from "../prompts/notices.ts";
import { absentImage, calling, human, reply, result } from "../testing/builders.ts";
import { CLEAR_TOOL_RESULTS, type ClearToolResultsSpec } from "./clear-tool-results.ts";

const bound = (spec: ClearToolResultsSpec) => CLEAR_TOOL_RESULTS.bind(spec);
const long = "x".repeat(500);
/** A step of one call; the result has the id `r` and the number. */
const step = (number: number, text = long) => [calling(`a${number}`, [`c${number}`]), result(`r${number}`, `c${number}`, text)];
const steps = (count: number) => Array.from({ length: count }, (_, number) => step(number)).flat();

/** Clears results, and returns the ids of their messages; the reason's kind if nothing is cleared. */
function cleared(
  messages: readonly Message[],
  settings: { keep?: number; atLeast?: number } = {},
  more = {},
): readonly string[] {
  const { keep = 2, atLeast = 0 } = settings;
  const answer = bound({ kind: "clear-tool-results", keepResults: keep, clearAtLeastTokens: atLeast }).plan(
    strategyInput(messages, more),
  );
  return answer.kind === "edits"
    ? answer.edits.map((edit) => (edit.kind === "replace-part" ? edit.handle : edit.kind))
    : [answer.kind];
}

describe("clear-tool-results", () => {
  test.each<[string, readonly Message[], { keep?: number; atLeast?: number }, readonly string[]]>([
    ["all but the newest, in one batch", [...steps(4), reply("end", "done")], { keep: 2 }, ["r0", "r1"]],
    ["with none to keep, all", [...steps(3), reply("end", "done")], { keep: 0 }, ["r0", "r1", "r2"]],
    ["never the newest step, which the model has not seen", steps(3), { keep: 0 }, ["r0", "r1"]],
    ["the results to keep are counted without it", steps(4), { keep: 2 }, ["r0"]],
    ["nothing if there are no more than those", [...steps(2), reply("end", "done")], { keep: 2 }, ["not-applicable"]],
    ["nothing without results", [human("u", long), reply("a", long)], { keep: 0 }, ["not-applicable"]],
    ["not a result that is no longer than its stub", [...step(0, "ok"), ...step(1), reply("end", "done")], { keep: 0 }, ["r1"]],
    [
      "not what is cleared already, although a stub of the stub would be shorter",
      [...step(0, clearedText("result of tool", 123_456, "r0")), reply("end", "done")],
      { keep: 0 },
      ["not-applicable"],
    ],
    [
      "what only ends like a stub",
      [...step(0, `${long}${clearedText("result", 9, "r0")}`), reply("end", "done")],
      { keep: 0 },
      ["r0"],
    ],
    [
      "what only looks like the stub of another",
      [...step(0, clearedText("result of an unknown tool with a long name", 1, "elsewhere")), reply("end", "done")],
      { keep: 0 },
      ["r0"],
    ],
  ])("%s", (_, messages, settings, handles) => {
    expect(cleared(messages, settings)).toEqual(handles);
  });

  test("an image is cleared, under a handle of its own", () => {
    const shot = { ...result("r0", "c0", "ok"), parts: [{ type: "text", text: "ok" } as const, absentImage()] };
    expect(cleared([calling("a0", ["c0"]), shot, reply("end", "done")], { keep: 0 })).toEqual(["r0#1"]);
    expect(parseHandle("r0#1")).toEqual({ messageId: "r0", partIndex: 1 });
  });

  test("the stub says what it was, how long, and where it is found", () => {
    const answer = bound({ kind: "clear-tool-results", keepResults: 0, clearAtLeastTokens: 0 }).plan(
      strategyInput([...step(0), reply("end", "done")]),
    );
    expect(answer).toEqual({
      kind: "edits",
      edits: [
        {
          kind: "replace-part",
          messageId: "r0",
          partIndex: 0,
          handle: "r0",
          text: "[result of tool cleared: 500 characters; handle r0]",
        },
      ],
    });
  });

  const stubTokens = clearedText("result of tool", 500, "r0").length;

  test.each<[string, number, number, readonly string[]]>([
    ["a batch that saves just enough", 2 * (500 - stubTokens), 1, ["r0", "r1"]],
    ["a batch that saves one token less than is asked", 2 * (500 - stubTokens) + 1, 1, ["not-applicable"]],
    ["stubs are priced as the measure's scale says", 2 * (500 - 2 * stubTokens) + 1, 2, ["not-applicable"]],
  ])("%s", (_, atLeast, scaleRatio, handles) => {
    expect(cleared([...steps(2), reply("end", "done")], { keep: 0, atLeast }, { scaleRatio })).toEqual(handles);
  });
});
