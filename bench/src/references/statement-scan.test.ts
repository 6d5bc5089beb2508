import fc from "fast-check";
import { expect, test } from "vitest";
import { createStatementScan } from "./statement-scan.ts";
import { createStringSearch } from "./string-search.ts";

function scanOf(references: readonly string[], statements: readonly { window: string; offset: number; reference: number }[]) {
  const search = createStringSearch(references);
  const read: string[] = [];
  const known = [...statements];
  const scan = createStatementScan({
    search: {
      ...search,
      find: (text) => {
        read.push(text);
        return search.find(text);
      },
    },
    statementsOf: (reference) => [...known.keys()].filter((number) => known[number]?.reference === reference),
    statement: (number) => known[number] ?? { window: "", offset: 0 },
    statementCount: () => known.length,
    readsWhole: references.some((reference) => reference.includes("\n")),
  });
  return { scan, read, known };
}

const KEY = { window: "the key", offset: 4, reference: 0 };

test("a line that was read is not read again, in whatever text it stands", () => {
  const { scan, read } = scanOf(["key"], [KEY]);
  expect(scan(["a\nthe key\nb", "the key, again"])).toEqual({ references: [0, 0], statements: [0, 0] });
  expect(scan(["the key\na\nnew"])).toEqual({ references: [0], statements: [0] });
  expect(read).toEqual(["a\nthe key\nb", "the key, again", "new"]);
});

test("nothing is found over two lines, and a line that stands twice is found twice", () => {
  const { scan } = scanOf(["key", "b"], [KEY, { window: "a b", offset: 2, reference: 1 }]);
  expect(scan(["the\nkey\na\nb\na b\nthe key\na b"])).toEqual({ references: [0, 1, 1, 0, 1], statements: [1, 0, 1] });
});

test("a line is read anew for statements that were added since", () => {
  const { scan, known } = scanOf(["key"], [KEY]);
  scan(["lost the key"]);
  known.push({ window: "lost the key", offset: 9, reference: 0 });
  expect(scan(["lost the key"])).toEqual({ references: [0], statements: [0, 1] });
});

test("a reference over two lines is found in texts that are read whole", () => {
  const { scan, read } = scanOf(["a\nb", "c"], [{ window: "a\nb", offset: 0, reference: 0 }]);
  expect(scan(["c\na\nb"])).toEqual({ references: [1, 0], statements: [0] });
  expect(read).toEqual(["c\na\nb"]);
});

test("whatever the lines and statements, a place has each statement that can be read around it, oldest first", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "k", " "), maxLength: 4 });
  const window = fc
    .tuple(word, word)
    .map(([before, behind]) => ({ window: `${before} k ${behind}`, offset: before.length + 1, reference: 0 }));
  const line = fc.array(word, { maxLength: 6 }).map((words) => words.join(" k "));
  fc.assert(
    fc.property(
      fc.uniqueArray(window, { selector: (each) => each.window + each.offset, maxLength: 12 }),
      fc.array(line),
      (statements, lines) => {
        const { scan } = scanOf(["k"], statements);
        const expected = lines.flatMap((text) =>
          [...text.matchAll(/(?<![ak])k(?![ak])/g)].flatMap(({ index }) =>
            statements.flatMap(({ window, offset }, number) =>
              index >= offset && text.startsWith(window, index - offset) ? [number] : [],
            ),
          ),
        );
        expect(scan([lines.join("\n")]).statements).toEqual(expected);
      },
    ),
  );
});
