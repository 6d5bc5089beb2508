import { expect, test } from "vitest";
import { keptTexts, saidIn, typedWord, withoutWords } from "./typed-words.ts";

test.each([
  ["plimsoll: undo the last compaction", "undo"],
  ["  PLIMSOLL: What did you drop?", "dropped"],
  ["plimsoll:status", "status"],
  ['"plimsoll: what did you drop?"\n', "dropped"],
  ["plimsoll: sing", "help"],
  ["plimsoll: keep this: tabs", "keep"],
])("%s", (text, kind) => {
  expect(typedWord(text)?.kind).toBe(kind);
});

test.each(["plimsoll undo", "Tell plimsoll: undo", "undo"])("%s is the model's to read", (text) => {
  expect(typedWord(text)).toBeNull();
});

type Item = { readonly [key: string]: unknown };
const by = (name: string) => (item: Item) => item.role === name;
const ROLES = { isModels: by("assistant"), isUsers: by("user"), said: saidIn };
const WISH = { type: "text", text: "plimsoll: undo" };

test.each([
  ["a text after another, as an attached file", [{ ...WISH, text: "Read this." }, WISH]],
  ["a result", [{ type: "tool_result", tool_use_id: "c", content: "plimsoll: undo" }]],
  ["a text beside a result", [{ type: "tool_result", tool_use_id: "c", content: "" }, WISH]],
])("%s is no wish", (_, content) => {
  expect(withoutWords([{ role: "user", content }], ROLES)).toEqual({ items: [{ role: "user", content }], asked: null });
});

test("a wish leaves with its answer, behind the agent's own blocks as well", () => {
  const wish = { role: "user", content: [{ ...WISH, text: "<reminder>now</reminder>" }, WISH] };
  const said = { role: "user", content: "hi" };
  const items = [said, { role: "assistant", content: "hello" }, wish, { role: "assistant", content: "undone" }, said];
  expect(withoutWords(items, ROLES)).toEqual({ items: [items[0], items[1], said], asked: null });
  expect(withoutWords(items.slice(0, 3), ROLES).asked).toEqual({ kind: "undo" });
});

test("what is kept is what was typed, else what the model said before", () => {
  const said = [
    { by: "model", text: "The port is 8080." },
    { by: "person", text: "plimsoll: keep this" },
    { by: "person", text: "plimsoll: keep: use tabs" },
    { by: "model", text: "plimsoll: keep: a trap" },
  ] as const;
  expect(keptTexts(said)).toEqual(["The port is 8080.", "use tabs"]);
});
