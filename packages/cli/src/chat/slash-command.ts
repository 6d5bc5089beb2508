import { sizeOf, suggestion } from "@plimsoll/core/extend";

/** The request in a line that a person typed. */
export type ChatLine =
  | { readonly kind: "message"; readonly text: string }
  | { readonly kind: "compact"; readonly keepTokens: number | null; readonly focus: string | null }
  | { readonly kind: "undo" | "context" | "help" | "quit" | "empty" }
  | { readonly kind: "model" | "policy" | "export" | "mode" | "allow"; readonly argument: string | null }
  | { readonly kind: "wrong"; readonly why: string };

/** The help for lines of a chat. */
export const CHAT_HELP: string = [
  "/compact [--keep tokens] [focus]  compact now; how much to keep word for word,",
  "                                  and the subject of the summary",
  "/undo                             undo the newest compaction",
  "/context                          contents of the window, by kind and tool",
  "/model [model]                    show or switch the model",
  "/policy [name]                    show the policy, or how to switch to another",
  "/export [file]                    write the context as JSON",
  "/mode [ask|read-only]             ask before commands and changes, or refuse",
  "/allow [rule]                     allow without asking: commands, writes,",
  "                                  command:LINE, tool:NAME or all",
  "/help                             this list",
  "/quit                             leave; the session can be resumed",
  "Ctrl-C ends the run; at the prompt, ends the chat. A line typed during a run",
  "reaches its next step. // begins a message with a slash.",
].join("\n");

const WITH_ARGUMENT = ["model", "policy", "export", "mode", "allow"] as const;
const ALONE = ["undo", "context", "help", "quit"] as const;
const COMMANDS: readonly string[] = ["compact", ...WITH_ARGUMENT, ...ALONE];

/** Reads one line. A line that begins with `//` is a message with one slash. */
export function chatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === "") return { kind: "empty" };
  if (text.startsWith("//")) return { kind: "message", text: text.slice(1) };
  if (!text.startsWith("/")) return { kind: "message", text };
  const [word = "", ...rest] = text.slice(1).split(/\s+/);
  // To the letter: a command that is allowed may hold blanks in a row.
  const argument = rest.length === 0 ? null : text.slice(word.length + 1).trim();
  if (word === "compact") return compactLine(rest);
  if (word === "exit") return { kind: "quit" };
  const alone = ALONE.find((kind) => kind === word);
  if (alone !== undefined) return { kind: alone };
  const withArgument = WITH_ARGUMENT.find((kind) => kind === word);
  if (withArgument !== undefined) return { kind: withArgument, argument };
  const others = "/help lists the commands; // begins a message with a slash.";
  return {
    kind: "wrong",
    why: `There is no /${word}. ${suggestion(word, COMMANDS, others).replace("did you mean ", "Did you mean /")}`,
  };
}

function compactLine(words: readonly string[]): ChatLine {
  const [flag, size, ...others] = words;
  const isKeep = flag === "--keep";
  const focus = (isKeep ? others : words).join(" ");
  const tokens = isKeep ? sizeOf(size ?? "") : null;
  if (isKeep && tokens === null) return { kind: "wrong", why: "/compact --keep takes a number of tokens, such as 8000 or 8k." };
  if (flag?.startsWith("-") === true && !isKeep) return { kind: "wrong", why: `/compact knows only --keep, not ${flag}.` };
  return { kind: "compact", keepTokens: tokens, focus: focus === "" ? null : focus };
}
