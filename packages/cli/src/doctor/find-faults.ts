import { isRecord } from "@plimsoll/core/internal";
import type { Fields, LogNode } from "./log-nodes.ts";
import { changedNodes, logNode } from "./log-nodes.ts";

/** Something that makes a session unusable, or that may. */
export interface Fault {
  /** From 1; in a document of one value, the number of the message. */
  readonly line: number;
  readonly words: string;
}

/** A log that was looked at: its faults, and the text without them. */
export interface Examined {
  readonly faults: readonly Fault[];
  /** `null` if nothing was wrong. Lines that nothing was done to are the same bytes. */
  readonly mended: string | null;
}

/** Anthropic takes pictures of at most 5 MB and 8,000 pixels a side: platform.claude.com, Vision, read in November 2026. */
const MOST_IMAGE_BYTES = 5 * 1024 * 1024;
const MOST_IMAGE_PIXELS = 8_000;

/** A line of a log, or a message of a document. */
interface Unit {
  readonly line: number;
  readonly text: string;
  /** `undefined` for text that is no JSON. */
  readonly value: unknown;
}

interface Place {
  readonly key: string;
  readonly types: readonly string[] | null;
}

/** Where a line of each agent's log holds what is sent; lines of other types are the agent's own. */
const LINES: Readonly<Record<string, Place>> = {
  "claude-code": { key: "message", types: ["user", "assistant"] },
  "qwen-code": { key: "message", types: null },
  pi: { key: "message", types: ["message"] },
  codex: { key: "payload", types: ["response_item"] },
};

/** Formats of one JSON value, which are looked at message by message. */
const DOCUMENTS: readonly string[] = [
  "gemini-cli",
  "opencode",
  "cline",
  "roo-code",
  "anthropic-messages",
  "openai-chat",
  "openai-responses",
];

/** Formats whose thinking goes to Anthropic as it is: without a signature it is refused there. */
const SIGNED: readonly string[] = ["claude-code", "anthropic-messages", "cline", "roo-code"];

/** True for a format whose logs can be mended. */
export function canMend(format: string): boolean {
  return format in LINES || DOCUMENTS.includes(format);
}

/** Examines the text of a log of a format that can be mended. */
export function examineLog(text: string, format: string, { thinking }: { readonly thinking: "keep" | "leave-out" }): Examined {
  const place = LINES[format];
  const rules: Rules = {
    thinking,
    unsigned: SIGNED.includes(format) ? "refused" : "accepted",
    empty: place === undefined ? "refused" : "accepted",
  };
  if (place === undefined) return examineDocument(text, rules);
  const pieces = text.split("\n");
  const units = pieces.flatMap((piece, index): readonly Unit[] =>
    piece.trim() === "" ? [] : [{ line: index + 1, text: piece, value: parsed(piece) }],
  );
  const faults: Fault[] = [];
  const sound = units.filter((unit, index) => {
    if (unit.value !== undefined) return true;
    faults.push({ line: unit.line, words: index === units.length - 1 ? "the last line is cut off" : "this line is no JSON" });
    return false;
  });
  const kept = withoutFailedSummaries(withoutRepeats(sound, faults), faults);
  const sent = sentLines(kept);
  const rootOf = ({ value }: Unit) => {
    if (!isRecord(value) || place.types?.includes(String(value.type)) === false) return undefined;
    const root = value[place.key];
    // Agents keep replies that failed or were stopped, and do not send them.
    return isRecord(root) && (root.stopReason === "aborted" || root.stopReason === "error") ? undefined : root;
  };
  const mend = mender(
    kept.map((unit) => ({ line: unit.line, root: rootOf(unit), order: sent.get(unit.line) ?? null })),
    faults,
    rules,
  );
  const made = new Map(
    kept.map((unit, index) => {
      const root = rootOf(unit);
      const next = mend(index);
      const value = next === root || !isRecord(unit.value) ? unit.value : { ...unit.value, [place.key]: next };
      return [unit.line, textWith(unit, value, faults)] as const;
    }),
  );
  if (faults.length === 0) return { faults, mended: null };
  const lines = pieces.flatMap((piece, index) => (piece.trim() === "" ? [piece] : (made.get(index + 1) ?? [])));
  return { faults: byLine(faults), mended: lines.join("\n") };
}

