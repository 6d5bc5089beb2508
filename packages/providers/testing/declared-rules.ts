import { isRecord } from "@plimsoll/core/extend";
import { type Fields, piecesAt, recordsAt, stringAt } from "../src/fields.ts";

/** The wires whose requests are compared. */
export type ComparedWire = "messages" | "chat" | "responses";

/**
 * Compares a request with the agent's request that it was made of: the agent's system text, developer text and tools are in it, in their place, and no
 * role follows another that follows it nowhere in the agent's. Codex declares its tools in an item `additional_tools` and its instructions in developer
 * messages (openai/codex, `use_responses_lite`), so that items count as declarations, too.
 */
export function validateDeclared(wire: ComparedWire, agent: unknown, sent: unknown): readonly string[] {
  const [asked, made] = [readOf(wire, agent), readOf(wire, sent)];
  const violations: string[] = [];
  if (asked.opening !== made.opening) violations.push("declared-opening: system text or tools are not the agent's");
  let next = 0;
  for (const [index, text] of asked.declared.entries()) {
    const place = made.declared.indexOf(text, next);
    if (place < 0) violations.push(`declared-kept: declaration ${index} is missing or moved`);
    else next = place + 1;
  }
  const lead = asked.leading;
  if (made.leading < lead) violations.push(`declared-first: ${lead} declarations stand first, not ${made.leading}`);
  const known = new Set([...TURNS, ...(wire === "responses" ? REPLIES : []), ...pairsOf(asked.roles)]);
  for (const pair of new Set(pairsOf(made.roles)))
    if (!known.has(pair)) violations.push(`declared-order: the agent never sends ${pair}`);
  return violations;
}

/** Orders that every conversation may have. */
const TURNS = ["user, assistant", "user, call", "assistant, user", "call, result", "result, call", "result, assistant"];
/** Items of one reply on the Responses wire, which may be any number. */
const REPLIES = ["assistant, assistant", "assistant, call", "call, assistant"];

interface Declared {
  /** Declarations of the request beside its messages. */
  readonly opening: string;
  /** System and developer text, and tools that items add, in order. */
  readonly declared: readonly string[];
  /** How many of them come before anything else. */
  readonly leading: number;
  readonly roles: readonly string[];
}

const LIST_OF: Readonly<Record<ComparedWire, string>> = { messages: "messages", chat: "messages", responses: "input" };

function readOf(wire: ComparedWire, body: unknown): Declared {
  const items = recordsAt(body, LIST_OF[wire]);
  const isDeclaration = ({ role }: Fields) => role === "system" || role === "developer";
  const first = items.findIndex((item) => !isDeclaration(item));
  const beside = isRecord(body) ? body : {};
  return {
    opening: JSON.stringify(["system", "instructions", "tools"].map((name) => plain(beside[name] ?? null))),
    declared: items.filter(isDeclaration).flatMap(piecesOf),
    leading: first < 0 ? items.length : first,
    roles: items.filter((item) => !isDeclaration(item)).map(roleOf),
  };
}

/** Lists the declarations of one item, piece by piece: neighbours may be sent as one. */
function piecesOf(item: Fields): readonly string[] {
  const { content: _, tools: __, ...rest } = item;
  const pieces = [...piecesAt(item, "content"), ...recordsAt(item, "tools")];
  return pieces.map((piece) => JSON.stringify([plain(rest), plain(piece)]));
}

/** The speaker: on the Messages wire a user's results are a turn of their own kind. */
function roleOf(item: Fields): string {
  const [role, type] = [stringAt(item, "role") ?? "", stringAt(item, "type") ?? ""];
  if (role === "") return type.endsWith("_output") ? "result" : type === "reasoning" ? "" : "call";
  const holds = (kind: string) => recordsAt(item, "content").some((block) => block.type === kind);
  if (role === "tool" || (role === "user" && holds("tool_result"))) return "result";
  const calls = holds("tool_use") || recordsAt(item, "tool_calls").length > 0;
  return role === "assistant" && calls ? "call" : role;
}

/** Neighbours, calls and their results counted as one each: how many there are in a row is the model's to choose. */
function pairsOf(roles: readonly string[]): readonly string[] {
  const told = roles.filter((role) => role !== "");
  return told.slice(1).flatMap((role, index) => (isRun(told[index], role) ? [] : [`${told[index]}, ${role}`]));
}

function isRun(before: string | undefined, role: string): boolean {
  return before === role && role !== "user" && role !== "assistant";
}

/** A value without marks for the cache, a bare text as a list. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([name]) => name !== "cache_control" && name !== "type");
  return Object.fromEntries(
    entries.map(([name, inner]) => [name, name === "content" && typeof inner === "string" ? [{ text: inner }] : plain(inner)]),
  );
}
