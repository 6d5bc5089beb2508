import { expect, test } from "vitest";
import { readsAsFailed } from "./failed-text.ts";
import { MISSING_RESULT_TEXT } from "./repair.ts";

const COMMAND = "head-tail";

test.each([
  ["a status in the first line", "Exit code 1\nmain.go:3: undefined: x", COMMAND, true],
  ["a status of zero, whatever the output begins with", "Exit code: 0\nError: none", COMMAND, false],
  ["a status among other lines", "Chunk ID: 9bb\nWall time: 0.1 s\nProcess exited with code 2\nOutput:\n", COMMAND, true],
  ["a status in an element", "<returncode>1</returncode>\n<output>\nno\n</output>", COMMAND, true],
  ["a status of zero in an element", "<returncode>0</returncode>\n<output>\nerror: no\n</output>", COMMAND, false],
  ["a status in the last line", "(no output)\n\nCommand exited with code 1", COMMAND, true],
  ["a status in brackets", "no\n[exit code 3]", COMMAND, true],
  ["a status of zero in the last line", "total 8\n[The command completed with exit code 0.]", COMMAND, false],
  ["a status in JSON", '{"output":"no","metadata":{"exit_code":1}}', COMMAND, true],
  ["a status of zero in JSON", '{"output":"Error: no","metadata":{"exit_code":0}}', COMMAND, false],
  ["an error's name first", "TypeError: x is not a function\n  at y", COMMAND, true],
  ["an error's name alone", "Error", COMMAND, true],
  ["a system's name of an error", "EISDIR: illegal operation on a directory, read", "file-content", true],
  ["an element that is an error", "<tool_use_error>File has not been read yet.</tool_use_error>", "generic", true],
  ["words that a repair put in a result's place", MISSING_RESULT_TEXT, "generic", true],
  ["a last line that says that a command was ended", "3 of 9 done\n\n\nCommand aborted", COMMAND, true],
  ["the same with its time", "Command timed out after 10 seconds", COMMAND, true],
  ["words about what was ended", "All was interrupted. Then it went on.", COMMAND, false],
  ["what a tool could not do", "Could not find the exact text in a.ts. It must match.", "generic", true],
  ["words of a file about that", "Could not find it.\nMore.", "file-content", false],
  ["a command's words about that", "could not add a label\ndone", COMMAND, false],
  ["a file that begins with an error's name", "Error: the title\nof a page", "file-content", false],
  ["a file about statuses", "1\tint main() {\n2\t  return 1\n3\t}", "file-content", false],
  ["a word that only begins so", "Errors are values", "generic", false],
  ["words about a status", "The tests exit with code 1 if one fails, else 0.\nMore.", "generic", false],
  ["nothing", "", COMMAND, false],
])("%s", (_, text, category, isFailed) => {
  expect(readsAsFailed({ category, parts: [{ type: "text", text }] })).toBe(isFailed);
});

test("a long text is looked at by its two ends alone", () => {
  const text = `${"line\n".repeat(200_000)}exit code 1\n${"line\n".repeat(200_000)}`;
  expect(readsAsFailed({ category: COMMAND, parts: [{ type: "text", text }] })).toBe(false);
});
