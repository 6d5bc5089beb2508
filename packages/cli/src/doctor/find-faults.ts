import { isNestedDeeper, isRecord, jsonIn } from "@plimsoll/core/extend";
import { type Fault, mendItems } from "@plimsoll/providers/proxy";

/** A log that was looked at: its faults, and the text without them. */
export interface Examined {
  readonly faults: readonly Fault[];
  /** `null` if nothing was wrong. Lines that nothing was done to are the same bytes. */
  readonly mended: string | null;
}

interface Unit {
  readonly line: number;
  readonly text: string;
  readonly value: unknown;
}

interface Place {
  readonly key: string | null;
  readonly types: readonly string[] | null;
}

/** The place of the sent content in a line of each agent's log; lines of other types are the agent's own. */
const LINES: Readonly<Record<string, Place>> = {
  "claude-code": { key: "message", types: ["user", "assistant"] },
  "qwen-code": { key: "message", types: null },
  pi: { key: "message", types: ["message"] },
  codex: { key: "payload", types: ["response_item"] },
};

/** Gemini CLI's newer logs: lines that are messages. */
const RECORDS: Place = { key: null, types: ["user", "gemini"] };

const DOCUMENTS = /^(?:gemini-cli|opencode|cline|roo-code|anthropic-messages|openai-chat|openai-responses)$/;

/** Formats whose thinking goes to Anthropic as it is: without a signature it is refused there. */
const SIGNED: readonly string[] = ["claude-code", "anthropic-messages", "cline", "roo-code"];

