import { expect, test } from "vitest";
import { commonCap } from "./span.ts";

test.each([
  ["all are cut to equal whole shares", [10, 10, 10], 20, 6],
  ["small ones leave their rest to the large", [1, 50], 20, 19],
  ["nothing is cut if all fit", [5, 15], 20, Number.POSITIVE_INFINITY],
  ["0 if there is no room", [5], -1, 0],
])("a common cap: %s", (_, sizes, room, cap) => {
  expect(commonCap(sizes, room)).toBe(cap);
});
