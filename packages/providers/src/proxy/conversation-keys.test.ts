import { describe, expect, test } from "vitest";
import { createConversationKeys, type KeyNote } from "./conversation-keys.ts";

/** Each request's signs as `session opening`; `-` for none. */
const keysAfter = async (notes: KeyNote[], asked: readonly string[]) => {
  const keys = createConversationKeys(notes, async (note) => void notes.push(note));
  const found: (string | null)[] = [];
  for (const signs of asked) {
    const [session = null, opening = null] = signs.split(" ").map((sign) => (sign === "-" ? null : sign));
    found.push(await keys.keyFor({ session, opening }));
  }
  return found;
};

describe("a conversation's key", () => {
  test.each<[string, readonly string[], readonly number[]]>([
    ["is its session's, whatever was said", ["a -", "a x", "a y"], [0, 0, 0]],
    ["is another for another session", ["a -", "b -"], [0, 1]],
    ["is its own although another session got the same answer", ["a -", "b -", "a x", "b x"], [0, 1, 0, 1]],
    ["stays if the session is named anew", ["a x", "b x", "b -"], [0, 0, 0]],
    ["follows from the history without a name", ["- x", "- x", "- y"], [0, 0, 2]],
    ["is found again if a name comes later", ["- x", "a x"], [0, 0]],
  ])("%s", async (_, asked, same) => {
    const found = await keysAfter([], asked);
    expect(found).toEqual(same.map((index) => found[index]));
    expect(new Set(found).size).toBe(new Set(same).size);
  });

  test("is none for a request without name and history", async () => {
    expect(await keysAfter([], ["- -"])).toEqual([null]);
  });

  test("is the same after a restart, from the notes alone", async () => {
    const notes: KeyNote[] = [];
    const asked = ["a x", "b x", "- y"];
    const before = await keysAfter(notes, asked);
    const count = notes.length;
    expect(await keysAfter(notes, asked)).toEqual(before);
    expect(notes).toHaveLength(count);
  });
});
