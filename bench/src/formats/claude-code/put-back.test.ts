import { describe, expect, test } from "vitest";
import { importObjects } from "../../../testing/describe-log.ts";

const base = { isSidechain: false, sessionId: "s", version: "2.1.0", timestamp: "2026-01-01T00:00:00Z", cwd: "/w" };
const said = { id: "m", role: "assistant", model: "claude-opus-4-5", content: [{ type: "text", text: "done" }] };
const ASKED = { type: "user", message: { role: "user", content: "q" } };
const REPLY = { type: "assistant", requestId: "r", message: said };
const BOUNDARY = { type: "system", subtype: "compact_boundary", compactMetadata: { trigger: "auto", preTokens: 500 } };
const SUMMARY = { type: "user", isCompactSummary: true, message: { role: "user", content: "sum" } };
const CUT = [BOUNDARY, SUMMARY];

const of = (toolUseResult: object) => ({ type: "user", toolUseResult, message: { role: "user", content: "result" } });
const written = (path: string, content: string) => of({ type: "create", filePath: path, content });
const edit = (path: string, more: object) => of({ filePath: path, oldString: "a", newString: "b", ...more });
const read = (path: string, content: string, numLines: number, totalLines: number) =>
  of({ type: "text", file: { filePath: path, content, numLines, totalLines } });
const skill = (body: string) => ({
  type: "user",
  isMeta: true,
  message: { role: "user", content: [{ type: "text", text: `Base directory for this skill: /s\n${body}` }] },
});

/** Collects the texts that come back at each compaction of a log with these lines. */
async function putBackIn(lines: readonly object[]): Promise<readonly (readonly string[])[] | undefined> {
  const objects = [ASKED, REPLY, ...lines, ASKED].map((line, at) => ({
    uuid: `l${at}`,
    parentUuid: at === 0 ? null : `l${at - 1}`,
    ...base,
    ...line,
  }));
  const [transcript] = await importObjects(objects);
  return transcript?.putBack?.map(({ text }) => text.split("\n"));
}

const shown = (...lines: readonly string[]) =>
  JSON.stringify(lines.map((line, at) => `${String(at + 1).padStart(6)}→${line}`).join("\n"));
const LARGE = "const value = compute(1, 2, 3);\n".repeat(1500);
const HUGE = "a".repeat(100_001);
const six = ["1", "2", "3", "4", "5", "6"].map((name) => written(`/w/${name}`, name));

describe("what Claude Code puts back after a compaction", () => {
  test.each([
    ["a file that was written, with numbers before its lines, as JSON", [written("/w/a", "one\ntwo")], [shown("one", "two")]],
    ["a file as its last edit left it", [edit("/w/a", { originalFile: "a-a" })], [shown("b-a")]],
    ["a file in which all places were edited", [edit("/w/a", { originalFile: "a-a", replaceAll: true })], [shown("b-b")]],
    ["an edit of what was read whole", [read("/w/a", "xa", 1, 1), edit("/w/a", {})], [shown("xb")]],
    ["a file that was only read", [read("/w/a", "x", 1, 1)], [shown("x")]],
    ["the five files that were changed last", six, ["6", "5", "4", "3", "2"].map((name) => shown(name))],
    [
      "a file by its last change, not by a reading after it",
      [...six, read("/w/1", "1", 1, 1)],
      ["6", "5", "4", "3", "2"].map((name) => shown(name)),
    ],
    [
      "changed files before such as were only read",
      [...six.slice(0, 5), read("/w/r", "r", 1, 1)],
      ["5", "4", "3", "2", "1"].map((name) => shown(name)),
    ],
    ["the plan as it is", [written("/home/.claude/plans/p.md", "the plan")], ["the plan"]],
    ["a skill", [skill("body")], ["Base directory for this skill: /s", "body"]],
  ])("%s", async (_, lines, expected) => {
    expect(await putBackIn([...lines, ...CUT])).toEqual([expected]);
  });

  test.each([
    ["a file that is too large", [written("/w/a", LARGE)]],
    ["a file of more characters than it is followed for", [written("/w/a", HUGE), edit("/w/a", { oldString: HUGE })]],
    ["a file of which only a part was seen", [read("/w/a", "x", 1, 9)]],
    ["instructions, which are a part of the system text", [written("/w/CLAUDE.md", "x")]],
    ["anything, if the log holds what is put back", [{ type: "attachment", attachment: { type: "x" } }, written("/w/a", "x")]],
    ["a tool's result that names no file", [of({ stdout: "x" })]],
  ])("not %s", async (_, lines) => {
    expect(await putBackIn([...lines, ...CUT])).toBeUndefined();
  });

  test("a skill keeps its beginning", async () => {
    const [texts] = (await putBackIn([skill("x".repeat(30_000)), ...CUT])) ?? [];
    expect(texts?.join("\n")).toHaveLength(20_000);
  });

  test("at the next compaction what came back may come back again, behind what was changed since", async () => {
    const twice = await putBackIn([...six, ...CUT, ASKED, REPLY, written("/w/7", "7"), ...CUT]);
    expect(twice?.[1]).toEqual(["7", "6", "5", "4", "3"].map((name) => shown(name)));
  });
});
