import type { AgentTool } from "@plimsoll/core/extend";
import type { SimulatedReply, SimulatedRequest } from "@plimsoll/simulator";
import { parseRecord, stringAt } from "../src/fields.ts";
import { readingTool } from "./faulty-run.ts";

/** The one tool of every run of the matrix. */
export const READ_TOOL = {
  name: "read_file",
  description: "Reads a file of the project.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
} as const;

/** The path in a call's arguments, which may be JSON. */
export function pathIn(args: unknown): string {
  return stringAt(typeof args === "string" ? parseRecord(args) : args, "path") ?? "";
}

/** The tool in the form of an agent. */
export function readFileTool(textOf: (path: string) => string): AgentTool {
  const { name, description, parameters } = READ_TOOL;
  const tool = readingTool(name, async (args) => ({ text: textOf(pathIn(args)), isError: false }));
  return { ...tool, spec: { name, description, parametersJson: JSON.stringify(parameters) }, category: "file-content" };
}

export const SYSTEM = "You read files and say what is in them.";

/** Returns the person's message at the beginning of a turn. */
export function question(turn: number): string {
  return `Please read what part ${turn} needs.`;
}

/** Returns the agent's declaration at the beginning of a turn; `null` for none. */
export function declaration(turn: number): string | null {
  return turn % 2 === 1 ? `From turn ${turn} on only ${turn} files are read at once.` : null;
}

/** Replies a turn: seven with calls, one with words. */
const TURN_REPLIES = 8;

/** Every twentieth reply reads three large files at once. */
const isLarge = (replyIndex: number) => replyIndex % 20 === 5;

/** A script of many turns, with one to three calls a reply; with reasoning before each reply if `thinking` is "on". */
export function matrixScript(
  thinking: "on" | "off" | "bound",
): (request: Pick<SimulatedRequest, "replyIndex">) => SimulatedReply {
  return ({ replyIndex }) => {
    const reasoning = thinking !== "off" ? [{ type: "reasoning" as const, text: `Part ${replyIndex} needs a look.` }] : [];
    if (replyIndex % TURN_REPLIES === TURN_REPLIES - 1)
      return { parts: [...reasoning, { type: "text", text: `Part ${replyIndex} is read.` }] };
    const count = isLarge(replyIndex) ? 3 : 1 + (replyIndex % 3);
    const calls = Array.from({ length: count }, (_, index) => ({
      type: "tool-call" as const,
      toolName: READ_TOOL.name,
      argumentsJson: JSON.stringify({ path: `src/part-${replyIndex}-${index}.ts` }),
    }));
    return { parts: [...reasoning, { type: "text", text: `Reading part ${replyIndex}.` }, ...calls] };
  };
}

/** Size of a large file: three of them in one batch are more than the matrix's window. */
const LARGE_CHARS = 60_000;

/** Makes a file's text: nothing, some lines, 60 kB, or a text that ends in half a character. It depends only on the path. */
export function fileText(path: string): string {
  const [replyIndex = 0, call = 0] = Array.from(path.matchAll(/\d+/g), ([digits]) => Number(digits));
  if (isLarge(replyIndex)) return linesOf(path, LARGE_CHARS);
  if (replyIndex % 5 === 0) return "";
  const text = linesOf(path, 300 + ((replyIndex * 37 + call * 11) % 40) * 60);
  return replyIndex % 7 === 0 ? `${text}\ud83d` : text;
}

function linesOf(path: string, chars: number): string {
  const lines = Array.from({ length: Math.ceil(chars / 50) }, (_, line) => `${line}: const value = read("${path}", ${line});`);
  return lines.join("\n").slice(0, chars);
}
