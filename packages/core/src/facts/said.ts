import type { UserMessage } from "../message/message.ts";
import { LASTING } from "./closed-words.ts";
import { afterLater } from "./later-words.ts";
import { STARTS, type Statement, statementsOf } from "./statement.ts";

/** The person's sentences, oldest first, and how many older ones are no longer known by their words. */
export interface Said {
  readonly statements: readonly Statement[];
  readonly forgotten: number;
}

/** Nothing was said. */
export const NOTHING_SAID: Said = { statements: [], forgotten: 0 };

/** Sentences that are remembered: ten times what any record shows. Of more the oldest asides leave first, then requests. Chosen. */
const MOST_STATEMENTS = 400;

/** Share of its subject that a turn may leave unnamed in which it was done: of a request, and of what may be an order. Chosen on recordings. */
const UNNAMED_RATIO = { request: 0.5, order: 0.25, aside: 1 } as const;

/** UTF-16 units at both ends of a text of the model's in which it says what it does. Chosen. */
const REPLY_CHARS = 2_000;

/** Words that one reply is searched for, those of the oldest sentences of its turn first. Chosen: sixty sentences have as many. */
const MOST_WORDS = 500;

/** The person's words after one more message of the person's. The last word counts; where it is doubtful whether it is about an earlier one, both stay. */
export function withSaid({ statements, forgotten }: Said, message: UserMessage): Said {
  const own = [...new Map(statementsOf(message).map((each) => [each.text, each])).values()];
  const fresh = worthiest(own);
  if (fresh.length === 0) return { statements, forgotten };
  const repeated = new Set(fresh.map(({ text }) => text));
  const after = afterLater(
    statements.filter(({ text }) => !repeated.has(text)),
    fresh,
  );
  const all = [...after.before, ...after.fresh];
  const kept = worthiest(all);
  return { statements: kept, forgotten: forgotten + own.length - fresh.length + all.length - kept.length };
}

/** The same after words of the model's, its calls among them; and after it ended its turn: nothing of it waits any more. */
export function withReplyTo(said: Said, texts: readonly string[], isEnd: boolean): Said {
  if (said.statements.every(({ turn }) => turn !== "open")) return said;
  const reply = texts.map((text) =>
    `${text.slice(0, REPLY_CHARS)} ${text.slice(REPLY_CHARS).slice(-REPLY_CHARS)}`.toLowerCase(),
  );
  let words = 0;
  const statements = said.statements.map((each): Statement => {
    if (each.turn !== "open") return each;
    words += each.unnamed.length;
    const isHeard = words <= MOST_WORDS;
    const unnamed = isHeard ? each.unnamed.filter((word) => !reply.some((text) => isNamedIn(text, word))) : each.unnamed;
    const heard = unnamed.length === each.unnamed.length ? each : { ...each, unnamed };
    return isEnd ? ended(heard) : heard;
  });
  return { ...said, statements };
}

/** A sentence after its turn: done if the turn spoke of it; then what only might have held from then on was the task at hand. */
function ended(each: Statement): Statement {
  const isDone = each.unnamed.length <= each.about.length * UNNAMED_RATIO[each.kind];
  const isLasting = each.kind === "order" && (LASTING.lasting.test(each.text) || STARTS.test(each.text));
  if (!isDone || isLasting) return { ...each, turn: "answered" };
  return { ...each, turn: "done", kind: each.kind === "order" ? "request" : each.kind };
}

/** A word as a word of its own if it is short, and any form of it if it is long. */
function isNamedIn(text: string, whole: string): boolean {
  const word = whole.replace(/['’]s$/, "");
  if (word.length >= 6) return text.includes(word.slice(0, -1));
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const isWhole = !/[\p{L}\p{N}]/u.test(text.charAt(at - 1)) && !/[\p{L}\p{N}]/u.test(text.charAt(at + word.length));
    if (isWhole || WIDE_CHAR.test(word)) return true;
  }
  return false;
}

const WIDE_CHAR = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** How much a sentence is worth keeping, the higher the better: orders in force, what was asked, what is doubtful or gone, asides. */
function worthOf({ kind, standing, isEnd }: Statement): number {
  const places = { order: 3, request: 2, aside: 0 } as const;
  return standing === "revoked" || isEnd ? 1 : places[kind];
}

function worthiest(all: readonly Statement[]): readonly Statement[] {
  if (all.length <= MOST_STATEMENTS) return all;
  const places = all.map((each, at) => ({ worth: worthOf(each), at })).sort((a, b) => b.worth - a.worth || b.at - a.at);
  const kept = new Set(places.slice(0, MOST_STATEMENTS).map(({ at }) => at));
  return all.filter((_, at) => kept.has(at));
}
