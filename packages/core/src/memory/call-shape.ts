import { isRecord, jsonIn } from "../json.ts";
import type { OutputCategory, PathAccess } from "../tool.ts";
import { isToolScript, scriptArguments, scriptCalls } from "./script-calls.ts";

/** The arguments of a call, if they are an object. */
export type CallArguments = { readonly [key: string]: unknown } | null;

function stringAt(args: CallArguments, key: string): string | null {
  const value = args?.[key];
  return typeof value === "string" ? value : null;
}

/**
 * The work of a tool, as far as a replay needs it: `read` and `modify` name one file in their arguments, `patch` names files inside a patch text,
 * `search` gives matches, `command` runs something (and reads a file if that is all it does), `other` is none of these.
 */
type ToolKind = "read" | "modify" | "patch" | "search" | "command" | "other";

/** The kind of work that each tool of one agent does, by the tool's name. */
export type ToolTable = { readonly [toolName: string]: ToolKind };

/** The facts that are stored with a call and its result: how the output is cut, and which files the call touches. */
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
/** Keys of a file's new text, or of old and new text, by whichever name. */
const CHANGE_KEY =
  /^(?:(?:old|new)(?:_|[A-Z]).*|contents?|file_text|fileText|edits|patch|diff|insert_(?:text|line)|code_edit|replace(?:ment|_with)?)$/;

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

/**
 * Finds a call's files and the category of its output: by the agent's table if it knows the name, else by its arguments. A script that calls tools has the paths of all
 * its calls, and the category of its only one.
 */
export function toolShapeOf(table: ToolTable, toolName: string, args: CallArguments): ToolShape {
  const script = stringAt(args, "input") ?? stringAt(args, "code");
  // A patch may hold the text of a script.
  const inner = script === null || isPatch(script) ? [] : scriptCalls(script);
  if (inner.length > 0) {
    // A script that a script writes is not read: nothing runs it as one.
    const shapes = inner.map((call) => plainShapeOf(table, call.name, scriptArguments(call.args)));
    const [only] = shapes;
    const category = shapes.length === 1 ? (only?.category ?? "generic") : "generic";
    const paths = new Map(shapes.flatMap((shape) => shape.paths.map((access) => [`${access.access} ${access.path}`, access])));
    return { category, paths: [...paths.values()] };
  }
  return plainShapeOf(table, toolName, args);
}

/** Finds a call's files and the category of its output only from its arguments, as the model wrote them: JSON, or the text that a tool takes. */
export function callShape(toolName: string, argumentsJson: string): ToolShape {
  return toolShapeOf({}, toolName, argumentsOf(argumentsJson));
}

/** Describes a call: the command that it runs, of a script those of its calls, else its arguments unchanged. */
export function callWords({ argumentsJson }: { readonly argumentsJson: string }): string {
  const args = argumentsOf(argumentsJson);
  const script = stringAt(args, "input") ?? stringAt(args, "code");
  const inner = script === null || isPatch(script) ? [] : scriptCalls(script);
  if (inner.length === 0) return commandIn(args) ?? argumentsJson;
  return inner.map(({ name, args: own }) => commandIn(scriptArguments(own)) ?? `${name} ${JSON.stringify(own)}`).join(" && ");
}

function argumentsOf(argumentsJson: string): CallArguments {
  const parsed = jsonIn(argumentsJson);
  if (parsed !== undefined) return isRecord(parsed) ? parsed : null;
  // A patch or a script on its own; arguments that the model did not finish name no path.
  return isPatch(argumentsJson) || isToolScript(argumentsJson) ? { input: argumentsJson } : null;
}

function isPatch(text: string): boolean {
  return text.trimStart().startsWith("*** Begin Patch");
}

function plainShapeOf(table: ToolTable, toolName: string, args: CallArguments): ToolShape {
  const known = Object.hasOwn(table, toolName) ? table[toolName] : undefined;
  const read = known === undefined ? unwrapped(args) : args;
  const kind = known ?? kindOf(read);
  return { category: CATEGORY_OF_KIND[kind], paths: pathsOf(kind, read) };
}

/** Keys under which a call names several files: texts, or objects with a path. */
const LIST_KEYS = ["files", "paths", "file_paths", "filePaths"] as const;

/** The arguments, or the one object in them where they name nothing themselves: some wires put the call one level deeper. */
function unwrapped(args: CallArguments): CallArguments {
  if (args === null || kindOf(args) !== "other") return args;
  const objects = Object.values(args).filter(isRecord);
  const [only] = objects;
  return objects.length === 1 && only !== undefined && kindOf(only) !== "other" ? only : args;
}

