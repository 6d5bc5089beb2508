import { resolveAmount } from "../budget.ts";
import { openStepStart, safeCuts } from "../cut-point.ts";
import { shown } from "../error.ts";
import { jsonIn } from "../json.ts";
import { atOnce, frozen } from "../kind.ts";
import { loadedToolsIn } from "../message/loaded-tools.ts";
import { isDeclared, isHuman, type Message, oncePerMessage, toolCallsOf } from "../message/message.ts";
import { BUILT_IN_KEEP_RULES } from "./built-in-keep-rules.ts";
import type { KeepRule, KeepView, MessageRange, MessagesRule } from "./keep-rule.ts";

/** Messages that one rule keeps and no rule before it: in the view's order, with their size. */
export interface KeptMessages {
  readonly kind: string;
  /** True for a rule that is not built in. */
  readonly isOwn: boolean;
  readonly messages: readonly Message[];
  readonly tokens: number;
  /** All that the rule chose within its amount, or beyond it if it may, with or without room, the worthiest first: of each choice the messages that no choice before it named. */
  readonly chosen: readonly (readonly Message[])[];
  /** The rest of its choice, past its amount: of a rule that is the caller's own, and states no more. */
  readonly beyond: readonly (readonly Message[])[];
  /** The error that the rule threw, or the reason why its answer is none; it keeps nothing then. `null` for a rule that works. */
  readonly failure: unknown;
}

/**
 * The messages that rules keep, one answer for each rule that chooses messages, in the order of the rules. Each is filled up to its amount, and all of them
 * together up to `limitTokens`. Inseparable messages are kept whole: a call, the calls that were made at once with it, and all their results. Messages that a rule
 * before it keeps, and untouchable ones (the last human message, the agent's declarations, the open step), cost a rule nothing.
 */
export function keptMessages(
  rules: readonly KeepRule[],
  view: KeepView & { readonly limitTokens: number },
): readonly KeptMessages[] {
  const choosing = rules.filter((rule) => rule.keeps === "messages");
  // Filled for the first range that a rule names: in most cuts none does.
  const units: Unit[] = [];
  let leftTokens = view.limitTokens;
  const all: KeptMessages[] = [];
  for (const rule of choosing) {
    const statedTokens = resolveAmount(rule.atMost, view.budget);
    const kept = fill(rule, { view, units, statedTokens, leftTokens });
    leftTokens -= kept.tokens;
    all.push(kept);
  }
  return all;
}

/**
 * Keeps the message that loaded a tool which was called since: without it the vendor has no such tool. It holds under every policy, before the policy's own
 * rules; of several searches that found a tool the newest stays.
 */
export const LOADED_TOOLS: MessagesRule & { readonly kind: string } = {
  kind: "loaded-tools",
  keeps: "messages",
  atMost: { ratio: 0.25, of: "input-budget" },
  choose: ({ messages }) => {
    const ranges: MessageRange[] = [];
    if (!messages.some((message) => toolsLoadedBy(message).length > 0)) return ranges;
    const called = new Set<string>();
    for (let at = messages.length - 1; at >= 0; at--) {
      const message = messages[at];
      if (message === undefined) continue;
      for (const { toolName } of toolCallsOf(message)) called.add(toolName);
      // A tool that is found is asked for once.
      if (toolsLoadedBy(message).filter((name) => called.delete(name)).length > 0) ranges.push({ from: at, through: at });
    }
    return ranges;
  },
};

/** The tools that a search of the client or of the server loaded, as its message names them: references, or a list of definitions. */
const toolsLoadedBy = oncePerMessage(({ role, parts }: Message): readonly string[] => {
  const names: string[] = [];
  for (const part of role === "user" ? [] : parts) {
    const json = part.type === "text" ? part.text : part.type === "tool-call" ? part.argumentsJson : "";
    const isList = /"(?:tool_reference|tools)"/.test(json);
    names.push(...loadedToolsIn(part.type === "reasoning" ? part.opaque : isList ? jsonIn(json) : null));
  }
  return names;
});

/** Rules that choose all that there is of their sort: their amount is their wish. */
const BY_NATURE: ReadonlySet<string> = new Set([LOADED_TOOLS, ...BUILT_IN_KEEP_RULES].map(({ kind }) => kind));

/** Messages between two neighbouring safe cuts: they are kept together or not at all. */
interface Unit {
  readonly from: number;
  readonly through: number;
  readonly tokens: number;
  isKept: boolean;
}

