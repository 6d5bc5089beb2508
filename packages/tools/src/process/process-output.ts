import type { ToolOutput } from "@plimsoll/core/agent";
import type { ProcessResult } from "./run-process.ts";

/** A program's end as a tool's output: what it printed, and how it ended if that was not with 0. */
export function processOutput(result: ProcessResult, timeoutMs: number): ToolOutput {
  const shown = result.isBinary ? `[binary output of ${result.totalBytes} bytes, not shown]` : result.text.trimEnd();
  const how = endOf(result, timeoutMs);
  const text = [shown, how].filter((line) => line !== "").join("\n");
  const isError = result.end !== "exited" || result.exitCode !== 0;
  return {
    text,
    isError,
    ...(result.handle === null ? {} : { hint: `${storedOf(result)}: read_artifact with handle ${result.handle}` }),
  };
}

function storedOf({ isStoredWhole, totalBytes }: ProcessResult): string {
  return isStoredWhole ? `all ${totalBytes} bytes` : `the beginning of ${totalBytes} bytes`;
}

const MS_PER_SECOND = 1_000;

function endOf({ end, exitCode, endSignal }: ProcessResult, timeoutMs: number): string {
  switch (end) {
    case "timed-out":
      return `[ended after ${timeoutMs / MS_PER_SECOND} s: it had not finished. Give a longer timeout, or run it in the background]`;
    case "cancelled":
      return "[cancelled]";
    case "not-started":
      return "[could not be started]";
    case "exited":
      if (endSignal !== null) return `[ended by ${endSignal}]`;
      return exitCode === 0 ? "" : `[exit code ${exitCode}]`;
    default:
      return end satisfies never;
  }
}

/** Words that `sh` takes as they are. A word with `=` is quoted: at the beginning of a line it would set a variable. */
const PLAIN_WORD = /^[A-Za-z0-9_@%+:,./-]+$/;

/** A program and its arguments as one command line for `sh` that runs just that. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (PLAIN_WORD.test(word) ? word : `'${word.split("'").join("'\\''")}'`)).join(" ");
}
