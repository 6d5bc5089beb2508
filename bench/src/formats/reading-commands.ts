import { isRecord } from "@plimsoll/core/internal";

/** Programs that show a file and change nothing. */
const READERS = new Set(["cat", "head", "tail", "sed", "nl", "less", "bat"]);

/** A command longer than this does more than to show a file; chosen. */
const LONGEST_COMMAND_CHARS = 400;

/**
 * The files that a shell command shows, if it does nothing else: each part of it (parted by `&&`, `;` or a pipe) begins with a program that
 * shows files; what looks like an option, a number or a range is no file. Empty for any other command and for no command. Agents without a
 * tool for reading files read in this way.
 */
export function filesShownBy(argumentsJson: string): readonly string[] {
  const command = commandIn(argumentsJson);
  if (command === null || command.length > LONGEST_COMMAND_CHARS || /[`$<>]/.test(command)) return [];
  const parts = command.split(/&&|;|\|/).map((part) => part.trim());
  const shown = parts.map((part) => {
    const [program = "", ...words] = part.split(/\s+/);
    if (program === "cd") return [];
    const changes = program === "sed" && words.some((word) => word.startsWith("-i"));
    return READERS.has(program) && !changes ? words.filter(isFileName).map(withoutQuotes) : null;
  });
  const files = shown.flatMap((part) => part ?? []);
  return shown[0] === null || files.length === 0 ? [] : files;
}

function isFileName(word: string): boolean {
  return !word.startsWith("-") && /[./]/.test(word) && !/^['"]?[\d,$]+p?['"]?$/.test(word);
}

function withoutQuotes(word: string): string {
  return word.replace(/^['"]|['"]$/g, "");
}

/** The command of a call's arguments: a string, or a list whose last item is the command line of a shell. */
function commandIn(argumentsJson: string): string | null {
  const parsed = parsedOrNull(argumentsJson);
  if (!isRecord(parsed)) return null;
  const command = parsed.command ?? parsed.cmd ?? parsed.script;
  if (typeof command === "string") return command;
  const last: unknown = Array.isArray(command) ? command.at(-1) : null;
  return typeof last === "string" ? last : null;
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Arguments that a model cut off run nothing that could be told.
    return null;
  }
}
