import { expect, test } from "vitest";
import { eachAtMost } from "./corpus.ts";

/** Items that end on command. */
function heldItems(count: number) {
  const begun: number[] = [];
  const ends: { readonly resolve: (text: string) => void; readonly reject: (error: Error) => void }[] = [];
  const promises = Array.from(
    { length: count },
    (_, item) =>
      new Promise<string>((resolve, reject) => {
        ends[item] = { resolve, reject };
      }),
  );
  const run = (item: number) => {
    begun.push(item);
    return promises[item] ?? Promise.reject(new Error("no item"));
  };
  return { begun, ends, run };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("begins the next item when one ends, and gives the results in the order of the items", async () => {
  const { begun, ends, run } = heldItems(4);
  const results = eachAtMost([0, 1, 2, 3], 2, run);
  await settled();
  expect(begun).toEqual([0, 1]);
  ends[1]?.resolve("b");
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  for (const [place, text] of ["a", "", "c", "d"].entries()) ends[place]?.resolve(text);
  expect(await results).toEqual(["a", "b", "c", "d"]);
});

test("begins nothing after an item that failed", async () => {
  const { begun, ends, run } = heldItems(4);
  const results = eachAtMost([0, 1, 2, 3], 2, run);
  ends[0]?.reject(new Error("no"));
  await expect(results).rejects.toThrow("no");
  ends[1]?.resolve("b");
  await settled();
  expect(begun).toEqual([0, 1]);
});

test("of nothing there is no result", async () => {
  expect(await eachAtMost([], 2, () => Promise.reject(new Error("not called")))).toEqual([]);
});
