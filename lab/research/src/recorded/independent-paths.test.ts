import { isRecord } from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import { allRecordedFiles, recordedTranscripts } from "./recorded-sessions.ts";

/**
 * A second program that finds the files of recorded calls, only from the schemas of their tools: it shares no code with the reader of paths. Tools
 * that search name the folder that they look in, which is no file; a command names its shown file if it does nothing else.
 */
const FILE_KEYS = ["path", "file_path", "filePath", "absolute_path", "notebook_path", "filename", "file"];
const SEARCHES = /^(grep|glob|list|ls|find_file|search\w*|grep_search|list_\w+|web_?search|tool_search_call)$/i;
const SHOWS = /^(?:cat|head -n \d+|tail -n \d+|sed -n '[\d,$]+p') ([\w./@+-]+\.\w+)$/;

function filesOf(toolName: string, argumentsJson: string): readonly string[] | null {
  const args: unknown = JSON.parse(argumentsJson);
  if (!isRecord(args)) return [];
  const command = args.cmd ?? args.command;
  if (typeof command === "string" && !FILE_KEYS.some((key) => key in args)) {
    const shown = SHOWS.exec(command)?.[1];
    return shown === undefined ? null : [shown];
  }
  const text = [args.input, args.patch, args.patchText].find((value) => typeof value === "string") ?? "";
  if (/^\s*\*\*\* Begin Patch/.test(text))
    return [...text.matchAll(/^\*\*\* (?:Update File|Add File|Delete File|Move to): (.+)$/gm)].map(([, path = ""]) =>
      path.trim(),
    );
  if (text !== "" || typeof args.code === "string") return null;
  if (SEARCHES.test(toolName)) return [];
  const listed = [args.files, args.paths].flatMap((list): readonly unknown[] => (Array.isArray(list) ? list : []));
  if (listed.length > 0) return listed.flatMap((each) => (typeof each === "string" ? [each] : []));
  return FILE_KEYS.map((key) => args[key]).filter((value): value is string => typeof value === "string" && value !== "");
}

/** A session names a file by its first spelling: the whole path, or the path from the session's folder. */
function areOneFile(left: string, right: string): boolean {
  const [short = "", long = ""] = [left, right]
    .map((path) => path.replace(/^(?:\.{1,2}\/)+/, ""))
    .toSorted((a, b) => a.length - b.length);
  return long === short || long.endsWith(`/${short}`);
}

const files = allRecordedFiles();

test.skipIf(files.length === 0)("a second program finds the same files in all recorded calls", async () => {
  const differing: string[] = [];
  let compared = 0;
  for (const { format, entries } of await recordedTranscripts(files))
    for (const entry of entries) {
      if (entry.type !== "message" || entry.message.role !== "assistant") continue;
      for (const part of entry.message.parts) {
        if (part.type !== "tool-call") continue;
        const own = filesOf(part.toolName, part.argumentsJson);
        if (own === null) continue;
        compared += 1;
        const [a, b] = [own, part.paths.map(({ path }) => path)].map((paths) => [...new Set(paths)]);
        const isSame = a?.length === b?.length && a?.every((path) => b?.some((other) => areOneFile(path, other)));
        if (isSame !== true) differing.push(`${format} ${part.toolName}: ${a?.join(" ")} | ${b?.join(" ")}`);
      }
    }
  expect(compared).toBeGreaterThan(1000);
  expect(differing).toEqual([]);
});
