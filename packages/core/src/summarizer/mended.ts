import { CANCELS } from "../facts/closed-words.ts";
import { type Facts, isDone } from "../facts/facts.ts";
import { type Statement, subjectOf } from "../facts/statement.ts";

/** Share of an order's subject that a line names which tells it again; chosen. */
const SAME_RATIO = 0.8;

/**
 * A model's summary held against the record that stands beside it. Where it tells an order again that was taken back, it gets the person's later words. Requests and
 * items of the plan in their own words, and things by their names, are marked where it does not say that they are over. An order in force that the summary lost
 * stands in the record, word for word: `repairs` say that, too. What was marked stays as it is. Linear in lines and in what the record has.
 */
export function mendedSummary(
  summary: string,
  facts: Pick<Facts, "said" | "plan" | "running">,
): { readonly text: string; readonly repairs: readonly string[] } {
  const orders = facts.said.statements.filter(({ kind }) => kind === "order");
  const ended = orders.filter(({ standing, about }) => standing === "revoked" && about.length > 0);
  const inForce = orders.filter(({ standing, isEnd }) => standing === "in-force" && !isEnd);
  const finished = finishedIn(facts);
  const lines = summary.split("\n");
  let heading = "";
  const marked = lines.map((line) => {
    if (/^#|:\s*$/.test(line)) heading = line;
    return finished.reduce((text, each) => withMark(text, each, heading), line);
  });
  const mended = marked.map((line) => {
    const told = ended.find((order) => isTold(line, order));
    const isMeant = told !== undefined && !inForce.some(({ text }) => line.includes(text));
    if (!isMeant) return line;
    const at = line.includes(told.text) ? line.indexOf(told.text) + told.text.length : line.length;
    return `${line.slice(0, at)} [no longer in force; the person said later: ${told.by?.text}]${line.slice(at)}`;
  });
  const repairs = [
    ...(mended.some((line, at) => line !== marked[at]) ? ["ended-order-marked"] : []),
    ...(marked.some((line, at) => line !== lines[at]) ? ["finished-marked"] : []),
    ...(inForce.every((order) => summary.includes(order.text)) ? [] : ["order-restored"]),
  ];
  return { text: mended.join("\n"), repairs };
}

/** Words of something that is over, the mark behind them, and by which a line with its heading tells that it is not; `null` if the words alone do. */
type Finished = readonly [text: string, mark: string, tells: RegExp | null];

function finishedIn({ said, plan, running }: Pick<Facts, "said" | "plan" | "running">): readonly Finished[] {
  const requests = said.statements.filter(({ kind, turn, about }) => kind === "request" && turn === "done" && about.length > 1);
  const items = (plan?.items ?? []).filter(({ status }) => isDone(status));
  const names = running.flatMap(({ name, state }) => (name !== null && name.length > 3 && state === "ended" ? [name] : []));
  return [
    ...requests.map(({ text }): Finished => [text, " [done since, or given up]", null]),
    ...items.map(({ text }): Finished => [text, " [done since]", TO_DO]),
    ...names.map((text): Finished => [text, " [ended since]", GOES_ON]),
  ];
}

/** Words with which models say that something is to be done, and that something goes on. */
const TO_DO = /\[ \]|\b(?:open|pending|to ?do|next|remain\w*|in[ _]progress|not (?:yet )?(?:done|started))\b/i;
const GOES_ON = /\b(?:(?:still |keeps )?running|in the background|listening|serving|up|alive|active)\b/i;

/** A line with the mark behind the words, where they stand for themselves. */
function withMark(line: string, [text, mark, tells]: Finished, heading: string): string {
  const at = line.indexOf(text);
  if (at < 0) return line;
  const [before, after] = [line.slice(0, at + text.length), line.slice(at + text.length)];
  const isWhole = /[.!?。！？]$/u.test(text) || (tells === GOES_ON ? /^(?![\w-])/ : /^\s*(?:$|[^\s\p{L}\p{N}])/u).test(after);
  const isOver = tells === null || tells.test(`${heading} ${line.replace(text, () => "")}`);
  return isWhole && isOver && !after.startsWith(mark) ? before + mark + after : line;
}

/** True for a line that tells an order, and neither the words that took it back nor that somebody did. */
function isTold(line: string, { text, about, by }: Statement): boolean {
  if (line.includes(by?.text ?? text) || (CANCELS.strong.test(line) && !line.includes(text))) return false;
  if (line.includes(text)) return true;
  const named = new Set(subjectOf(line));
  return about.filter((word) => named.has(word)).length >= about.length * SAME_RATIO && about.length > 1;
}