/** True for a log that can be mended. OpenCode's older sessions cannot: their messages are files of their own. */
export function canMend(text: string, format: string): boolean {
  const isParted = format === "opencode" && isRecord(jsonIn(text)) && !/"messages"\s*:\s*\[/.test(text);
  return !isParted && (format in LINES || DOCUMENTS.test(format));
}

/** Examines the text of a log of a format that can be mended. */
export function examineLog(text: string, format: string, { thinking }: { readonly thinking: "keep" | "leave-out" }): Examined {
  const place = LINES[format] ?? (format === "gemini-cli" && isOnLines(text) ? RECORDS : undefined);
  const rules: Parameters<typeof mendItems>[2] = {
    thinking,
    unsigned: SIGNED.includes(format) ? "refused" : "accepted",
    empty: place === undefined ? "refused" : "accepted",
    images: format === "gemini-cli" ? "any" : "limited",
  };
  if (place === undefined) return examineDocument(text, rules);
  const pieces = text.split("\n");
  const units = pieces.flatMap((piece, index): readonly Unit[] =>
    piece.trim() === "" ? [] : [{ line: index + 1, text: piece, value: jsonIn(piece) }],
  );
  const faults: Fault[] = [];
  const sound = units.filter((unit, index) => {
    if (unit.value !== undefined) return true;
    const words = index === units.length - 1 ? CUT_OFF : NO_JSON;
    faults.push({ line: unit.line, words: isNestedDeeper(unit.text) ? NESTED_TOO_DEEP : words });
    return false;
  });
  const once = place === RECORDS ? withoutStoredTwice(sound, faults) : withoutRepeats(sound, faults);
  const kept = withoutFailedSummaries(once, faults);
  const sent = sentLines(kept);
  const living = place === RECORDS ? livingLines(kept) : null;
  const rootOf = ({ line, value }: Unit) => {
    if (living !== null) return living.has(line) ? value : undefined;
    if (!isRecord(value) || place.key === null || place.types?.includes(String(value.type)) === false) return undefined;
    const root = value[place.key];
    // Agents keep replies that failed or were stopped, and do not send them.
    return isRecord(root) && (root.stopReason === "aborted" || root.stopReason === "error") ? undefined : root;
  };
  const mend = mendItems(
    kept.map((unit) => ({ line: unit.line, root: rootOf(unit), order: sent.get(unit.line) ?? null })),
    faults,
    rules,
  );
  const made = new Map(
    kept.flatMap((unit, index) => {
      const root = rootOf(unit);
      const next = mend(index);
      if (next === null && root !== null) return [];
      const changed = place.key === null || !isRecord(unit.value) ? next : { ...unit.value, [place.key]: next };
      return [[unit.line, textWith(unit, next === root ? unit.value : changed, faults)] as const];
    }),
  );
  if (faults.length === 0) return { faults, mended: null };
  const lines = pieces.flatMap((piece, index) => (piece.trim() === "" ? [piece] : (made.get(index + 1) ?? [])));
  return { faults: byLine(faults), mended: lines.join("\n") };
}

const NESTED_TOO_DEEP = "JSON that is nested too deeply to read";
const [CUT_OFF, NO_JSON] = ["the last line is cut off", "this line is not JSON"];
const CUT_OFF_DOCUMENT = "the file's JSON is cut off and cannot be repaired here";

function examineDocument(text: string, rules: Parameters<typeof mendItems>[2]): Examined {
  const whole = jsonIn(text);
  const faults: Fault[] = [];
  const lines = whole === undefined && isOnLines(text) ? text.trimEnd().split("\n") : [];
  const read = lines.flatMap((line, at) => {
    const item = jsonIn(line);
    if (item === undefined) faults.push({ line: at + 1, words: at === lines.length - 1 ? CUT_OFF : NO_JSON });
    return item === undefined ? [] : [item];
  });
  const value = lines.length > 0 ? read : whole;
  if (value === undefined)
    return { faults: [{ line: 1, words: isNestedDeeper(text) ? NESTED_TOO_DEEP : CUT_OFF_DOCUMENT }], mended: null };
  const list = Array.isArray(value) ? value : isRecord(value) && Array.isArray(value.messages) ? value.messages : [value];
  const mend = mendItems(
    list.map((root: unknown, index) => ({ line: index + 1, root, order: index })),
    faults,
    rules,
  );
  const made = list.flatMap((root, index) => (mend(index) === null && root !== null ? [] : [mend(index)]));
  const next = Array.isArray(value)
    ? made
    : isRecord(value) && Array.isArray(value.messages)
      ? { ...value, messages: made }
      : made[0];
  const indent = /^[[{]\r?\n([ \t]+)/.exec(text)?.[1] ?? "";
  const isSame =
    made.length === list.length && read.length === lines.length && made.every((each, index) => each === list[index]);
  const json = lines.length > 0 ? made.map((each) => JSON.stringify(each)).join("\n") : JSON.stringify(next, null, indent);
  const written = isSame ? text : `${json}${text.endsWith("\n") ? "\n" : ""}`;
  const mended = wellFormedText(written);
  if (mended !== written) faults.push({ line: 1, words: "half a character, which vendors refuse" });
  return { faults: byLine(faults), mended: faults.length === 0 ? null : mended };
}

/** Lines of Gemini CLI's that it goes on with: the last of each message, none that was taken back, none before a history that took their place. */
function livingLines(units: readonly Unit[]): ReadonlySet<number> {
  const lines = new Map<unknown, number>();
  const order: unknown[] = [];
  for (const { line, value } of units) {
    if (!isRecord(value)) continue;
    const { $rewindTo: rewound, $set: set, id, type } = value;
    if (typeof rewound === "string") {
      while (order.length > 0 && order.at(-1) !== rewound) lines.delete(order.pop());
      lines.delete(order.pop());
    }
    const isHistory = isRecord(set) && Array.isArray(set.messages);
    if (isHistory) for (const each of order.splice(0)) lines.delete(each);
    if (!isHistory && RECORDS.types?.includes(String(type)) !== true) continue;
    if (!lines.has(id ?? "history")) order.push(id ?? "history");
    lines.set(id ?? "history", line);
  }
  return new Set(lines.values());
}

/** Gemini CLI 0.61 stores each result in its call and as a message of its own, and sends both when it goes on: leaves the messages out. */
function withoutStoredTwice(units: readonly Unit[], faults: Fault[]): readonly Unit[] {
  const listed = (value: unknown, key: string) =>
    isRecord(value) && Array.isArray(value[key]) ? value[key].filter(isRecord) : [];
  const answered = new Set(
    units.flatMap(({ value }) => listed(value, "toolCalls").flatMap((call) => (Array.isArray(call.result) ? [call.id] : []))),
  );
  return units.filter(({ line, value }) => {
    const ids = listed(value, "content").map((part) => (isRecord(part.functionResponse) ? part.functionResponse.id : null));
    const isAgain = ids.length > 0 && ids.every((id) => answered.has(id));
    if (isAgain) faults.push({ line, words: "this result occurs twice" });
    return !isAgain;
  });
}

function isOnLines(text: string): boolean {
  const first = jsonIn(text.split("\n", 1)[0] ?? "");
  return isRecord(first) && !Array.isArray(first.messages);
}

function byLine(faults: readonly Fault[]): readonly Fault[] {
  return [...faults].sort((a, b) => a.line - b.line);
}

/** An escaped backslash, a whole pair, or half of one: the leftmost is taken first. */
const ESCAPES = /\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(\\ud[89a-f][0-9a-f]{2})/gi;

function wellFormedText(text: string): string {
  return text.replace(ESCAPES, (found, half: string | undefined) => (half === undefined ? found : "\\ufffd")).toWellFormed();
}

/** The line's own text if nothing changed, with half characters mended. */
function textWith(unit: Unit, value: unknown, faults: Fault[]): string {
  const text = value === unit.value ? unit.text : JSON.stringify(value);
  const whole = wellFormedText(text);
  if (whole !== text) faults.push({ line: unit.line, words: "half a character, which vendors refuse" });
  return whole;
}

/** The lines that the agent would go on with, with their order: those above the newest one in a tree of lines, in any order in the file, else all. */
function sentLines(units: readonly Unit[]): ReadonlyMap<number, number> {
  const byId = new Map(
    units.flatMap(({ line, value }) => (isRecord(value) ? [[value.uuid ?? value.id, { line, value }] as const] : [])),
  );
  const newest = units.findLast(({ value }) => isRecord(value) && parentKeyOf(value) !== null && value.isSidechain !== true);
  if (newest === undefined) return new Map(units.map(({ line }) => [line, line]));
  const lines = new Map<number, number>();
  let at: Pick<Unit, "line" | "value"> | undefined = newest;
  while (at !== undefined && !lines.has(at.line)) {
    lines.set(at.line, -lines.size);
    const key: ReturnType<typeof parentKeyOf> = isRecord(at.value) ? parentKeyOf(at.value) : null;
    at = isRecord(at.value) && key !== null ? byId.get(at.value[key]) : undefined;
  }
  return lines;
}

/** The key under which a line of a tree names the line before it; `null` for a line of no tree. */
function parentKeyOf(value: Readonly<Record<string, unknown>>): "parentUuid" | "parentId" | null {
  return "parentUuid" in value ? "parentUuid" : "parentId" in value ? "parentId" : null;
}

/** Leaves out repetitions of lines under one id of their own. */
function withoutRepeats(units: readonly Unit[], faults: Fault[]): readonly Unit[] {
  const seen = new Set<string>();
  return units.filter(({ line, text, value }) => {
    const id = isRecord(value) ? (value.uuid ?? value.id) : undefined;
    if (typeof id !== "string") return true;
    const isAgain = seen.has(text);
    seen.add(text);
    if (isAgain) faults.push({ line, words: "this line occurs twice" });
    return !isAgain;
  });
}

/** Shorter than this no summary says anything; chosen. */
const LEAST_SUMMARY_CHARS = 20;
const FAILED = /^\s*(API Error|Error:|Prompt is too long|Request (timed out|was aborted)|Interrupted|Execution error)/i;

/** Takes back compactions whose summary is empty or an error: the covered messages are the history again. */
function withoutFailedSummaries(units: readonly Unit[], faults: Fault[]): readonly Unit[] {
  const parents = new Map<string, string | null>();
  const gone = new Set<number>();
  for (const [index, { line, value }] of units.entries()) {
    if (!isRecord(value)) continue;
    const summary = summaryIn(value);
    if (summary === null || (summary.trim().length >= LEAST_SUMMARY_CHARS && !FAILED.test(summary))) continue;
    faults.push({ line, words: "a compaction with a failed summary: the agent lost the history before it" });
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
function summaryIn(value: Readonly<Record<string, unknown>>): string | null {
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
