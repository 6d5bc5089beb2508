import { isDone, isGivenUp } from "../facts/facts.ts";
import { choicesIn, isAnnouncement, isNothing, nextStepIn, rulesIn } from "../facts/sentences.ts";
import { planIn } from "../keep/plan.ts";
import { LINE_BREAKS } from "../message/framing.ts";
import { isHuman, type Message, oncePerMessage, type ToolResultMessage, textOf, toolCallsOf } from "../message/message.ts";
import { characterBoundaryAtOrBefore } from "../text.ts";

/** Quotations of covered messages, each list in the order of the messages. */
export interface Quotes {
  /** The person's requests. */
  readonly requests: readonly string[];
  /** Sentences of the person that decide, demand or forbid something, each once. */
  readonly rules: readonly string[];
  /** Failures: the tool, and the last line of its result. */
  readonly failures: readonly string[];
  /** Replies of the model, without those that only announce its next action. */
  readonly conclusions: readonly string[];
  /** Sentences of the model that say what was chosen, each once. */
  readonly choices: readonly string[];
  /** The newest plan. If it is not among the covered messages it stays in the view, and is not told again. */
  readonly plan: Told<Plan>;
  /** The last sentence in which the model said what it does next; empty if it ended its turn after that. */
  readonly nextStep: Told<string>;
}

/** A fact of which the newest counts: its value; that a newer one stays in the view; or that there is none. */
type Told<T> = { readonly kind: "told"; readonly value: T } | { readonly kind: "stays" } | { readonly kind: "unknown" };

/** The items of a plan, by what has become of them. Items that were given up are neither. */
interface Plan {
  readonly done: readonly string[];
  readonly open: readonly string[];
}

/** The newest plan and next step of a view, each with the ids of the messages that say it; `null` if none does. */
export interface NewestInView {
  readonly plan: Said<Plan> | null;
  readonly nextStep: Said<string> | null;
}

interface Said<T> {
  readonly messageIds: readonly string[];
  readonly value: T;
}

/** Reads a view from its end, as far as it takes. */
export function newestIn(view: readonly Message[]): NewestInView {
  return { plan: standingPlan(view), nextStep: newest(view, nextStepOf) };
}

/** Reads the covered messages of a view. Visits each of them a fixed number of times. */
export function quotesOf(covered: readonly Message[], inView: NewestInView): Quotes {
  const told = <T>(said: Said<T> | null): Told<T> => {
    if (said === null) return { kind: "unknown" };
    return covered.some(({ id }) => said.messageIds.includes(id)) ? { kind: "told", value: said.value } : { kind: "stays" };
  };
  const sayings = covered.map(sayingOf);
  const all = (list: keyof Saying) => sayings.flatMap((said) => said[list]);
  return {
    requests: all("requests"),
    rules: [...new Set(all("rules"))],
    failures: all("failures"),
    conclusions: all("conclusions"),
    choices: [...new Set(all("choices"))],
    plan: told(inView.plan),
    nextStep: told(inView.nextStep),
  };
}

/** The quotations of one message. */
type Saying = Omit<Quotes, "plan" | "nextStep">;

const SAYS_NOTHING: Saying = { requests: [], rules: [], failures: [], conclusions: [], choices: [] };

/** Reads the quotations of a message. One without any is not remembered: a table of all messages of a long log would hold everybody up as it grows. */
function sayingOf(message: Message): Saying {
  if (isHuman(message) || isReply(message)) return readingOf(message);
  return message.role === "tool-result" && message.isError ? { ...SAYS_NOTHING, failures: [failureOf(message)] } : SAYS_NOTHING;
}

const readingOf = oncePerMessage((message): Saying => {
  const text = textOf(message);
  if (isHuman(message)) return { ...SAYS_NOTHING, requests: [text], rules: rulesIn(text) };
  const told = (toolCallsOf(message).length > 0 ? text.replace(LEAD, "") : text).replace(OPEN_ITEMS, "");
  return { ...SAYS_NOTHING, conclusions: told.trim() === "" || isAnnouncement(text) ? [] : [told], choices: choicesIn(text) };
});

/** A last sentence that only leads to the calls behind it: it ends with a colon. */
const LEAD = /(?<=^|\n|[.!?。！？]\s)(?:[^\n.!?。！？]|[.!?](?=\S))*[:：]\s*$/u;

/** Items of a list that were open when it was written: a digest stands for long, and they do not stay open. */
const OPEN_ITEMS = /^[ \t]*(?:[-*+]|\d+[.)]) \[ \] .*(?:\n|$)/gmu;

function newest<T>(view: readonly Message[], read: (message: Message) => T | null): Said<T> | null {
  for (let index = view.length - 1; index >= 0; index--) {
    const message = view[index];
    const value = message === undefined ? null : read(message);
    if (message !== undefined && value !== null) return { messageIds: [message.id], value };
  }
  return null;
}