/** Which thinking leaves. */
interface Rules {
  readonly thinking: "keep" | "leave-out";
  readonly unsigned: "refused" | "accepted";
  /** Agents leave texts without a character out by themselves. */
  readonly empty: "refused" | "accepted";
}

function examineDocument(text: string, rules: Rules): Examined {
  const value = parsed(text);
  const faults: Fault[] = [];
  if (value === undefined)
    return {
      faults: [{ line: 1, words: "the file is no whole JSON: it was cut off, and cannot be mended here" }],
      mended: null,
    };
  const list = Array.isArray(value) ? value : isRecord(value) && Array.isArray(value.messages) ? value.messages : [value];
  const mend = mender(
    list.map((root: unknown, index) => ({ line: index + 1, root, order: index })),
    faults,
    rules,
  );
  const made = list.map((_, index) => mend(index));
  const next = Array.isArray(value)
    ? made
    : isRecord(value) && Array.isArray(value.messages)
      ? { ...value, messages: made }
      : made[0];
  const indent = /^[[{]\r?\n([ \t]+)/.exec(text)?.[1] ?? "";
  const isSame = made.every((each, index) => each === list[index]);
  const written = isSame ? text : `${JSON.stringify(next, null, indent)}${text.endsWith("\n") ? "\n" : ""}`;
  const mended = wellFormedText(written);
  if (mended !== written) faults.push({ line: 1, words: "half a character, which no vendor takes" });
  return { faults: byLine(faults), mended: faults.length === 0 ? null : mended };
}

function byLine(faults: readonly Fault[]): readonly Fault[] {
  return [...faults].sort((a, b) => a.line - b.line);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An escaped backslash, a whole pair, or half of one: what stands first is taken first. */
const ESCAPES = /\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(\\ud[89a-f][0-9a-f]{2})/gi;

function wellFormedText(text: string): string {
  return text.replace(ESCAPES, (found, half: string | undefined) => (half === undefined ? found : "\\ufffd")).toWellFormed();
}

/** The line's own text if nothing changed, with half characters mended. */
function textWith(unit: Unit, value: unknown, faults: Fault[]): string {
  const text = value === unit.value ? unit.text : JSON.stringify(value);
  const whole = wellFormedText(text);
  if (whole !== text) faults.push({ line: unit.line, words: "half a character, which no vendor takes" });
  return whole;
}

/** The lines that the agent would go on with, with their order: those above the newest one in a tree of lines, whatever their order in the file, else all. */
function sentLines(units: readonly Unit[]): ReadonlyMap<number, number> {
  const byId = new Map(
    units.flatMap(({ line, value }) => (isRecord(value) ? [[value.uuid ?? value.id, { line, value }] as const] : [])),
  );
  const newest = units.findLast(({ value }) => isRecord(value) && parentKeyOf(value) !== null && value.isSidechain !== true);
  if (newest === undefined) return new Map(units.map(({ line }) => [line, line]));
  const lines = new Map<number, number>();
  for (
    let at: { readonly line: number; readonly value: unknown } | undefined = newest;
    at !== undefined && !lines.has(at.line);
  ) {
    lines.set(at.line, -lines.size);
    const key: ReturnType<typeof parentKeyOf> = isRecord(at.value) ? parentKeyOf(at.value) : null;
    at = isRecord(at.value) && key !== null ? byId.get(at.value[key]) : undefined;
  }
  return lines;
}

/** The key under which a line of a tree names the line before it; `null` for a line of no tree. */
function parentKeyOf(value: Fields): "parentUuid" | "parentId" | null {
  return "parentUuid" in value ? "parentUuid" : "parentId" in value ? "parentId" : null;
}

/** Leaves out lines that stand there twice under one id of their own. */
function withoutRepeats(units: readonly Unit[], faults: Fault[]): readonly Unit[] {
  const seen = new Set<string>();
  return units.filter(({ line, text, value }) => {
    const id = isRecord(value) ? (value.uuid ?? value.id) : undefined;
    if (typeof id !== "string") return true;
    const isAgain = seen.has(text);
    seen.add(text);
    if (isAgain) faults.push({ line, words: "the same line stands there twice" });
    return !isAgain;
  });
}

/** Shorter than this no summary says anything; chosen. */
const LEAST_SUMMARY_CHARS = 20;
const FAILED = /^\s*(API Error|Error:|Prompt is too long|Request (timed out|was aborted)|Interrupted|Execution error)/i;

/** Takes back compactions whose summary is empty or an error: what they covered is the history again. */
function withoutFailedSummaries(units: readonly Unit[], faults: Fault[]): readonly Unit[] {
  const parents = new Map<string, string | null>();
  const gone = new Set<number>();
  for (const [index, { line, value }] of units.entries()) {
    if (!isRecord(value)) continue;
    const summary = summaryIn(value);
    if (summary === null || (summary.trim().length >= LEAST_SUMMARY_CHARS && !FAILED.test(summary))) continue;
    faults.push({ line, words: "a compaction whose summary failed: the history before it was lost to the agent" });
    const before = units[index - 1]?.value;
    const isBoundary = isRecord(before) && before.subtype === "compact_boundary";
    const above = isBoundary ? before : value;
    const parent = above.logicalParentUuid ?? above.parentUuid ?? above.parentId;
    for (const [at, each] of [[index, value], ...(isBoundary ? ([[index - 1, before]] as const) : [])] as const) {
      gone.add(at);
      const id = each.uuid ?? each.id;
      if (typeof id === "string") parents.set(id, typeof parent === "string" ? parent : null);
    }
  }
  return units.flatMap((unit, index) => {
    if (gone.has(index)) return [];
    if (!isRecord(unit.value)) return [unit];
    const key = parentKeyOf(unit.value);
    const parent = key === null ? null : unit.value[key];
    if (key === null || typeof parent !== "string" || !parents.has(parent)) return [unit];
    const value = { ...unit.value, [key]: parents.get(parent) };
    return [{ ...unit, value, text: JSON.stringify(value) }];
  });
}

/** The text of a compaction's summary; `null` for a line that is none. Codex compacts without one, too: then it brings the history itself. */
function summaryIn(value: Fields): string | null {
  if (value.isCompactSummary === true) return isRecord(value.message) ? textIn(value.message.content) : "";
  if (value.type === "compaction" && typeof value.summary === "string") return value.summary;
  const { payload } = value;
  if (value.type !== "compacted" || !isRecord(payload) || Array.isArray(payload.replacement_history)) return null;
  return typeof payload.message === "string" ? payload.message : "";
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content)
    ? content.map((each: unknown) => (isRecord(each) && typeof each.text === "string" ? each.text : "")).join("\n")
    : "";
}

interface Rooted {
  readonly line: number;
  readonly root: unknown;
  /** `null` for what stands beside the way to the newest line: one half of a pair may, as calls at once have their results there. */
  readonly order: number | null;
}

/** Finds what is wrong with the parts of all roots, and gives each root without it. */
function mender(roots: readonly Rooted[], faults: Fault[], { thinking, unsigned, empty }: Rules): (index: number) => unknown {
  const nodes: { readonly value: Fields; readonly node: LogNode; readonly line: number }[] = [];
  const beside = new Set<string>();
  for (const { line, root, order } of [...roots].sort((a, b) => (a.order ?? 0) - (b.order ?? 0)))
    changedNodes([root], (value) => {
      const node = logNode(value);
      if (node !== null && order !== null) nodes.push({ value, node, line });
      else if (node !== null) beside.add(`${node.kind} ${node.id}`);
      // In a result there may be pictures; in a call there is nothing else.
      return node?.kind === "call" ? value : undefined;
    });
  const changes = new Map<Fields, Fields | null>();
  const say = (line: number, words: string) => faults.push({ line, words });
  const open = new Map<string, (typeof nodes)[number]>();
  const renamed = new Map<string, string>();
  const answered = new Set<string>();
  for (const each of nodes) {
    const { value, node, line } = each;
    const { id } = node;
    if (node.kind === "call" && id !== null) {
      if (open.has(id) || answered.has(id)) {
        const other = `${id}_${line}`;
        say(line, `the id of this call of ${node.name} was used before`);
        renamed.set(id, other);
        changes.set(value, node.renamed(other));
        open.set(other, each);
      } else open.set(id, each);
    } else if (node.kind === "result" && id !== null && value.type !== "tool") {
      const now = renamed.get(id) ?? id;
      const isOpen = open.delete(now);
      if (!isOpen && !beside.has(`call ${now}`)) {
        say(line, answered.has(now) ? "this result stands there twice" : "this result has no call before it");
        changes.set(value, node.said(`(A result whose call is gone from the log: ${shownResult(value)})`));
      } else if (now !== id) changes.set(value, node.renamed(now));
      answered.add(now);
    } else if (node.kind === "thinking" && ((!node.isSigned && unsigned === "refused") || thinking === "leave-out")) {
      say(
        line,
        node.isSigned
          ? "thinking that may be signed for another beginning"
          : "thinking without a signature, which the vendor refuses",
      );
      changes.set(value, null);
    } else if (node.kind === "image") {
      const words = imageFault(node.data);
      if (words === null) continue;
      say(line, words);
      changes.set(value, node.said(`(${node.name === "" ? "a picture" : node.name}: ${words}; left out)`));
    } else if (node.kind === "empty" && empty === "refused") {
      say(line, "a text without a character, which the vendor refuses");
      changes.set(value, null);
    }
  }
  for (const { value, node, line } of open.values()) {
    if (beside.has(`result ${node.id}`)) continue;
    say(line, `this call of ${node.name === "" ? "a tool" : node.name} has no result`);
    changes.set(value, node.said(`(${node.name} was called and gave no result.)`));
  }
  return (index) => {
    const root = roots[index]?.root;
    const [made] = [changedNodes([root], (value) => changes.get(value))].flat();
    return made === undefined ? root : moved(made);
  };
}

/** Chat Completions keeps calls beside the content: one that became a text moves there. */
function moved(message: unknown): unknown {
  if (!isRecord(message) || !Array.isArray(message.tool_calls)) return message;
  const calls = message.tool_calls.filter((each: unknown) => isRecord(each) && each.type !== "text");
  if (calls.length === message.tool_calls.length) return message;
  const { tool_calls: all, ...rest } = message;
  const texts = textIn(all);
  const content = typeof message.content === "string" && message.content !== "" ? `${message.content}\n${texts}` : texts;
  return calls.length === 0 ? { ...rest, content } : { ...rest, content, tool_calls: calls };
}

const SHOWN_CHARS = 2_000;

function shownResult(value: Fields): string {
  const { content, output } = value;
  const response = isRecord(value.functionResponse) ? value.functionResponse.response : undefined;
  const text = textIn(content ?? output) || JSON.stringify(response ?? output ?? content ?? "");
  return text.slice(0, SHOWN_CHARS).toWellFormed();
}

function imageFault(data: string): string | null {
  const bytes = Math.floor((data.length * 3) / 4);
  if (bytes > MOST_IMAGE_BYTES) return `a picture of ${(bytes / 1024 / 1024).toFixed(1)} MB, more than vendors take`;
  const head = Buffer.from(data.slice(0, 64), "base64");
  if (head.toString("latin1", 1, 4) !== "PNG" || head.length < 24) return null;
  const pixels = Math.max(head.readUInt32BE(16), head.readUInt32BE(20));
  return pixels > MOST_IMAGE_PIXELS ? `a picture of ${pixels} pixels a side, more than vendors take` : null;
}
