import { z } from "zod";
import { type Amount, amountSchema } from "../budget.ts";
import { type Message, toolCallsOf } from "../message/message.ts";
import { defineKeepRule, type KeepRuleKind, type KeepView, type MessageRange } from "./keep-rule.ts";

/** The files that the newest calls modify, up to an amount. */
export interface FilesInHandSpec {
  readonly kind: "files-in-hand";
  readonly atMost: Amount;
}

const schema: z.ZodType<FilesInHandSpec> = z.strictObject({
  kind: z.literal("files-in-hand"),
  atMost: amountSchema.describe("The most of it that stays."),
});

/**
 * Keeps what shows the files that are being changed, the file of the newest change first: of each the newest call that touched it, and the
 * newest that read it. What a file was before its newest reading is of no use to the next change.
 */
export const FILES_IN_HAND: KeepRuleKind = defineKeepRule({
  kind: "files-in-hand",
  schema,
  rule: ({ atMost }) => ({ keeps: "messages", atMost, choose: newestTouches }),
});

interface Touches {
  readonly newest: number;
  modified: number | null;
  read: number | null;
}

function* newestTouches({ messages }: KeepView): Iterable<MessageRange> {
  const files = touchesOf(messages);
  const inHand = [...files.values()].flatMap(({ newest, read, modified }) =>
    modified === null ? [] : [{ newest, read, modified }],
  );
  inHand.sort((a, b) => b.modified - a.modified);
  for (const { newest, read } of inHand) {
    yield { from: newest, through: newest };
    if (read !== null && read !== newest) yield { from: read, through: read };
  }
}

/** Where each path was last touched, modified and read, by index of the message with the call. */
function touchesOf(messages: readonly Message[]): ReadonlyMap<string, Touches> {
  const files = new Map<string, Touches>();
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) continue;
    for (const { paths } of toolCallsOf(message))
      for (const { path, access } of paths) {
        const touches = files.get(path) ?? { newest: index, modified: null, read: null };
        files.set(path, touches);
        if (access === "modify") touches.modified ??= index;
        else touches.read ??= index;
      }
  }
  return files;
}
