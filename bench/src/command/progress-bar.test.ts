import { Writable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { createProgressBar, leftText } from "./progress-bar.ts";

test("a bar names the file that is being done, and none before the first", () => {
  const said: string[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    said.push(String(chunk));
    done();
  };
  const bar = createProgressBar(Object.assign(new Writable({ write }), { isTTY: true }));
  const before = said.join("");
  bar.show({ file: "a.jsonl", filesDone: 0, filesTotal: 3, workDone: 1, workTotal: 9 });
  bar.stop();
  expect(before).toContain("replaying");
  expect(before).not.toContain("file");
  expect(said.join("")).toContain("file 1 of 3  a.jsonl");
});

test.each([
  ["nothing before anything is done", 0, 5_000, ""],
  ["seconds", 0.5, 10_000, "10 s left"],
  ["minutes", 0.01, 3_000, "5 min left"],
  ["no time at the end", 1, 10_000, "0 s left"],
])("what is left is told as %s", (_, share, elapsedMs, text) => {
  expect(leftText(share, elapsedMs)).toBe(text);
});

test("of a step among others it is told that the time is the step's", () => {
  expect(leftText(0.5, 10_000, " of this step")).toBe("10 s left of this step");
});

/** Returns the lines of a log while files of one size end at these seconds, of so many in all. */
function saidWhile(endSeconds: readonly number[], filesTotal: number): readonly string[] {
  const said: string[] = [];
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    said.push(String(chunk));
    done();
  };
  let nowMs = 5_000;
  const bar = createProgressBar(new Writable({ write }), {}, () => nowMs);
  for (const [index, seconds] of endSeconds.entries()) {
    nowMs = 5_000 + seconds * 1_000;
    const filesDone = index + 1;
    bar.show({ file: "a.jsonl", filesDone, filesTotal, workDone: filesDone, workTotal: filesTotal });
  }
  bar.stop();
  return said;
}

test.each([
  ["says nothing of a run that is shorter", [1, 5, 9.9], 3, []],
  ["has a line if ten seconds have gone", [4, 10], 4, ["plimsoll: replaying: 2 of 4 files, 10 s, 10 s left\n"]],
  [
    "has the next ten seconds behind it",
    [12, 21, 22, 25],
    5,
    ["plimsoll: replaying: 1 of 5 files, 12 s, 48 s left\n", "plimsoll: replaying: 3 of 5 files, 22 s, 15 s left\n"],
  ],
  ["tells minutes, and groups large counts", [120], 1_369, ["plimsoll: replaying: 1 of 1,369 files, 2 min, 2736 min left\n"]],
  ["tells one file as one", [30], 1, ["plimsoll: replaying: 1 of 1 file, 30 s, 0 s left\n"]],
])("a log %s", (_, endSeconds, filesTotal, lines) => {
  expect(saidWhile(endSeconds, filesTotal)).toEqual(lines);
});

test("a log has a line every ten seconds while one long session is replayed", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const said: string[] = [];
  const output = Object.assign(new Writable(), { write: (text: string) => said.push(text) > 0 });
  const bar = createProgressBar(output, {}, () => Date.now());
  bar.show({ file: "a.jsonl", filesDone: 0, filesTotal: 1, workDone: 0, workTotal: 1 });
  vi.advanceTimersByTime(25_000);
  bar.stop();
  vi.advanceTimersByTime(60_000);
  expect(said).toEqual(["plimsoll: replaying: 0 of 1 file, 10 s\n", "plimsoll: replaying: 0 of 1 file, 20 s\n"]);
});
