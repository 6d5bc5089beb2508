import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Sequence, sequenceOf } from "./sequence.ts";

describe("a sequence", () => {
  const letters = sequenceOf(["a", "b", "c"]);

  test.each([
    ["first", 0, "a"],
    ["last", 2, "c"],
    ["from the end", -1, "c"],
    ["first from the end", -3, "a"],
    ["past the end", 3, undefined],
    ["before the beginning", -4, undefined],
  ])("reads by index: %s", (_, index, item) => {
    expect(letters.at(index)).toBe(item);
  });

  test.each([
    ["everything", [], ["a", "b", "c"]],
    ["from an index", [1], ["b", "c"]],
    ["up to an index", [0, 2], ["a", "b"]],
    ["from the end", [-2], ["b", "c"]],
    ["up to the end's neighbour", [0, -1], ["a", "b"]],
    ["past both ends", [-9, 9], ["a", "b", "c"]],
    ["backwards", [2, 1], []],
  ])("slices %s", (_, [start, end]: readonly number[], items) => {
    expect(letters.slice(start, end)).toEqual(items);
  });

  test("copies the array that it was made of", () => {
    const source = ["a"];
    const sequence = sequenceOf(source);
    source.push("b");
    expect([...sequence]).toEqual(["a"]);
  });

  test("gives slices that can be changed without changing it", () => {
    const sequence = sequenceOf(["a"]);
    sequence.slice().push("b");
    expect([...sequence]).toEqual(["a"]);
  });

  test("does not show what was appended to a later value", () => {
    const older = sequenceOf(["a"]);
    older.append("b");
    expect([older.size, older.at(1), older.slice(0, 5), [...older]]).toEqual([1, undefined, ["a"], ["a"]]);
  });

  test("forks without disturbing the branch that came first", () => {
    const stem = sequenceOf(["a"]);
    const left = stem.append("left").append("left again");
    const right = stem.append("right");
    expect([[...stem], [...left], [...right]]).toEqual([["a"], ["a", "left", "left again"], ["a", "right"]]);
  });

  test("keeps every value that was ever made, whatever is appended to which", () => {
    // Each step appends its own number to some earlier value; arrays that are copied at each step are the model.
    const steps = fc.array(fc.nat(), { maxLength: 40 });
    fc.assert(
      fc.property(steps, (parents) => {
        const sequences: Sequence<number>[] = [sequenceOf()];
        const models: (readonly number[])[] = [[]];
        for (const [item, choice] of parents.entries()) {
          const parent = choice % sequences.length;
          sequences.push((sequences[parent] ?? sequenceOf<number>()).append(item));
          models.push([...(models[parent] ?? []), item]);
        }
        expect(sequences.map((sequence) => [...sequence])).toEqual(models);
        expect(sequences.map((sequence) => sequence.size)).toEqual(models.map((model) => model.length));
        // A sequence begins with the one it goes on from; a list goes on from the one that it was first appended to.
        for (const [later, sequence] of sequences.entries())
          for (const [place, before] of sequences.entries())
            if (sequence.goesOnFrom(before)) expect(models[later]?.slice(0, before.size)).toEqual(models[place]);
      }),
    );
  });

  test("knows what it goes on from, and says nothing of a copy or of another branch", () => {
    const stem = sequenceOf(["a"]);
    const left = stem.append("left");
    const right = stem.append("right");
    expect([left, left.append("on"), stem].map((list) => list.goesOnFrom(stem))).toEqual([true, true, true]);
    expect([right, sequenceOf(left)].map((list) => list.goesOnFrom(left))).toEqual([false, false]);
    expect(stem.goesOnFrom(left)).toBe(false);
  });
});