function isReply(message: Message): boolean {
  return message.role === "assistant" && message.origin === "model";
}

/** Reads the model's messages once each; `null` for any other. */
function ofModel<T extends object | string>(read: (message: Message) => T | null): (message: Message) => T | null {
  const known = oncePerMessage(read);
  return (message) => (message.role === "assistant" ? known(message) : null);
}

/** A reply without calls ends the turn: what was said to come next before it is done or given up. */
const nextStepOf = ofModel((message): string | null => {
  if (!isReply(message)) return null;
  return nextStepIn(textOf(message)) ?? (toolCallsOf(message).length === 0 ? "" : null);
});

function failureOf(message: ToolResultMessage): string {
  const trimmed = textOf(message).trimEnd();
  return `${message.toolName}: ${trimmed.slice(trimmed.lastIndexOf("\n") + 1)}`;
}

function standingPlan(view: readonly Message[]): Said<Plan> | null {
  const plan = planIn(view);
  if (plan === null) return null;
  const withStatus = (wanted: (status: string) => boolean) =>
    plan.items.filter(({ status }) => wanted(status)).map(({ text }) => onOneLine(text));
  const done = withStatus(isDone);
  const open = withStatus((status) => !isDone(status) && !isGivenUp(status));
  return { messageIds: plan.places.flatMap((place) => view[place]?.id ?? []), value: { done, open } };
}

function onOneLine(text: string): string {
  return LINE_BREAKS.reduce((joined, lineBreak) => joined.split(lineBreak).join(" "), text.trim());
}

/** Before what a digest says of a plan, and of the model's last words: of both the newest alone is carried over. */
export const MARKS = { done: "- Plan, done: ", open: "- Plan, open: ", nextStep: "- Said to come next: " } as const;

/** How texts are quoted. */
export interface QuoteForm {
  /** Before each of them. */
  readonly mark: string;
  /** The longest quotation in UTF-16 units. */
  readonly quoteChars: number;
  /** Which stay if there is no room for all. */
  readonly prefers: "newest" | "oldest";
}

/** As many of the texts as fit, each quoted behind its mark, in their order. The first that is tried is cut to the room if it is longer. */
export function quotesThatFit(texts: readonly string[], { mark, quoteChars, prefers }: QuoteForm, roomChars: number): string[] {
  const isNewestFirst = prefers === "newest";
  const kept: string[] = [];
  let leftChars = roomChars - mark.length - 1;
  for (let tried = 0; tried < texts.length && leftChars > 0; tried++) {
    const text = texts[isNewestFirst ? texts.length - 1 - tried : tried] ?? "";
    const quoted = quote(text, kept.length === 0 ? Math.min(quoteChars, leftChars) : quoteChars);
    if (quoted.length > leftChars) break;
    if (quoted === "") continue;
    kept.push(`${mark}${quoted}`);
    leftChars -= quoted.length + mark.length + 1;
  }
  return isNewestFirst ? kept.reverse() : kept;
}

/**
 * The text's beginning, from its first line that says something; nothing if none does. A line of it that would be a heading, a code fence or
 * a line of the digest's own is moved in.
 */
export function quote(text: string, maximumChars: number): string {
  const trimmed = text.trim();
  const start = startOfSaying(trimmed);
  if (start < 0) return "";
  const whole = trimmed.slice(start).trimStart().replace(ITEM, "");
  const cut = whole.length <= maximumChars ? whole : `${whole.slice(0, characterBoundaryAtOrBefore(whole, maximumChars - 1))}…`;
  const movedIn = cut.split("\n").map((line, at) => (at > 0 && isOurs(line) ? ` ${line}` : line));
  const quoted = movedIn.join("\n");
  // Most quotations have neither, and are not taken apart for each kind of line break.
  return quoted.includes("#") || quoted.includes("```") ? LINE_BREAKS.reduce(withoutHeadings, quoted) : quoted;
}

/** The mark of a ticked item: what is quoted stands behind a mark of its own. */
const ITEM = /^[-*+] (?=\[[ x]\] )/i;

/** Where the first line begins that says something; below 0 if none does. */
function startOfSaying(text: string): number {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    if (line.trim() !== "" && !isNothing(line)) return start;
    start = end + 1;
  }
  return -1;
}

/** True for a line that says nothing, or that is the digest's own. */
export function isOurs(line: string): boolean {
  return isNothing(line) || Object.values(MARKS).some((mark) => line.startsWith(mark));
}

function withoutHeadings(quoted: string, lineBreak: string): string {
  const withoutHashes = quoted.split(`${lineBreak}#`).join(`${lineBreak} #`);
  return withoutHashes.split(`${lineBreak}\`\`\``).join(`${lineBreak} \`\`\``);
}