function changes(args: CallArguments): boolean {
  for (const key in args) if (args[key] !== undefined && CHANGE_KEY.test(key)) return true;
  return false;
}

function kindOf(args: CallArguments): ToolKind {
  if (args === null) return "other";
  const has = (keys: readonly string[]) => keys.some((key) => args[key] !== undefined);
  if (has(PATH_KEYS)) {
    const command = stringAt(args, "command");
    if (command !== null && Object.hasOwn(EDITOR_COMMANDS, command)) return EDITOR_COMMANDS[command] ?? "other";
    if (changes(args)) return "modify";
    if (has(SEARCH_KEYS)) return "search";
    return has(COMMAND_KEYS) ? "command" : "read";
  }
  if (LIST_KEYS.some((key) => listedPaths(args[key]).length > 0)) return changes(args) ? "modify" : "read";
  if (has(["patch", "patchText"]) || isPatch(stringAt(args, "input") ?? "")) return "patch";
  if (has(COMMAND_KEYS)) return "command";
  return has(SEARCH_KEYS) ? "search" : "other";
}

function pathsOf(kind: ToolKind, args: CallArguments): readonly PathAccess[] {
  if (kind === "patch") return patchPaths(args);
  if (kind === "command") return [...new Set(filesShownBy(args))].map((path) => ({ path, access: "read" }));
  if (kind !== "read" && kind !== "modify") return [];
  // Beside a list of files, a path is the folder that they are looked for in.
  const listed = LIST_KEYS.flatMap((key) => listedPaths(args?.[key]));
  const named = listed.length > 0 ? listed : (namedPath(args) ?? []);
  return [...new Set([named].flat())].map((each) => ({ path: each, access: kind }));
}

function listedPaths(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown) =>
    typeof each === "string" ? [each] : (namedPath(isRecord(each) ? each : null) ?? []),
  );
}

function namedPath(args: CallArguments): string | undefined {
  for (const key of PATH_KEYS) if (stringAt(args, key)) return stringAt(args, key) ?? undefined;
  return undefined;
}

const PATCH_FILE_LINES = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "] as const;

function patchPaths(args: CallArguments): readonly PathAccess[] {
  const text = ["input", "patch", "patchText", "command"].map((key) => stringAt(args, key)).find((value) => value !== null);
  const paths = new Set<string>();
  for (const line of (text ?? "").split("\n")) {
    const opening = PATCH_FILE_LINES.find((prefix) => line.startsWith(prefix));
    if (opening !== undefined) paths.add(line.slice(opening.length).trim());
  }
  return [...paths].map((path) => ({ path, access: "modify" }));
}

/** Programs that show a file and change nothing. */
const READERS = new Set(["cat", "head", "tail", "sed", "nl", "less", "bat"]);

/** A command longer than this does more than to show a file; chosen. */
const LONGEST_COMMAND_CHARS = 400;

/**
 * The files that a shell command shows, as it writes them, if it does nothing else: each of its parts (parted by `&&`, `;` or a pipe) is a change
 * of folder or begins with a program that shows files, and `sed` prints ranges. Empty for any other command and for no command. Agents without a
 * tool for reading files read in this way.
 */
export function filesShownBy(args: { readonly [key: string]: unknown } | null): readonly string[] {
  const command = commandIn(args);
  if (command === null || command.length > LONGEST_COMMAND_CHARS || /[`$<>]/.test(command)) return [];
  const shown = command.split(/&&|;|\|/).map((part) => filesIn(part.trim().split(/\s+/)));
  return shown.includes(null) ? [] : shown.flatMap((files) => files ?? []);
}

function filesIn([program = "", ...words]: readonly string[]): readonly string[] | null {
  if (program === "cd") return [];
  if (!READERS.has(program)) return null;
  const texts = words.filter((word) => !word.startsWith("-")).map((word) => word.replace(/^['"]|['"]$/g, ""));
  if (program !== "sed") return texts.filter(isFileName);
  const [script = "", ...files] = texts;
  return words.includes("-n") && /^[\d,;p ]+$/.test(script) ? files.filter(isFileName) : null;
}

/** A name with a full stop or a folder; numbers of lines have none. */
function isFileName(word: string): boolean {
  return /[./]/.test(word);
}

/** The command of a call's arguments: a string, or a list whose last item is the command line of a shell. */
function commandIn(args: { readonly [key: string]: unknown } | null): string | null {
  const command = args?.command ?? args?.cmd ?? args?.script;
  if (typeof command === "string") return command;
  const last: unknown = Array.isArray(command) ? command.at(-1) : null;
  return typeof last === "string" ? last : null;
}
