import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { expect, test } from "vitest";
import { charsAt, textAt, textList } from "./text-list.ts";

test("every text comes back as it was, halves of surrogate pairs and all", () => {
  const texts = fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "binary-ascii" }), fc.constant("\ud83d")));
  fc.assert(
    fc.property(texts, (given) => {
      const list = deserialize(serialize(textList(given)));
      expect(given.map((_, place) => textAt(list, place))).toEqual(given);
      expect(given.map((_, place) => charsAt(list, place))).toEqual(given.map(({ length }) => length));
    }),
  );
});
