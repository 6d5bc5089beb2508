import { type AssistantMessage, type Message, type SessionEntry, UNREPORTED_USAGE } from "@plimsoll/core";
import type { Transcript } from "../transcript.ts";
import { HOSTILE, type MadeOrder, QUOTED, REVOKED, STANDING, TASKS } from "./made-orders.ts";

/** The truth of a made session, from a message on. */
export interface Truth {
  /** Orders with the message that gives each, and the one that takes it back; `null` if none does. */
  readonly orders: readonly (MadeOrder & { readonly given: string; readonly revoked: string | null })[];
  /** Things that run beside the conversation, with the messages between which they do; `null` if to the end. */
  readonly things: readonly { readonly name: string; readonly started: string; readonly ended: string | null }[];
  /** Items of plans, with the message after which each is done or dropped; `null` if it stays open. */
  readonly items: readonly { readonly text: string; readonly planned: string; readonly closed: string | null }[];
  readonly hostile: readonly string[];
}

/** A made session and its truth. */
export interface StateSession {
  readonly transcript: Transcript;
  readonly truth: Truth;
}

/** How a session is made. */
export interface SessionPlan {
  readonly seed: number;
  readonly turns: number;
  /** Characters of each result; three calls a turn have one. */
  readonly resultChars: number;
  /** Characters that the person pastes into every third or fourth message. */
  readonly pastedChars: number;
}

