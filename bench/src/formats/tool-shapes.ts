import type { OutputCategory, PathAccess } from "@plimsoll/core";
import { type Fields, stringAt } from "./fields.ts";
import { filesShownBy } from "./reading-commands.ts";

/**
 * What a tool does, as far as a replay needs it: `read` and `modify` name one file in their arguments, `patch` names files
 * inside a patch text, `search` gives matches, `command` runs something (and reads a file if that is all it does), `other` is none of these.
 */
export type ToolKind = "read" | "modify" | "patch" | "search" | "command" | "other";

/** The tools of one agent by name. */
export type ToolTable = { readonly [toolName: string]: ToolKind };

/** What is stored on a call and its result. */
export interface ToolShape {
  readonly category: OutputCategory;
  readonly paths: readonly PathAccess[];
}

const PATH_KEYS = [
  "path",
  "file_path",
  "filePath",
  "absolute_path",
  "notebook_path",
  "target_file",
  "file",
  "filename",
] as const;
const COMMAND_KEYS = ["command", "cmd", "script", "commands", "code"] as const;
const SEARCH_KEYS = ["pattern", "query", "regex", "glob", "search_term"] as const;
const CHANGE_KEYS = [
  ...["content", "contents", "file_text", "new_string", "newString", "old_string", "oldString", "new_str", "old_str"],
  ...["newText", "oldText", "new_source", "edits", "patch", "diff", "insert_text", "insert_line", "code_edit"],
] as const;

/** Subcommands of the editor tools that take a path beside a command: all but `view` change the file. */
const EDITOR_COMMANDS: { readonly [command: string]: ToolKind } = {
  view: "read",
  create: "modify",
  str_replace: "modify",
  insert: "modify",
  edit: "modify",
  undo_edit: "modify",
};

const CATEGORY_OF_KIND: { readonly [Kind in ToolKind]: OutputCategory } = {
  read: "file-content",
  modify: "generic",
  patch: "generic",
  search: "match-list",
  command: "head-tail",
  other: "generic",
};

/** The shape of a call: by the agent's table if it knows the name, else by which arguments it has. */
export function toolShapeOf(table: ToolTable, toolName: string, args: Fields | null): ToolShape {
  const known = Object.hasOwn(table, toolName) ? table[toolName] : undefined;
  const kind = known ?? kindByArguments(args);
  return { category: CATEGORY_OF_KIND[kind], paths: pathsOf(kind, args) };
}

function kindByArguments(args: Fields | null): ToolKind {
  if (args === null) return "other";
  const has = (keys: readonly string[]) => keys.some((key) => args[key] !== undefined);
  if (has(PATH_KEYS)) {
    const command = stringAt(args, "command");
    if (command !== null && Object.hasOwn(EDITOR_COMMANDS, command)) return EDITOR_COMMANDS[command] ?? "other";
    if (has(CHANGE_KEYS)) return "modify";
    if (has(SEARCH_KEYS)) return "search";
    return has(COMMAND_KEYS) ? "command" : "read";
  }
  if (has(["patch", "patchText"]) || stringAt(args, "input")?.startsWith("*** Begin Patch")) return "patch";
  if (has(COMMAND_KEYS)) return "command";
  return has(SEARCH_KEYS) ? "search" : "other";
}

function pathsOf(kind: ToolKind, args: Fields | null): readonly PathAccess[] {
  if (kind === "patch") return patchPaths(args);
  if (kind === "command") return [...new Set(filesShownBy(args))].map((path) => ({ path, access: "read" }));
  if (kind !== "read" && kind !== "modify") return [];
  const path = namedPath(args);
  return path === undefined ? [] : [{ path, access: kind }];
}

/** The path that an argument of a usual name gives, whatever the tool does with it. */
export function namedPath(args: Fields | null): string | undefined {
  return PATH_KEYS.flatMap((key) => stringAt(args, key) ?? []).find((value) => value !== "");
}

const PATCH_FILE_LINES = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "] as const;

/** The files that a patch in the `*** Begin Patch` form names, each once, in order. */
function patchPaths(args: Fields | null): readonly PathAccess[] {
  const text = ["input", "patch", "patchText", "command"].map((key) => stringAt(args, key)).find((value) => value !== null);
  const paths = new Set<string>();
  for (const line of (text ?? "").split("\n")) {
    const opening = PATCH_FILE_LINES.find((prefix) => line.startsWith(prefix));
    if (opening !== undefined) paths.add(line.slice(opening.length).trim());
  }
  return [...paths].map((path) => ({ path, access: "modify" }));
}
