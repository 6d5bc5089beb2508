import { lastErrors } from "../facts/errors.ts";
import type { Facts } from "../facts/facts.ts";
import { fileOperations } from "../facts/file-operations.ts";
import { textOf } from "../message/message.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";

/** How facts are written into the context beside a summary or notice. */
export const FACTS_TEXT = { id: "facts", version: 1 } as const;

/** What else the caller wants to survive: instructions that are pinned, and the live state of todo lists and sub-agents. */
export interface KeptState {
  readonly pinned: readonly string[];
  readonly state: readonly { readonly title: string; readonly text: string }[];
}

/** Nothing pinned, no live state. */
export const NO_KEPT_STATE: KeptState = { pinned: [], state: [] };

/** Shares of the room that pinned instructions leave, in the order in which they are written; chosen. What one does not use is left to the next. */
const SHARES = [
  { of: "first-human", ratio: 0.3 },
  { of: "state", ratio: 0.25 },
  { of: "files", ratio: 0.3 },
  { of: "errors", ratio: 0.15 },
] as const;

/**
 * The facts as text of at most `maximumChars`, or `null` where there are none. Quoted text is fenced as data. Pinned
 * instructions come first and may take all of it; the rest shares what they leave. The newest files and errors are kept where not all
 * fit, with a count of the others.
 */
export function factsText(facts: Facts, kept: KeptState, maximumChars: number): string | null {
  const pinned = fenced("pinned-instructions", kept.pinned, maximumChars);
  const blocks = pinned === "" ? [] : [pinned];
  const sharedChars = Math.max(0, maximumChars - (pinned === "" ? 0 : pinned.length + 2));
  let spareChars = 0;
  for (const share of SHARES) {
    const roomChars = Math.floor(sharedChars * share.ratio) + spareChars;
    const block = blockFor(share.of, { facts, kept, roomChars });
    spareChars = roomChars - block.length - 2;
    if (block !== "") blocks.push(block);
  }
  return blocks.length === 0 ? null : blocks.join("\n\n");
}

interface BlockInput {
  readonly facts: Facts;
  readonly kept: KeptState;
  readonly roomChars: number;
}

function blockFor(kind: (typeof SHARES)[number]["of"], { facts, kept, roomChars }: BlockInput): string {
  switch (kind) {
    case "first-human":
      return facts.firstHuman === null || facts.firstHuman === facts.lastHuman
        ? ""
        : fenced("first-request", [textOf(facts.firstHuman)], roomChars);
    case "state":
      return kept.state
        .map(({ title, text }) => fenced(title, [text], Math.floor(roomChars / kept.state.length) - 1))
        .filter((block) => block !== "")
        .join("\n");
    case "files": {
      const files = [...fileOperations(facts.accesses)];
      const states = new Map(facts.tracked.map((file) => [file.path, file.state]));
      const line = (path: string) => [path, ...[states.get(path) ?? null].filter((state) => state !== null)].join(" ");
      const pathsOf = (access: "read" | "modify") => files.flatMap(([path, kind]) => (kind === access ? [line(path)] : []));
      const half = Math.floor(roomChars / 2) - 1;
      return [newestLines("modified-files", pathsOf("modify"), half), newestLines("read-files", pathsOf("read"), half)]
        .filter((block) => block !== "")
        .join("\n");
    }
    case "errors":
      return newestLines(
        "last-errors",
        lastErrors(facts.outcomes).map((error) => `${error.toolName} ${error.argumentsJson}: ${error.error}`),
        roomChars,
      );
    default:
      return kind satisfies never;
  }
}

/** Texts between tags, cut at the end where they do not fit. A closing tag inside the text cannot end the block early. */
function fenced(tag: string, texts: readonly string[], roomChars: number): string {
  const text = texts.join("\n").trim().split(`</${tag}`).join(`<\\/${tag}`);
  const frameChars = 2 * tag.length + 8;
  if (text === "" || roomChars <= frameChars) return "";
  const end = characterBoundaryAtOrBefore(text, roomChars - frameChars);
  const shown = end < text.length ? `${text.slice(0, characterBoundaryAtOrBefore(text, end - 1))}…` : text;
  return `<${tag}>\n${shown}\n</${tag}>`;
}

/** As many of the newest lines as fit between the tags, oldest first, with a count of those left out. */
function newestLines(tag: string, lines: readonly string[], roomChars: number): string {
  const countChars = 40;
  let usedChars = 2 * tag.length + 8 + countChars;
  let start = lines.length;
  while (start > 0) {
    const line = lines[start - 1] ?? "";
    if (usedChars + line.length + 1 > roomChars) break;
    usedChars += line.length + 1;
    start -= 1;
  }
  if (start === lines.length) return "";
  const shown = start > 0 ? [`(${start} earlier not shown)`, ...lines.slice(start)] : lines;
  return fenced(tag, shown, roomChars);
}
