import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Likeness } from "@plimsoll/bench/internal";
import { afterAll, beforeEach, expect, test } from "vitest";
import type { Compared } from "./compared.ts";
import { openFindings } from "./findings.ts";
import { compareFiles, type FileToCompare, type Slices } from "./slices.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-findings-"));
afterAll(() => rmSync(folder, { recursive: true }));
let kept = join(folder, "0");
beforeEach(() => {
  kept = mkdtempSync(join(folder, "kept-"));
});

const LIKENESS: Likeness = { policy: "p", follows: "q@1.0.0", differences: [] };
const NOT_THERE: Likeness = { policy: "r", follows: "s@1.0.0", differences: [] };
const file = (displayName: string, bytes = 10): FileToCompare => ({
  path: displayName,
  displayName,
  contents: () => Buffer.from(displayName.padEnd(bytes)),
});
const found = (session: string): Compared => ({ session, call: 1, aspect: "trigger", kind: null });

/** Each file takes a minute; what was worked on and said. */
function run(files: readonly FileToCompare[], more: Partial<Slices> = {}) {
  const worked: string[] = [];
  const said: string[] = [];
  let nowMs = 0;
  const sessionsIn: Slices["sessionsIn"] = async ({ displayName }) => {
    worked.push(displayName);
    nowMs += 60_000;
    return [];
  };
  const compare = { of: "p of q", compare: () => Promise.resolve([]) };
  const result = compareFiles({
    files,
    comparisons: [
      { likeness: LIKENESS, compare },
      { likeness: NOT_THERE, compare: null },
    ],
    sessionsIn,
    kept: openFindings(kept),
    version: "1",
    endsAfterMs: null,
    nowMs: () => nowMs,
    say: (line) => said.push(line),
    ...more,
  });
  return { result, worked, said };
}

test("what takes too long stops behind the file in hand, and the next run goes on there", async () => {
  const files = ["a", "b", "c"].map((name) => file(name));
  const first = run(files, { endsAfterMs: 90_000 });
  expect(await first.result).toBeNull();
  expect(first.worked).toEqual(["a", "b"]);
  expect(first.said.at(-1)).toBe("stopped behind b; the same command goes on there");
  const second = run(files);
  expect([...((await second.result) ?? []).keys()]).toEqual([LIKENESS]);
  expect(second.worked).toEqual(["c"]);
});

test("the time left goes by what the files that were worked on weighed", async () => {
  const { result, said } = run([file("a", 10), file("b", 20), file("c", 30)]);
  await result;
  expect(said).toEqual([
    "1 of 3 files, 1 min gone, at most 5 min left",
    "2 of 3 files, 2 min gone, at most 2 min left",
    "3 of 3 files, 3 min gone, at most 0 s left",
  ]);
});

test.each<readonly [string, readonly FileToCompare[], Partial<Slices>, readonly string[]]>([
  ["the same run", [file("a")], {}, []],
  ["other code", [file("a")], { version: "2" }, ["a"]],
  ["a file that changed", [{ ...file("a"), contents: () => Buffer.from("other") }], {}, ["a"]],
])("findings are kept for %s", async (_, files, more, expected) => {
  await run([file("a")]).result;
  const again = run(files, more);
  await again.result;
  expect(again.worked).toEqual(expected);
});

test("findings come back as they were, and damaged ones are made anew", () => {
  const findings = openFindings(kept);
  findings.keep({ a: 1 }, [found("s")]);
  expect(findings.read({ a: 1 })).toEqual([found("s")]);
  expect(findings.read({ a: 2 })).toBeNull();
  for (const name of readdirSync(kept)) writeFileSync(join(kept, name), '[{"session":1}]');
  expect(findings.read({ a: 1 })).toBeNull();
});
