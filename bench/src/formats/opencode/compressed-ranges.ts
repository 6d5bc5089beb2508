import { type Fields, recordAt, recordsAt, stringAt } from "../fields.ts";
import { type LogItem, textPart, unreadItem, userItem } from "../log-items.ts";

/** A message of the log as it is read. */
interface ReadMessage {
  readonly isUser: boolean;
  readonly parts: readonly Fields[];
  readonly read: readonly LogItem[];
  readonly atMs: number | null;
}

/** A range that a summary stands for, with the first message that it covers. */
interface Block {
  readonly first: number;
  readonly summary: LogItem;
  readonly text: string;
}

/**
 * Follows the ranges that the model compressed by the `compress` tool of the plugin Dynamic Context Pruning (`@tarquinen/opencode-dcp`, types of
 * 3.1.14): from the next request on a summary stands in the place of a range of messages, which the log keeps. Messages are named `m0001` in their
 * order, summaries `b1`; a range may cover earlier summaries, which its own text names as `(b1)`.
 */
export function createRanges(isSubAgent: boolean): { take(message: ReadMessage): readonly LogItem[] } {
  const named: (readonly LogItem[])[] = [];
  const blocks: Block[] = [];
  let skipsPrompt = isSubAgent;
  const placeOf = (name: string): number | undefined => {
    const [, kind, digits] = /^\s*([mb])0*(\d+)\s*$/i.exec(name) ?? [];
    const place = Number(digits) - 1;
    if (kind?.toLowerCase() === "b") return blocks[place]?.first;
    return named[place] === undefined ? undefined : place;
  };
  const boundary = (entry: Fields, atMs: number | null): LogItem => {
    const [start, end] = ["startId", "endId"].map((key) => placeOf(stringAt(entry, key) ?? stringAt(entry, "messageId") ?? ""));
    if (start === undefined || end === undefined || start > end) return unreadItem("compress range");
    const text = (stringAt(entry, "summary") ?? "").replace(
      /\(b(\d+)\)/g,
      (name, block: string) => blocks[Number(block) - 1]?.text ?? name,
    );
    const covered = blocks.filter(({ first }) => first >= start && first <= end).map(({ summary }) => summary);
    const items = [...named.slice(start, end + 1).flat(), ...covered];
    const summary = userItem("summary", [textPart(`[Compressed conversation section]\n${text}`)], { atMs });
    blocks.push({ first: start, summary, text });
    return { kind: "boundary", summary, kept: { kind: "around", items }, tokensBefore: null, line: null, sourceId: null, atMs };
  };
  return {
    take: ({ isUser, parts, read, atMs }) => {
      if (isUser && parts.every(({ ignored }) => ignored === true)) return [];
      if (isUser && skipsPrompt) skipsPrompt = false;
      else named.push(read);
      return parts.filter(isCompress).flatMap((part) => entriesOf(part).map((entry) => boundary(entry, atMs)));
    },
  };
}

function isCompress(part: Fields): boolean {
  return part.type === "tool" && part.tool === "compress" && recordAt(part, "state")?.status === "completed";
}

/** Its ranges or messages: a list of them, one, or the arguments themselves, by version. */
function entriesOf(part: Fields): readonly Fields[] {
  const input = recordAt(recordAt(part, "state"), "input");
  const listed = recordsAt(input, "content");
  const [only] = [recordAt(input, "content"), input].filter((each) => each !== null);
  return listed.length > 0 || only === undefined ? listed : [only];
}
