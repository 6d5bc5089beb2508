import { LASTING } from "../facts/closed-words.ts";
import { type Facts, isDone, isGivenUp, type KnownPlan } from "../facts/facts.ts";
import type { RunningThing } from "../facts/running.ts";
import type { Said } from "../facts/said.ts";
import type { Statement } from "../facts/statement.ts";
import { textOnOneLine } from "../message/framing.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";

/** The person's words in one message, as far as they are written in one place. */
interface Words {
  readonly messageId: string;
  /** Its turn is open, or answered: then it may be meant for later, too, with a hint of it or without, or is done. */
  readonly state: "open" | "hinted" | "unsure" | "done";
  readonly text: string;
  /** True if it takes earlier words back and says little else. */
  readonly isEnd: boolean;
  /** Earlier orders that it takes back, or may. */
  readonly changes: readonly Statement[];
}

/** The newest few that are told, so that nobody begins them again: messages of which all is done, things that ended; and messages that are named for want of room. Chosen. */
const MOST = { done: 6, ended: 5, named: 6, together: 4 } as const;

/** UTF-16 units, chosen: of an order that is named and no longer in force; of the shortest beginning or command that says anything; of what runs beside its name; of the line that names what is left out, as ids have up to 40. */
const CHARS = { named: 80, beginning: 60, what: 24, leftOut: 120 } as const;

const NEWEST_FIRST = "(the person's words, newest first; where two differ, the upper one counts)";

/**
 * The person's orders that messages in the context do not show, newest first, each over the earlier ones that it changes: word for word, as many as fit.
 * Names the messages of orders that do not fit. `null` if there are no orders.
 */
export function ordersText(said: Said, staying: ReadonlySet<string>, roomChars: number): string | null {
  const lines = wordsOf(said, staying).orders.map(({ messageId, text, changes, isEnd }) => ({
    messageId,
    lines: [`- ${text}`, ...changes.map(changedLine)],
    isLast: isEnd,
  }));
  return saidText(lines, { roomChars: roomChars - NEWEST_FIRST.length - 1, head: NEWEST_FIRST, forgotten: said.forgotten });
}

/**
 * The person's other words, newest first after the first request: what waits, what was answered by a turn that did not speak of it and may hold on, those with
 * a hint of it before the others, and what a turn spoke of. What was answered is marked, so that nobody begins it again.
 */
export function askedText(said: Said, staying: ReadonlySet<string>, roomChars: number): string | null {
  const { asked } = wordsOf(said, staying);
  const first = asked.findLast(({ messageId }) => messageId === said.statements[0]?.messageId);
  const done = asked.filter((each) => each !== first && each.state === "done").slice(0, MOST.done);
  const others = [...asked.filter((each) => each !== first && each.state !== "done"), ...done];
  const places = { open: 0, hinted: 1, unsure: 2, done: 3 } as const;
  const mayHold = "[answered, may hold on] ";
  const marks = { open: "", hinted: mayHold, unsure: mayHold, done: "[answered] " } as const;
  const ordered = others.toSorted((a, b) => places[a.state] - places[b.state]);
  const line = ({ state, text }: Words) => `- ${marks[state]}${text}`;
  return saidText(
    [...(first === undefined ? [] : [first]), ...ordered].map((each) => ({ messageId: each.messageId, lines: [line(each)] })),
    { roomChars, head: null, forgotten: 0 },
  );
}

interface SaidLines {
  readonly messageId: string;
  readonly lines: readonly string[];
  /** Whether it gets the room that the others leave. */
  readonly isLast?: boolean;
}

