import type { Facts, KnownPlan } from "../facts/facts.ts";
import { isDone, isGivenUp } from "../facts/plan-items.ts";
import type { RunningThing } from "../facts/running.ts";
import type { Said, Statement } from "../facts/said.ts";
import { textOnOneLine } from "../message/framing.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";

/** The person's words in one message, as far as they are written in one place. */
interface Words {
  readonly messageId: string;
  readonly isAnswered: boolean;
  readonly text: string;
  /** True if it takes earlier words back and says little else. */
  readonly isEnd: boolean;
  /** Earlier orders that it takes back, or may. */
  readonly changes: readonly Statement[];
}

/** UTF-16 units of a message that is written whole because a sentence of it is an order; of a longer one the orders alone. Chosen. */
const WHOLE_CHARS = 600;

/** UTF-16 units by which an order is named that is no longer in force; chosen. */
const NAMED_CHARS = 80;

/** Messages that are named of those for which there was no room; chosen. */
const MOST_NAMED = 6;

const NEWEST_FIRST = "(the person's words, newest first; where two differ, the upper one counts)";

/**
 * The person's orders that messages in the context do not show, newest first, each over the earlier ones that it changes: word for word, as many as fit.
 * What there is no room for is named by its messages. `null` if there is none.
 */
export function ordersText(said: Said, staying: ReadonlySet<string>, roomChars: number): string | null {
  const room = { roomChars: roomChars - NEWEST_FIRST.length - 1, head: NEWEST_FIRST, forgotten: said.forgotten };
  const lines = (wholeChars: number) =>
    wordsOf(said, staying, wholeChars).orders.map(({ messageId, text, changes, isEnd }) => ({
      messageId,
      lines: [`- ${text}`, ...changes.map(changedLine)],
      isLast: isEnd,
    }));
  const whole = lines(WHOLE_CHARS);
  const chars = whole.reduce((sum, each) => sum + charsOf(each.lines), 0);
  // What stands around orders gives way to orders.
  return saidText(chars <= room.roomChars ? whole : lines(0), room);
}

/** The person's other requests, newest first, the first request before all: what a turn has answered is marked, so that nobody begins it again. */
export function askedText(said: Said, staying: ReadonlySet<string>, roomChars: number): string | null {
  const { asked } = wordsOf(said, staying, WHOLE_CHARS);
  const first = asked.at(-1);
  const ordered = first === undefined ? [] : [first, ...asked.slice(0, -1)];
  const line = ({ isAnswered, text }: Words) => `- ${isAnswered ? "[answered] " : ""}${text}`;
  return saidText(
    ordered.map((each) => ({ messageId: each.messageId, lines: [line(each)] })),
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
  let leftChars = roomChars - (head === null ? 0 : LEFT_OUT_CHARS);
  for (const said of [...all.filter(({ isLast }) => isLast !== true), ...all.filter(({ isLast }) => isLast === true)]) {
    const { messageId, lines: whole } = said;
    // Of what the session began with its beginning says more than nothing.
    const lines = said === all[0] && head === null ? whole.map((line) => shortened(line, leftChars - 1)) : whole;
    const fits = (some: readonly string[]) => charsOf(some) <= leftChars;
    const some = fits(lines) ? lines : lines.slice(0, 1);
    if (!fits(some)) left.push(messageId);
    else {
      leftChars -= charsOf(some);
      written.set(said, some);
    }
  }
  if (written.size === 0 && head === null) return null;
  const named = [...new Set(left)].slice(0, MOST_NAMED);
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

/** Room for the line that names what is left out, in UTF-16 units: ids of most logs have up to 40. */
const LEFT_OUT_CHARS = 120;

function changedLine({ standing, text }: Statement): string {
  return standing === "revoked"
    ? `  no longer: ${shortened(textOnOneLine(text), NAMED_CHARS)}`
    : `  before that, and perhaps still: ${text}`;
}

function shortened(text: string, mostChars: number): string {
  return text.length <= mostChars ? text : `${text.slice(0, characterBoundaryAtOrBefore(text, Math.max(0, mostChars - 1)))}…`;
}

/** Words that are not in the context, and what changes something, newest first: orders with what stands around them, and all else. */
function wordsOf(
  { statements }: Said,
  staying: ReadonlySet<string>,
  wholeChars: number,
): { readonly orders: readonly Words[]; readonly asked: readonly Words[] } {
  const changed = grouped(
    statements.filter(({ by, kind }) => by !== null && kind !== "aside"),
    ({ by }) => `${by?.messageId}\n${by?.text}`,
  );
  const orders: Words[] = [];
  const asked: Words[] = [];
  for (const [messageId, sentences] of [...grouped(statements, (each) => each.messageId)].reverse()) {
    const changes = sentences.flatMap((each) => changed.get(`${messageId}\n${each.text}`) ?? []);
    const own = sentences.filter(({ standing }) => standing === "in-force");
    if ((staying.has(messageId) && changes.length === 0) || own.length === 0) continue;
    const hasOrder = changes.length > 0 || own.some(({ kind }) => kind === "order");
    const chars = own.reduce((sum, { text, lead }) => sum + text.length + (lead?.length ?? 0), 0);
    const isOrder = ({ kind, text }: Statement) => kind === "order" || changed.has(`${messageId}\n${text}`);
    const together = hasOrder ? own.filter((each) => chars <= wholeChars || isOrder(each)) : [];
    const others = own.filter((each) => !together.includes(each) && (each.kind === "request" || each.turn === "open"));
    const words = (chosen: readonly Statement[]) => ({
      messageId,
      isEnd: chosen.every((each) => each.isEnd),
      isAnswered: chosen.every(({ turn }) => turn === "answered"),
      text: joined(chosen, sentences),
    });
    if (together.length > 0) orders.push({ ...words(together), changes });
    if (others.length > 0 && !staying.has(messageId)) asked.push({ ...words(others), changes: [] });
  }
  return { orders, asked };
}

function grouped(
  statements: readonly Statement[],
  keyOf: (statement: Statement) => string,
): ReadonlyMap<string, readonly Statement[]> {
  const groups = new Map<string, Statement[]>();
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

/** Things that run beside the conversation, by name, then what ended; a line each, the most important first. */
export function runningLines(running: readonly RunningThing[], roomChars: number): readonly string[] {
  const words = { running: "running", unknown: "unknown whether it still runs", ended: "ended" } as const;
  const inState = (state: RunningThing["state"]) => running.filter((each) => each.state === state).reverse();
  const told = [...inState("running"), ...inState("unknown"), ...inState("ended").slice(0, MOST_ENDED)];
  const lines = told.map(({ id, what, state }) => `- ${textOnOneLine(id)}: ${words[state]}; ${textOnOneLine(what)}`);
  const lineChars = Math.max(LEAST_LINE_CHARS, Math.floor(roomChars / Math.max(1, inState("running").length)) - 1);
  // A name alone says more than nothing of all the others.
  return charsOf(lines) <= roomChars ? lines : lines.map((line) => shortened(line, lineChars));
}

/** A line has room for a name and its state; chosen. */
const LEAST_LINE_CHARS = 32;

/** Things that ended are told so that nobody starts them again: the newest few. Chosen. */
const MOST_ENDED = 5;

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

/** True if the plan is to be written: no message in the context has all of it. */
export function isPlanGone({ plan }: Facts, staying: ReadonlySet<string>): boolean {
  return plan !== null && !(plan.isWhole && staying.has(plan.messageId));
}
