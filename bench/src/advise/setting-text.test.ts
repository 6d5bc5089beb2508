import { describe, expect, test } from "vitest";
import type { KnobValue } from "./agent-knobs.ts";
import { KNOB_TABLE } from "./knob-table.ts";
import { misplacedIn, readSettings, valuesIn, withValues } from "./setting-text.ts";

const textOf = (form: "json" | "toml", text: string, ...values: readonly (readonly [string, KnobValue])[]) =>
  withValues(form, text, new Map(values));

describe("JSON with other values", () => {
  test.each<readonly [string, string, string]>([
    ["an empty file", "", '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ["an object without it", '{\n  "x": 1\n}\n', '{\n  "x": 1,\n  "a": {\n    "b": 1\n  }\n}\n'],
    ["a value that is there", '{ "a": { "b": 7, "c": 2 } }', '{ "a": { "b": 1, "c": 2 } }'],
    ["comments", '{\n  // why\n  "a": { "b": 7 /* seven */ },\n}\n', '{\n  // why\n  "a": { "b": 1 /* seven */ },\n}\n'],
    ["tabs", '{\n\t"x": 1\n}\n', '{\n\t"x": 1,\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'],
    ["lines that end as on Windows", '{\r\n  "a": { "b": 7 }\r\n}\r\n', '{\r\n  "a": { "b": 1 }\r\n}\r\n'],
  ])("keeps %s", (_, before, after) => {
    expect(textOf("json", before, ["a.b", 1])).toEqual({ text: after });
  });

  test.each([
    ["half a file", '{ "a": '],
    ["a list", "[1]"],
    ["what is nested too deep", `{ "a": { "c": ${"[".repeat(100_000)}${"]".repeat(100_000)} } }`],
    ["a part that is no object", '{ "a": 3 }'],
    ["one key twice", '{ "a": { "b": 1 }, "a": { "b": 2 } }'],
  ])("is refused for %s", (_, text) => {
    expect(textOf("json", text, ["a.b", 5])).toHaveProperty("problem");
  });
});

test.each([
  ["json", '{ "x": 1, "a": { "b": 7, "c": 2 } }', '{\n  "x": 1,\n  "a": {\n    "c": 2\n  }\n}'],
  ["json", '{ "x": 1 }', '{ "x": 1 }'],
] as const)("a setting is taken out of %s: %s", (form, before, after) => {
  const changed = withValues(form, before, new Map([["a.b", null]]));
  expect("text" in changed ? changed.text : "refused").toBe(after);
});

test.each<readonly [string, string, Readonly<Record<string, unknown>>, readonly (readonly string[])[]]>([
  ["under a table", "k", { tui: { k: 1 } }, [["tui"]]],
  ["two tables deep", "k", { profiles: { x: { k: 1 } } }, [["profiles", "x"]]],
  ["without its section", "a.b", { b: 1 }, [[]]],
  ["in its section, but in another one", "a.b", { x: { a: { b: 1 } } }, [["x"].concat("a")]],
  ["with its path as one key", "a.b", { "a.b": 1 }, [[]]],
  ["nowhere if it is in its place", "a.b", { a: { b: 1 }, x: { b: 2 } }, []],
])("a misplaced setting is found %s", (_, path, content, found) => {
  expect(misplacedIn(content, [path]).map(({ sections }) => sections)).toEqual(found);
});

test("a setting is taken out of TOML with its comment, and nothing else", () => {
  const text = 'm = "x"\nk = 7 # seven\n[t]\nk = 9\n';
  expect(withValues("toml", text, new Map([["k", null]]))).toEqual({ text: 'm = "x"\n[t]\nk = 9\n' });
});

describe("TOML with another value", () => {
  test.each<readonly [string, string, string]>([
    ["an empty file", "", "k = 1\n"],
    ["a value that is there, with its comment", "# top\nk = 7 # seven\n[t]\nk = 9\n", "# top\nk = 1 # seven\n[t]\nk = 9\n"],
    ["tables behind it", 'm = "x"\n\n[t]\nk = 9\n', 'm = "x"\nk = 1\n\n[t]\nk = 9\n'],
    ["a file of tables alone", "# of t\n[t]\na = 1\n", "k = 1\n# of t\n[t]\na = 1\n"],
    ["a list over several lines", 'n = [\n  "a",\n]\n[t]\n', 'k = 1\nn = [\n  "a",\n]\n[t]\n'],
    ["a text that looks like the key", 's = """\nk = 7\n"""\n', "refused"],
    ["lines that end as on Windows", 'm = "x"\r\n[t]\r\n', 'm = "x"\r\nk = 1\r\n[t]\r\n'],
    ["a date", "d = 2026-01-31\n", "d = 2026-01-31\nk = 1\n"],
    ["a number written with underscores", "k = 1_000\n", "k = 1\n"],
    ["no line end at the end", 'm = "x"', 'm = "x"\nk = 1'],
  ])("keeps %s", (_, before, after) => {
    const changed = textOf("toml", before, ["k", 1]);
    expect("text" in changed ? changed.text : "refused").toBe(after);
  });

  test.each([
    ["half a file", 'm = "x'],
    ["one key twice", "m = 1\nm = 2\n"],
    ["a value over several lines", "k = [\n1,\n]\n"],
  ])("is refused for %s", (_, text) => {
    expect(textOf("toml", text, ["k", 1])).toHaveProperty("problem");
  });
});

test("values are read by path; what is no value of a knob is left out", () => {
  const read = readSettings("json", '{ "a": { "b": 1, "list": [] }, "c": true, "d": "total", "e": null }');
  const content = "content" in read ? read.content : {};
  expect([...valuesIn(content, ["a.b", "a.list", "c", "d", "e", "a.b.z", "none"])]).toEqual([
    ["a.b", 1],
    ["c", true],
    ["d", "total"],
  ]);
});

/** Writes all of a grid's last point into an empty file of each agent. */
test.each(KNOB_TABLE)(
  "each point of the grid of $title $version is written and read back",
  ({ place, knobs, replay: { grid } }) => {
    const paths = knobs.map(({ path }) => path);
    const readBack = grid(1_000_000).map((values) => {
      const changed = withValues(place.form, "", values);
      const read = readSettings(place.form, "text" in changed ? changed.text : "");
      return "content" in read ? [...valuesIn(read.content, paths)].toSorted() : [];
    });
    expect(readBack).toEqual(grid(1_000_000).map((values) => [...values].toSorted()));
  },
);