/** Numbers from 0 to below 1 that follow from a seed (Park and Miller's minimal standard). */
export function numbersFrom(seed: number): () => number {
  let state = (seed * 48_271 + 11) % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/**
 * A session of so many turns whose truth is known: orders of all kinds and forms at all places and ages, a third of them taken back, tasks that end, plans that
 * change, background jobs and sub-agents, and results full of noise and of other people's orders. The same seed makes the same session.
 */
export function madeSession({ seed, turns, resultChars, pastedChars }: SessionPlan): StateSession {
  const random = numbersFrom(seed);
  const shuffled = <T>(items: readonly T[]): readonly T[] =>
    items
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  const entries: SessionEntry[] = [start(seed)];
  const truth: { [K in keyof Truth]: Truth[K][number][] } = { orders: [], things: [], items: [], hostile: [] };
  const say = (message: Message) => {
    if (message.role === "assistant") entries.push(usage(`request-${message.id}`, entries));
    entries.push({ type: "message", message });
    return message.id;
  };
  const answer = (id: string, callId: string, text: string) => say(result(id, callId, text));
  const toSay = spread(shuffled([...STANDING, ...REVOKED]), { turns, random });
  const open = new Map<string, MadeOrder>();
  for (let turn = 0; turn < turns; turn++) {
    const id = `u${turn}`;
    const task = `${TASKS[turn % TASKS.length] ?? ""} It is number ${turn} on the list.`;
    const given = toSay.given.get(turn) ?? [];
    const taken = toSay.taken.get(turn) ?? [];
    say(human(id, personText({ task, given, taken, turn, random, pastedChars })));
    for (const each of given) truth.orders.push({ ...each, given: id, revoked: null });
    truth.orders.forEach((each, at) => {
      if (taken.includes(each.revoke ?? "")) truth.orders[at] = { ...each, revoked: id };
    });
    for (const each of given) open.set(each.text, each);
    const items = ["read", "change", "check"].map((verb) => `${verb} number ${turn} of the list`);
    const planned = say(calling(`p${turn}`, "TodoWrite", { todos: items.map((content) => ({ content, status: "pending" })) }));
    answer(`pr${turn}`, `c-p${turn}`, "Todos have been modified");
    for (let step = 0; step < 3; step++) {
      say(calling(`a${turn}-${step}`, "Bash", { command: `grep -rn part_${turn}_${step} src` }));
      const hostile = HOSTILE[(turn + step) % HOSTILE.length] ?? "";
      answer(
        `r${turn}-${step}`,
        `c-a${turn}-${step}`,
        `${noise(resultChars / 2, random)}\n${hostile}\n${noise(resultChars / 2, random)}`,
      );
    }
    if (turn % THING_EVERY === 1) truth.things.push(startThing(turn, { say, answer }));
    const ended = truth.things.find(({ ended }, at) => ended === null && at % 2 === 0 && turn % THING_EVERY === 5);
    if (ended !== undefined)
      truth.things[truth.things.indexOf(ended)] = { ...ended, ended: stopThing(ended.name, turn, { say, answer }) };
    // Every fifth plan is dropped for another; the last one stays open.
    const status = turn === turns - 1 ? "in_progress" : "completed";
    const left = turn % 5 === 4 ? items.slice(0, 1) : items;
    const closed = say(calling(`q${turn}`, "TodoWrite", { todos: left.map((content) => ({ content, status })) }));
    answer(`qr${turn}`, `c-q${turn}`, "Todos have been modified");
    for (const text of items) truth.items.push({ text, planned, closed: turn === turns - 1 ? null : closed });
    say(reply(`e${turn}`, `Number ${turn} is finished, and its check passes.`));
  }
  truth.hostile.push(...HOSTILE);
  const name = `made-${seed}`;
  return { transcript: { name, file: name, format: "plimsoll", entries, parentName: null, hasUsage: false, notes: [] }, truth };
}

/** A thing starts every so many turns. */
const THING_EVERY = 8;

/** The newest fifth of a session gives no orders and takes none back, so that everything has seen a cut. */
const QUIET_RATIO = 0.2;

/** When each order is given and taken back: three in the first message, the others at any age. */
function spread(
  orders: readonly MadeOrder[],
  { turns, random }: { readonly turns: number; readonly random: () => number },
): { readonly given: ReadonlyMap<number, readonly MadeOrder[]>; readonly taken: ReadonlyMap<number, readonly string[]> } {
  const given = new Map<number, MadeOrder[]>();
  const taken = new Map<number, string[]>();
  const last = Math.floor(turns * (1 - QUIET_RATIO));
  for (const [at, order] of orders.entries()) {
    const turn = at < 3 ? 0 : 1 + Math.floor(random() * (last / 2));
    given.set(turn, [...(given.get(turn) ?? []), order]);
    if (order.revoke === null) continue;
    const later = turn + 1 + Math.floor(random() * (last - turn - 1));
    taken.set(later, [...(taken.get(later) ?? []), order.revoke]);
  }
  return { given, taken };
}

interface ToSay {
  readonly task: string;
  readonly given: readonly MadeOrder[];
  readonly taken: readonly string[];
  readonly turn: number;
  readonly random: () => number;
  readonly pastedChars: number;
}

/** Orders stand before the task, behind it, in a list, or far into a long message with something pasted. */
function personText({ task, given, taken, turn, random, pastedChars }: ToSay): string {
  const orders = given.map(({ text }) => text);
  const quoted = turn % 9 === 3 ? [QUOTED[turn % QUOTED.length] ?? ""] : [];
  const place = Math.floor(random() * 4);
  if (place === 0) return [...taken, ...orders, task, ...quoted].join(" ").replace(" > ", "\n> ").replace(" ```", "\n```");
  if (place === 1) return [task, ...quoted, ...taken, ...orders].join("\n\n");
  if (place === 2)
    return [task, ...taken.map((text) => `- ${text}`), ...orders.map((text) => `- ${text}`), ...quoted].join("\n");
  return [task, noise(pastedChars, random), ...quoted, ...taken, ...orders].join("\n");
}

const LETTERS = "0123456789abcdef";

/** Lines of a lock file: dense in tokens, and never twice the same. */
export function noise(chars: number, random: () => number): string {
  const lines: string[] = [];
  for (let length = 0; length < chars; length += 72) {
    let hash = "";
    while (hash.length < 56) hash += LETTERS[Math.floor(random() * 16)];
    lines.push(`+ lock@1.${lines.length}: ${hash}`);
  }
  return lines.join("\n");
}

interface Telling {
  readonly say: (message: Message) => string;
  readonly answer: (id: string, callId: string, text: string) => string;
}

/** A server, a job or a sub-agent, in turn. */
function startThing(turn: number, { say, answer }: Telling): Truth["things"][number] {
  const name = `task_${turn}x7`;
  const isAgent = turn % (2 * THING_EVERY) === 1;
  say(
    isAgent
      ? calling(`t${turn}`, "spawn_agent", { message: `Watch the queue of region ${turn} and tell what grows` })
      : calling(`t${turn}`, "Bash", { command: `npm run serve -- --port 80${turn}`, run_in_background: true }),
  );
  const text = isAgent ? `{"agent_id":"${name}"}` : `Command running in background with ID: ${name}`;
  return { name, started: answer(`tr${turn}`, `c-t${turn}`, text), ended: null };
}

function stopThing(name: string, turn: number, { say, answer }: Telling): string {
  say(calling(`k${turn}`, "KillShell", { shell_id: name }));
  return answer(`kr${turn}`, `c-k${turn}`, `${name} was stopped`);
}

/** The entry that begins a made session. */
export function start(seed: number): SessionEntry {
  return {
    type: "session",
    version: 4,
    id: `made-${seed}`,
    createdMs: null,
    system: "You are a coding agent.",
    tools: [],
    parent: null,
    agent: null,
  };
}

/** The entry of a request that reports no usage, over what has been said. */
export function usage(requestId: string, entries: readonly SessionEntry[]): SessionEntry {
  const last = entries.findLast((entry) => entry.type === "message");
  const throughMessageId = last?.type === "message" ? last.message.id : null;
  const told = { overheadHash: null, viewHash: null, usage: UNREPORTED_USAGE, atMs: null };
  return { type: "usage", requestId, modelId: "made/model", throughMessageId, ...told };
}

/** A message of the person. */
export function human(id: string, text: string): Message {
  return { role: "user", id, origin: "human", parts: [{ type: "text", text }], atMs: null };
}

function assistant(id: string, parts: AssistantMessage["parts"]): AssistantMessage {
  const told = { modelId: "made/model", requestId: `request-${id}`, stopReason: "end", atMs: null } as const;
  return { role: "assistant", id, origin: "model", parts, ...told };
}

/** A message of the model with text alone. */
export function reply(id: string, text: string): AssistantMessage {
  return assistant(id, [{ type: "text", text }]);
}

/** A message of the model with one call; the id of the call is that of the message behind `c-`. */
export function calling(id: string, toolName: string, args: object): Message {
  return assistant(id, [{ type: "tool-call", callId: `c-${id}`, toolName, argumentsJson: JSON.stringify(args), paths: [] }]);
}

/** The result of a call. */
export function result(id: string, callId: string, text: string): Message {
  const told = { toolName: "tool", isError: false, category: "generic", atMs: null } as const;
  return { role: "tool-result", id, callId, parts: [{ type: "text", text }], ...told };
}
