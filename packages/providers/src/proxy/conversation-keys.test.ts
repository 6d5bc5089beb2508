import { describe, expect, test } from "vitest";
import { type ConversationSigns, createConversationKeys, type KeyNote } from "./conversation-keys.ts";

const keysAfter = async (notes: KeyNote[], asked: readonly ConversationSigns[]) => {
  const keys = createConversationKeys(notes, async (note) => void notes.push(note));
  const found: (string | null)[] = [];
  for (const signs of asked) found.push(await keys.keyFor(signs));
  return found;
};

const [A, B] = [
  { session: "a", opening: null },
  { session: "b", opening: null },
];

describe("a conversation's key", () => {
  test.each<[string, readonly ConversationSigns[], readonly number[]]>([
    ["is its session's, whatever was said", [A, { session: "a", opening: "x" }, { session: "a", opening: "y" }], [0, 0, 0]],
    ["is another for another session", [A, B], [0, 1]],
    [
      "is its own although another session got the same answer",
      [A, B, { session: "a", opening: "x" }, { session: "b", opening: "x" }],
      [0, 1, 0, 1],
    ],
    ["stays if the session is named anew", [{ session: "a", opening: "x" }, { session: "b", opening: "x" }, B], [0, 0, 0]],
    [
      "follows from the history without a name",
      [
        { session: null, opening: "x" },
        { session: null, opening: "x" },
        { session: null, opening: "y" },
      ],
      [0, 0, 2],
    ],
    [
      "is found again if a name comes later",
      [
        { session: null, opening: "x" },
        { session: "a", opening: "x" },
      ],
      [0, 0],
    ],
  ])("%s", async (_, asked, same) => {
    const found = await keysAfter([], asked);
    expect(found).toEqual(same.map((index) => found[index]));
    expect(new Set(found).size).toBe(new Set(same).size);
  });

  test("is none for a request without name and history", async () => {
    expect(await keysAfter([], [{ session: null, opening: null }])).toEqual([null]);
  });

  test("is the same after a restart, from the notes alone", async () => {
    const notes: KeyNote[] = [];
    const asked = [
      { session: "a", opening: "x" },
      { session: "b", opening: "x" },
      { session: null, opening: "y" },
    ];
    const before = await keysAfter(notes, asked);
    const count = notes.length;
    expect(await keysAfter(notes, asked)).toEqual(before);
    expect(notes).toHaveLength(count);
  });
});
