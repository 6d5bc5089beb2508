import type { Facts } from "../facts/facts.ts";
import { fileOperations, namedAccessesOf } from "../facts/facts.ts";
import { textOnOneLine } from "../message/framing.ts";
import type { Message } from "../message/message.ts";
import type { KeptState } from "./facts.ts";
import { factFraming, newestLines } from "./facts.ts";

/**
 * Lists of the files that calls name in what the context no longer has, by name, read before modified; `null` if there are none. What stays is
 * the log's newest, so that all accesses but as many of the newest as it has are of what went. Files of a tracker are always listed.
 */
export function coveredFilesText(
  { facts, kept, staying }: { readonly facts: Facts; readonly kept: KeptState; readonly staying: readonly Message[] },
  maximumChars: number,
): string | null {
  const framing = factFraming(kept);
  const stayingCount = staying.reduce((count, message) => count + namedAccessesOf(message).length, 0);
  const covered = facts.named.slice(0, Math.max(0, facts.named.size - stayingCount));
  const states = new Map(facts.tracked.map(({ path, state }) => [path, state]));
  const files = [...fileOperations([...covered, ...facts.tracked])];
  const linesOf = (access: "read" | "modify") =>
    files.flatMap(([path, kind]) =>
      kind === access ? [() => [path, states.get(path) ?? ""].map(textOnOneLine).join(" ").trimEnd()] : [],
    );
  const listed = (tag: string, access: "read" | "modify", roomChars: number) =>
    newestLines(tag, linesOf(access), { framing, roomChars, order: "covered" });
  // What is modified matters more: the files that were read take what it leaves.
  const modified = listed("modified-files", "modify", maximumChars);
  const read = listed("read-files", "read", maximumChars - modified.length - 2);
  const blocks = [read, modified].filter((block) => block !== "");
  return blocks.length === 0 ? null : blocks.join("\n\n");
}
