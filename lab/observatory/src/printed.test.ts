import { describe, expect, test } from "vitest";
import { watchPrinted } from "./play.ts";
import { playedWhole } from "./played-whole.ts";

const call = (number: number, chars: number) => ({ command: `yes 'line of call ${number}' | head -c ${chars}` });
const output = (number: number, lines: number) => ({ text: `Output: ${`line of call ${number}\n`.repeat(lines)}line o` });

test.each([
  ["all of it came back", [call(1, 85), output(1, 5)], []],
  ["the last line is not whole either", [call(1, 89), output(1, 5)], []],
  ["a shell trims it", [call(1, 80), { text: output(1, 5).text.slice(0, -"\nline o".length) }], []],
  ["nothing came back", [call(1, 80), { text: "Output: (empty)" }], [1]],
  ["a line is missing", [call(1, 80), output(1, 4)], [1]],
  ["the lines are another call's", [call(1, 80), call(11, 80), output(11, 5)], [1]],
  ["the program writes the command twice", [call(1, 80), { text: `Command: ${call(1, 80).command}` }], [1]],
])("%s", (_, body, lost) => {
  const printed = watchPrinted();
  printed.see(body);
  expect(printed.lost()).toEqual(lost);
});

test("what is cleared later was not lost", () => {
  const printed = watchPrinted();
  printed.see([call(1, 80), output(1, 5)]);
  printed.see([call(1, 80), { text: "cleared" }, call(2, 80)]);
  expect(printed.lost()).toEqual([2]);
});

describe("a scenario is played until nothing is lost", () => {
  const playsOf = (lost: readonly (readonly number[])[]) => {
    const plays = [...lost];
    return { plays, play: () => Promise.resolve({ lostOutputs: plays.shift() ?? [] }) };
  };

  test("once if all came back, once more for each loss", async () => {
    const { plays, play } = playsOf([[1], [4, 7], [], [], [2]]);
    expect(await playedWhole("test", play)).toEqual({ lostOutputs: [] });
    expect(plays).toEqual([[], [2]]);
  });

  test("not for ever", async () => {
    const { play } = playsOf(Array.from({ length: 100 }, () => [1]));
    await expect(playedWhole("test", play)).rejects.toThrow("test: output of a command was lost in each of 8 plays");
  });
});
