import { isRecord } from "@plimsoll/core/extend";
import { type Fields, textAt } from "../fields.ts";
import { changedNodes, type ItemNode, itemNode } from "../wire/item-nodes.ts";

/** A fault that makes a session unusable, or may; `words` describe it to a person. */
export interface Fault {
  /** From 1; in a document of one value, the number of the message. */
  readonly line: number;
  readonly words: string;
}

/** Anthropic takes pictures of at most 5 MB and 8,000 pixels a side: platform.claude.com, Vision, read in November 2026. */
const MOST_IMAGE_BYTES = 5 * 1024 * 1024;
const MOST_IMAGE_PIXELS = 8_000;

/** Says which parts of a history {@link mendItems} takes for faults: those that the vendor refuses, and those that the person wants left out. */
export interface MendingRules {
  readonly thinking: "keep" | "leave-out";
  readonly unsigned: "refused" | "accepted";
  /** Agents leave texts without a character out by themselves. */
  readonly empty: "refused" | "accepted";
  /** `limited`: pictures above 5 MiB, or PNG files above 8,000 pixels a side, are faults. Google takes larger ones. */
  readonly images: "limited" | "any";
}

/** An item that is looked into, with its place. */
export interface Rooted {
  readonly line: number;
  readonly root: unknown;
  /** `null` for items beside the way to the newest line: one half of a pair may be, as calls at once have their results there. */
  readonly order: number | null;
}

/** Adds the faults in the parts of all roots to `faults`. It returns a function that gives each root without them, by its index; `null` for a removed one. */
export function mendItems(
  roots: readonly Rooted[],
  faults: Fault[],
  { thinking, unsigned, empty, images }: MendingRules,
): (index: number) => unknown {
  const changes = new Map<Fields, Fields | null>();
  const say = (line: number, words: string) => faults.push({ line, words });
  const nodes: { readonly value: Fields; readonly node: ItemNode; readonly line: number }[] = [];
  const beside = new Set<string>();
  for (const { line, root, order } of [...roots].sort((a, b) => (a.order ?? 0) - (b.order ?? 0)))
    changedNodes([root], (value) => {
      const node = itemNode(value);
      const { mended = null } = node ?? {};
      if (node !== null && mended !== null) {
        say(line, `the arguments of ${node.name === "" ? "a call" : `this call of ${node.name}`} are not a JSON object`);
        changes.set(value, mended);
      }
      if (node !== null && order !== null) nodes.push({ value, node: (mended && itemNode(mended)) ?? node, line });
      else if (node !== null) beside.add(`${node.kind} ${node.id}`);
      // In a result there may be pictures; in a call there is nothing else.
      return node?.kind === "call" ? value : undefined;
    });
  const open = new Map<string, (typeof nodes)[number]>();
  const renamed = new Map<string, string>();
  const answered = new Set<string>();
  for (const each of nodes) {
    const { value, node, line } = each;
    const { id } = node;
    if ((node.kind === "call" || node.kind === "pair") && id !== null) {
      const isUsed = open.has(id) || answered.has(id);
      const own = isUsed ? `${id}_${line}` : id;
      if (isUsed) say(line, `the id of this call of ${node.name} was used before`);
      if (isUsed) changes.set(value, node.renamed(own));
      if (isUsed && node.kind === "call") renamed.set(id, own);
      if (node.kind === "call") open.set(own, each);
      else answered.add(id);
    } else if (node.kind === "result" && id !== null) {
      const now = renamed.get(id) ?? id;
      const isOpen = open.delete(now);
      if (!isOpen && !beside.has(`call ${now}`)) {
        say(line, answered.has(now) ? "this result occurs twice" : "this result has no call before it");
        changes.set(value, node.said(`(A result whose call is gone from the log: ${shownResult(value)})`));
      } else if (now !== id) changes.set(value, node.renamed(now));
      answered.add(now);
    } else if (node.kind === "thinking" && ((!node.isSigned && unsigned === "refused") || thinking === "leave-out")) {
      say(
        line,
        node.isSigned
          ? "thinking that may be signed for another beginning"
          : "thinking without a signature, which the vendor refuses",
      );
      changes.set(value, null);
    } else if (node.kind === "image" && images === "limited") {
      const words = imageFault(node.data);
      if (words === null) continue;
      say(line, words);
      changes.set(value, node.said(`(${node.name === "" ? "a picture" : node.name}: ${words}; left out)`));
    } else if (node.kind === "empty" && empty === "refused") {
      say(line, "a text without a character, which the vendor refuses");
      changes.set(value, null);
    }
  }
  for (const { value, node, line } of open.values()) {
    if (beside.has(`result ${node.id}`)) continue;
    say(line, `this call of ${node.name === "" ? "a tool" : node.name} has no result`);
    changes.set(value, node.said(`(${node.name} was called and gave no result.)`));
  }
  return (index) => {
    const root = roots[index]?.root;
    if (isRecord(root) && changes.get(root) === null) return null;
    const [made] = [changedNodes([root], (value) => changes.get(value))].flat();
    return made === undefined ? root : moved(made);
  };
}

/** Chat Completions keeps calls beside the content: one that became a text moves there. */
function moved(message: unknown): unknown {
  if (!isRecord(message) || !Array.isArray(message.tool_calls)) return message;
  const calls = message.tool_calls.filter((each: unknown) => isRecord(each) && each.type !== "text");
  if (calls.length === message.tool_calls.length) return message;
  const { tool_calls: all, ...rest } = message;
  const texts = textAt({ all }, "all");
  const content = typeof message.content === "string" && message.content !== "" ? `${message.content}\n${texts}` : texts;
  return calls.length === 0 ? { ...rest, content } : { ...rest, content, tool_calls: calls };
}

/** Characters of a result that stay when its call is gone: enough to recognise it. Chosen. */
const SHOWN_CHARS = 2_000;

function shownResult(value: Fields): string {
  const { content, output } = value;
  const response = isRecord(value.functionResponse) ? value.functionResponse.response : undefined;
  const text = textAt({ said: content ?? output }, "said") || JSON.stringify(response ?? output ?? content ?? "");
  return text.slice(0, SHOWN_CHARS).toWellFormed();
}

function imageFault(data: string): string | null {
  const bytes = Math.floor((data.length * 3) / 4);
  if (bytes > MOST_IMAGE_BYTES) return `a picture of ${(bytes / 1024 / 1024).toFixed(1)} MB, more than vendors take`;
  const head = Buffer.from(data.slice(0, 64), "base64");
  if (head.toString("latin1", 1, 4) !== "PNG" || head.length < 24) return null;
  const pixels = Math.max(head.readUInt32BE(16), head.readUInt32BE(20));
  return pixels > MOST_IMAGE_PIXELS ? `a picture of ${pixels} pixels a side, more than vendors take` : null;
}
