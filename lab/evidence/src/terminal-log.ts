/** One message of a recorded terminal. */
export interface TerminalMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** Columns of the terminal in which the runs of the leaderboard were recorded; longer lines were broken between words. */
const COLUMNS = 160;

/** Sequences that move the cursor or set a colour (ECMA-48), and those that set a title. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007]*\u0007/g;

/** The line that turns while a model is waited for: what was written over it ends with the last carriage return. */
const WAITING = /^.? ?Waiting for the LM to respond\.\.\./;

/** The line above a message: who speaks. */
const SPEAKER = /^(System|User|mini-swe-agent \(step \d+, \$[\d.]+\)):$/;

/** The end of the dialogue: the agent says where its trajectory went. */
const END = /^Saved trajectory to '/;

/**
 * Reads the dialogue that mini-swe-agent printed into a recorded terminal: whole, as far as it was printed. Lines that the terminal broke
 * between words are joined. Empty if the agent never came to a first step.
 */
export function terminalDialogue(log: string): readonly TerminalMessage[] {
  const messages: { role: TerminalMessage["role"]; lines: string[] }[] = [];
  for (const raw of log.split(/\r*\n/)) {
    const line = shownLine(raw);
    if (line === null) continue;
    const speaker = SPEAKER.exec(line)?.[1];
    if (speaker !== undefined) messages.push({ role: roleOf(speaker), lines: [] });
    else if (END.test(line)) break;
    else messages.at(-1)?.lines.push(line);
  }
  const found = messages.map(({ role, lines }) => ({ role, content: joined(lines).trim() }));
  return found.some(({ role }) => role === "assistant") ? found : [];
}

function roleOf(speaker: string): TerminalMessage["role"] {
  if (speaker === "System") return "system";
  return speaker === "User" ? "user" : "assistant";
}

/** The text of a line in the end; `null` for one of which nothing is left, and for the rule between messages. */
function shownLine(raw: string): string | null {
  const plain = raw.replace(CONTROLS, "");
  const parts = plain.split("\r").filter((part) => !WAITING.test(part));
  const line = parts.findLast((part) => part !== "") ?? (plain.includes("\r") ? null : "");
  return line === null || /^─{20,}$/.test(line) ? null : line;
}

/** Joins a line with the next if the next one's first word had no room on it: the terminal broke it. */
function joined(lines: readonly string[]): string {
  let text = "";
  let column = 0;
  for (const [place, line] of lines.entries()) {
    const [first = ""] = line.split(" ", 1);
    const isBroken = place > 0 && text.endsWith(" ") && first !== "" && column + first.length > COLUMNS;
    text = place === 0 || isBroken ? text + line : `${text}\n${line}`;
    column = line.length;
  }
  return text;
}