function divide(view: KeepView, units: Unit[]): void {
  const { messages } = view;
  const safe = safeCuts(messages);
  const openStep = openStepStart(messages);
  const lastHuman = messages.findLastIndex(isHuman);
  for (let from = 0; from < messages.length; ) {
    let end = from + 1;
    while (end < messages.length && safe[end] !== true) end += 1;
    const own = messages.slice(from, end);
    let tokens = 0;
    for (const message of own) tokens += view.messageTokens(message);
    const staysAnyway = from >= openStep || (own.length === 1 && (from === lastHuman || own.every(isDeclared)));
    const unit = { from, through: end - 1, tokens, isKept: staysAnyway };
    for (; from < end; from++) units.push(unit);
  }
}

/** A rule whose choice does not end fails: after so many times as many messages as there are, and so many ranges that it repeats; chosen. */
const MOST_TIMES_NAMED = 100;
const MOST_REPEATS = 100_000;

/** The messages of a rule up to its amount; those beyond it up to the room that all rules together have left. */
function fill(
  rule: MessagesRule & { readonly kind: string },
  of: { readonly view: KeepView; readonly units: Unit[]; readonly statedTokens: number; readonly leftTokens: number },
): KeptMessages {
  const { view, units, statedTokens, leftTokens } = of;
  const { kind, beyondAmount = null } = rule;
  const isOwn = !BY_NATURE.has(kind);
  let leftNames = view.messages.length * MOST_TIMES_NAMED;
  let leftRepeats = MOST_REPEATS;
  const seen = new Set<string>();
  const named = new Set<Unit>();
  const kept = new Set<Unit>();
  const chosen: (readonly Message[])[] = [];
  const beyond: (readonly Message[])[] = [];
  let tokens = 0;
  let wantedTokens = 0;
  try {
    const ranges = atOnce("choose", rule.choose(isOwn ? frozen(view) : view));
    if (typeof Object(ranges)[Symbol.iterator] !== "function")
      throw new TypeError(`choose returned ${shown(ranges)}, not a list of { from, through }`);
    for (const range of ranges) {
      if (units.length === 0) divide(view, units);
      const all = unitsIn(units, range);
      const place = `${range.from} ${range.through}`;
      if (seen.has(place)) {
        leftRepeats -= 1;
        if (leftRepeats < 0) throw new RangeError(`choose repeated ranges ${MOST_REPEATS} times`);
        continue;
      }
      seen.add(place);
      leftNames -= all.length;
      if (leftNames < 0) throw new RangeError(`choose named ${MOST_TIMES_NAMED} times as many messages as there are`);
      const limitTokens = chosen.length < (beyondAmount ?? 0) ? leftTokens : Math.min(statedTokens, leftTokens);
      const fresh = all.filter((unit) => !unit.isKept && !kept.has(unit));
      const freshTokens = fresh.reduce((sum, unit) => sum + unit.tokens, 0);
      // A unit counts once, however often it is named.
      const first = all.filter((unit) => !named.has(unit));
      for (const unit of first) named.add(unit);
      const firstTokens = first.reduce((sum, unit) => sum + (unit.isKept ? 0 : unit.tokens), 0);
      // A rule that states only an amount asks for no more.
      const isAsked = beyondAmount !== null || wantedTokens + firstTokens <= statedTokens;
      const counted = isAsked ? chosen : isOwn ? beyond : [];
      if (first.length > 0) counted.push(messagesOf(first, view));
      if (isAsked) wantedTokens += firstTokens;
      if (tokens + freshTokens > limitTokens) continue;
      tokens += freshTokens;
      for (const unit of fresh) kept.add(unit);
    }
  } catch (failure) {
    // A rule that fails keeps nothing: it must not prevent a compaction. The record names it.
    return { kind, isOwn, messages: [], tokens: 0, chosen: [], beyond: [], failure };
  }
  for (const unit of kept) unit.isKept = true;
  const ordered = [...kept].sort((a, b) => a.from - b.from);
  return { kind, isOwn, messages: messagesOf(ordered, view), tokens, chosen, beyond, failure: null };
}

function messagesOf(units: readonly Unit[], { messages }: Pick<KeepView, "messages">): readonly Message[] {
  return units.flatMap(({ from, through }) => messages.slice(from, through + 1));
}

function unitsIn(units: readonly Unit[], range: MessageRange): readonly Unit[] {
  const { from, through } = Object(range);
  if (!Number.isInteger(from) || !Number.isInteger(through) || from < 0 || through < from || through >= units.length) {
    const said =
      Object(range) === range && !Array.isArray(range) ? `{ from: ${shown(from)}, through: ${shown(through)} }` : shown(range);
    throw new RangeError(`choose returned ${said}, not { from, through } with 0 <= from <= through < ${units.length}`);
  }
  return [...new Set(units.slice(from, through + 1))];
}