/** As many as fit; of one that does not fit with the orders that it changes its own words alone. */
function saidText(
  all: readonly SaidLines[],
  { roomChars, head, forgotten }: { readonly roomChars: number; readonly head: string | null; readonly forgotten: number },
): string | null {
  if (all.length === 0) return null;
  const written = new Map<SaidLines, readonly string[]>();
  const left: string[] = [];
  let leftChars = roomChars - (head === null ? 0 : CHARS.leftOut);
  for (const said of [...all.filter(({ isLast }) => isLast !== true), ...all.filter(({ isLast }) => isLast === true)]) {
    const { messageId, lines: whole } = said;
    // Of what the session began with its beginning says more than nothing.
    const lines =
      said === all[0] && head === null ? whole.map((line) => shortened(line, Math.max(CHARS.beginning, leftChars - 1))) : whole;
    const fits = (some: readonly string[]) => charsOf(some) <= leftChars;
    const some = fits(lines) ? lines : lines.slice(0, 1);
    if (!fits(some)) left.push(messageId);
    else {
      leftChars -= charsOf(some);
      written.set(said, some);
    }
  }
  if (written.size === 0 && head === null) return null;
  const named = [...new Set(left)].slice(0, MOST.named);
  const count = left.length + forgotten;
  const more = count === 0 ? [] : [`(${count} more not shown${named.length === 0 ? "" : `; messages ${named.join(", ")}`})`];
  const lines = [
    ...(head === null ? [] : [head]),
    ...all.flatMap((said) => written.get(said) ?? []),
    ...(head === null ? [] : more),
  ];
  return lines.join("\n");
}

function charsOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

function changedLine({ standing, text }: Statement): string {
  return standing === "revoked"
    ? `  no longer: ${shortened(textOnOneLine(text), CHARS.named)}`
    : `  before that, and perhaps still: ${text}`;
}

function shortened(text: string, mostChars: number): string {
  return text.length <= mostChars ? text : `${text.slice(0, characterBoundaryAtOrBefore(text, Math.max(0, mostChars - 1)))}…`;
}

/** Words that are not in the context, and what changes something, newest first: orders, with the sentence that says what they are of, and all else. */
function wordsOf(
  { statements }: Said,
  staying: ReadonlySet<string>,
): { readonly orders: readonly Words[]; readonly asked: readonly Words[] } {
  const standing = new Set(statements.flatMap((each) => (each.standing === "in-force" ? [each.text] : [])));
  // What a later sentence may have changed stands below it, or for itself if that one does not stand any more.
  const isBelow = ({ by, kind }: Statement) => by !== null && kind !== "aside" && standing.has(by.text);
  const changed = grouped(statements.filter(isBelow), ({ by }) => by?.text);
  const orders: Words[] = [];
  const asked: Words[] = [];
  for (const [messageId, sentences] of [...grouped(statements, (each) => each.messageId)].reverse()) {
    const changesOf = ({ text, standing }: Statement) => (standing === "in-force" ? (changed.get(text) ?? []) : []);
    const isChanging = sentences.some((each) => changesOf(each).length > 0);
    const own = sentences.filter((each) => each.standing !== "revoked" && !isBelow(each));
    if ((staying.has(messageId) && !isChanging) || own.length === 0) continue;
    const isOrder = (each: Statement) => each.kind === "order" || changesOf(each).length > 0;
    const isBare = (each: Statement) => isOrder(each) && !each.isEnd && each.about.length < OWN_WORDS;
    const ordering = own.filter(
      (each, at) => isOrder(each) || own.slice(at + 1, at + 2).some((next) => isBare(next) && changesOf(next).length === 0),
    );
    const words = (chosen: readonly Statement[], state: Words["state"]) => ({
      messageId,
      isEnd: chosen.every((each) => each.isEnd),
      state,
      text: joined(chosen, sentences),
    });
    // What changes something stands for itself: the line below it is about nothing else.
    const rest = ordering.filter((each) => changesOf(each).length === 0);
    for (const each of ordering.filter((one) => !rest.includes(one)))
      orders.push({ ...words([each], "open"), changes: changesOf(each) });
    if (rest.length > 0) orders.push({ ...words(rest, "open"), changes: [] });
    if (staying.has(messageId)) continue;
    const others = own.filter((each) => !ordering.includes(each) && (each.kind === "request" || each.turn === "open"));
    for (const [state, chosen] of grouped(others, stateOf)) asked.push({ ...words(chosen, state), changes: [] });
  }
  return { orders, asked };
}

/** Words of open classes that an order says what it is of with; with fewer the sentence before it does. Chosen. */
const OWN_WORDS = 2;

function stateOf({ turn, text }: Statement): Words["state"] {
  if (turn !== "answered") return turn;
  return LASTING.hints.test(text) || LASTING.recurs.test(text) ? "hinted" : "unsure";
}

