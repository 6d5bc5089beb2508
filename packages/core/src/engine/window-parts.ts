import type { Overhead } from "../tokens/estimator.ts";
import type { MessageMeasure } from "../tokens/measure.ts";
import type { ToolSpec } from "../tool.ts";

/**
 * One thing that is sent with every request, so that no cut takes it: the tools of one server, one file of instructions, the rest of the system text, dynamic
 * context, or tokens that the provider reports and the log does not show.
 */
export interface WindowPart {
  readonly what: "tools" | "instructions" | "system" | "dynamic-context" | "not-in-log";
  /** The server of the tools (`null` for the agent's own), or the file of the instructions. */
  readonly name: string | null;
  /** The number of tools; 0 for other parts. */
  readonly toolCount: number;
  /** About this many tokens: the estimate, scaled to the report. */
  readonly tokens: number;
}

/** Where less than this share of the overhead is missing in the estimate, the estimate is off; more of it is not in the log. Chosen. */
const ESTIMATE_ERROR_RATIO = 0.1;

/** Everything that is sent with the messages, in parts that add up to about `overheadTokens`, largest first. */
export function windowParts(
  { system, tools, dynamicContext }: Overhead,
  measure: Pick<MessageMeasure, "textTokens" | "toolsTokens">,
  overheadTokens: number,
): readonly WindowPart[] {
  const { files, rest } = instructionFiles(system);
  const estimated: readonly WindowPart[] = [
    ...toolsByServer(tools).map(([name, own]) => {
      return { ...textPart("tools", name, measure.toolsTokens(own)), toolCount: own.length };
    }),
    ...files.map(({ name, text }) => textPart("instructions", name, measure.textTokens(text))),
    textPart("system", null, measure.textTokens(rest)),
    textPart("dynamic-context", null, dynamicContext === null ? 0 : measure.textTokens(dynamicContext)),
  ];
  const sumTokens = estimated.reduce((sum, { tokens }) => sum + tokens, 0);
  const unseenTokens = overheadTokens - sumTokens;
  const isUnseen = unseenTokens > overheadTokens * ESTIMATE_ERROR_RATIO;
  const scale = isUnseen || sumTokens === 0 ? 1 : overheadTokens / sumTokens;
  const parts = [
    ...estimated.map((part) => ({ ...part, tokens: Math.round(part.tokens * scale) })),
    textPart("not-in-log", null, isUnseen ? Math.round(unseenTokens) : 0),
  ];
  return parts.filter(({ tokens }) => tokens > 0).sort((a, b) => b.tokens - a.tokens);
}

const textPart = (what: WindowPart["what"], name: string | null, tokens: number) => ({ what, name, toolCount: 0, tokens });

/** The separator between a server's name and a tool's: two underscores (Claude Code, Codex, Gemini CLI, after `mcp__`), a dot, a slash or a colon. */
const QUALIFIED = /^(?:mcp__)?(.+?)(?:__|[./:])./;

/** A server with fewer tools looks like a tool of two words, if one underscore or hyphen separates them (OpenCode, LangChain). Chosen. */
const LEAST_SHARED_PREFIX = 4;

function toolsByServer(tools: readonly ToolSpec[]): readonly (readonly [string | null, readonly ToolSpec[]])[] {
  const prefixes = groupedBy(tools, ({ name }) => prefixOf(name));
  const groupOf = ({ name }: ToolSpec): string | null => {
    const prefix = prefixOf(name);
    const isShared = prefix !== null && (prefixes.get(prefix)?.length ?? 0) >= LEAST_SHARED_PREFIX;
    return serverOf(name) ?? (isShared ? `${prefix}*` : null);
  };
  return [...groupedBy(tools, groupOf)];
}

/** The MCP server in a tool's name, as in `mcp__github__get_issue`; `null` if the name has none. */
export const serverOf = (toolName: string): string | null => QUALIFIED.exec(toolName)?.[1] ?? null;

const prefixOf = (name: string): string | null => /^[^_-]+[_-]/.exec(name)?.[0] ?? null;

function groupedBy<Key>(tools: readonly ToolSpec[], keyOf: (tool: ToolSpec) => Key): ReadonlyMap<Key, readonly ToolSpec[]> {
  const groups = new Map<Key, ToolSpec[]>();
  for (const tool of tools) groups.set(keyOf(tool), [...(groups.get(keyOf(tool)) ?? []), tool]);
  return groups;
}

/** A line that says where the text below it was read from: a heading, a tag, or a label with a colon, with a path to a document in it. */
const FILE_LINE = /^\s*(?:#{1,6}\s|<|[A-Z*`])[^\n]*?([^\s"'`<>()[\]=:]*[^\s"'`<>()[\]=:./]\.(?:mdc?|mdx|txt|rst))(?![\w/.])/;

const DOCUMENT = /\.(?:mdc?|mdx|txt|rst)(?![\w/.])/;

/** The tag that ends an element. */
const CLOSING_TAG = /<\/[A-Za-z][\w:-]*>/g;

/** Longer lines are prose. Chosen. */
const LONGEST_FILE_LINE_CHARS = 300;

/**
 * The files that a system text holds, and the rest of it. A file goes from the line that names it to the tag that closes that line's tag, or else to the next
 * line of the kind, or the end. A heading below another file's tag, label or heading is that file's own.
 */
function instructionFiles(system: string) {
  const files: OpenFile[] = [];
  const rest: string[] = [];
  let open: OpenFile | null = null;
  const lines = system.split("\n");
  const lastEnds = new Map(lines.flatMap((line, at) => [...line.matchAll(CLOSING_TAG)].map(([tag]) => [tag, at] as const)));
  for (const [at, line] of lines.entries()) {
    const marked: FileBeginning | null = open === null || open.end === null ? fileBegun(line) : null;
    const isClosed = (lastEnds.get(marked?.end ?? "") ?? 0) > at;
    const begun: FileBeginning | null = marked === null || isClosed ? marked : { ...marked, end: null };
    if (begun !== null && (begun.level <= 1 || open === null || begun.level <= open.level)) {
      const file: OpenFile = { ...begun, lines: [line] };
      files.push(file);
      open = file;
    } else if (open !== null) {
      open.lines.push(line);
      if (open.end !== null && line.includes(open.end)) open = null;
    } else rest.push(line);
  }
  return { files: files.map(({ name, lines }) => ({ name, text: lines.join("\n") })), rest: rest.join("\n") };
}

/** Where a file begins; `end` closes its tag, if that is how it is marked, and `level` is that of its heading, 0 if it has none. */
interface FileBeginning {
  readonly name: string;
  readonly level: number;
  readonly end: string | null;
}

interface OpenFile extends FileBeginning {
  readonly lines: string[];
}

/** Reads the name of the file of the text below from a line that states it; `null` if it states none. */
export function fileBegun(line: string): FileBeginning | null {
  const isShort = line.length <= LONGEST_FILE_LINE_CHARS && DOCUMENT.test(line);
  const name = isShort ? FILE_LINE.exec(line)?.[1] : undefined;
  if (name === undefined) return null;
  const tag = /^\s*<([A-Za-z][\w:-]*)(?=[\s>])/.exec(line)?.[1];
  if (tag !== undefined)
    return /\/>\s*$/.test(line) || line.includes(`</${tag}>`) ? null : { name, level: 0, end: `</${tag}>` };
  const level = /^\s*(#*)/.exec(line)?.[1]?.length ?? 0;
  const isLabel = level === 1 || /^\s*#+\s+\S+\s*$|[:*`)]\s*$|:\s+\S+$/.test(line);
  return isLabel ? { name, level, end: null } : null;
}
