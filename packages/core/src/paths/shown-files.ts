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

/** The files that one part shows; `null` if it does anything else. */
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