function grouped<Key>(
  statements: readonly Statement[],
  keyOf: (statement: Statement) => Key,
): ReadonlyMap<Key, readonly Statement[]> {
  const groups = new Map<Key, Statement[]>();
  for (const each of statements) {
    const group = groups.get(keyOf(each));
    if (group === undefined) groups.set(keyOf(each), [each]);
    else group.push(each);
  }
  return groups;
}

/** Sentences as they stood in their message; a mark for what is left out between two. */
function joined(chosen: readonly Statement[], message: readonly Statement[]): string {
  let text = "";
  let last = -1;
  for (const sentence of chosen) {
    const at = message.indexOf(sentence);
    text += last < 0 ? "" : at === last + 1 ? (sentence.lead ?? " … ") : " … ";
    text += sentence.text;
    last = at;
  }
  return text;
}

/** Things that run beside the conversation, by name or by what started them, then what ended; the most important first. What has no line of its own is named on one with others. */
export function runningLines(running: readonly RunningThing[], roomChars: number): readonly string[] {
  const words = { running: "running", unknown: "unknown whether it still runs", ended: "ended" } as const;
  const inState = (state: RunningThing["state"]) => running.filter((each) => each.state === state).reverse();
  const now = inState("running");
  const told = [...now, ...inState("unknown"), ...inState("ended").slice(0, MOST.ended)];
  const lines = (lineChars: number) =>
    told.map(({ name, what, state }) => {
      const beginning = name === null ? "- " : `- ${textOnOneLine(name)}: ${words[state]}; `;
      const end = name === null ? `: ${words[state]}` : "";
      const least = name === null ? CHARS.beginning : CHARS.what;
      return `${beginning}${bothEnds(what, Math.max(least, lineChars - beginning.length - end.length))}${end}`;
    });
  const [whole, short] = [lines(Number.POSITIVE_INFINITY), lines(Math.floor(roomChars / Math.max(1, now.length)) - 1)];
  if (charsOf(whole) <= roomChars) return whole;
  if (charsOf(short.slice(0, now.length)) <= roomChars) return short;
  const names = now.map(({ name, what }) => (name === null ? bothEnds(what, CHARS.beginning) : textOnOneLine(name)));
  const together = (at: number) => `- running: ${names.slice(at, at + MOST.together).join(", ")}`;
  return [...names.flatMap((_, at) => (at % MOST.together === 0 ? [together(at)] : [])), ...short.slice(now.length)];
}

/** A command names what it starts at its beginning, or where its output goes at its end. */
function bothEnds(lines: string, mostChars: number): string {
  const text = textOnOneLine(lines);
  if (text.length <= mostChars) return text;
  const endChars = Math.floor(mostChars / 2);
  const end = text.slice(characterBoundaryAtOrBefore(text, text.length - endChars));
  return `${text.slice(0, characterBoundaryAtOrBefore(text, mostChars - endChars - 1))}…${end}`;
}

/** The plan's items with what became of them: open ones first, then those that are done, the newest first, then those that were dropped. */
export function planLines({ items, dropped }: KnownPlan): readonly string[] {
  const line = (status: string, text: string) => `- [${textOnOneLine(status)}] ${textOnOneLine(text)}`;
  const isOpen = ({ status }: KnownPlan["items"][number]) => !isDone(status) && !isGivenUp(status);
  return [
    ...items.filter(isOpen),
    ...items.filter((item) => !isOpen(item)).reverse(),
    ...dropped.toReversed().map((text) => ({ status: "dropped", text })),
  ].map(({ status, text }) => line(status, text));
}

/** Lines of what was allowed and refused, the newest first. */
export function permissionLines(permissions: Facts["permissions"]): readonly string[] {
  const words = {
    granted: "allowed then",
    refused: "refused",
    unknown: "refused; it ran later, who allowed it is unknown",
  } as const;
  return permissions.map(({ text, state }) => `- ${words[state]}: ${textOnOneLine(text)}`).reverse();
}

/** True if the plan is to be written: no message in the context has all of it. */
export function isPlanGone({ plan }: Facts, staying: ReadonlySet<string>): boolean {
  return plan !== null && !(plan.isWhole && staying.has(plan.messageId));
}
