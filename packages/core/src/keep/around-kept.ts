import type { PromptedSpan } from "../applied-edit.ts";
import type { Edit, ReplacePartEdit } from "../edit/edit.ts";
import { partHandle } from "../message/handle.ts";
import type { Message } from "../message/message.ts";
import { clearedText } from "../prompts/notices.ts";
import { isUnsized } from "../tokens/image-rule.ts";

/**
 * The edits without what they would take of the messages that are kept: spans are split around them, and no part of one is replaced. An edit
 * of which nothing is left is left out. One pass over the view for each edit of spans.
 */
export function aroundKept(
  edits: readonly Edit[],
  { messages, kept }: { readonly messages: readonly Message[]; readonly kept: ReadonlySet<Message> },
): readonly Edit[] {
  if (kept.size === 0) return edits;
  const keptIds = new Set([...kept].map(({ id }) => id));
  return edits.flatMap((edit): readonly Edit[] => {
    if (edit.kind === "replace-part") return keptIds.has(edit.messageId) ? [] : [edit];
    const spans = edit.spans.flatMap((span) => splitAround(span, messages, kept));
    return spans.length === 0 ? [] : [{ ...edit, spans }];
  });
}

/**
 * Stubs for what keep rules hold without knowing its size: a document of unknown pages may fill the window, and would bring on one cut after another. The
 * words of its message stay.
 */
export function unsizedStubs(kept: ReadonlySet<Message>): readonly ReplacePartEdit[] {
  return [...kept].flatMap(({ id, parts }) =>
    parts.flatMap((part, partIndex): readonly ReplacePartEdit[] => {
      if (part.type !== "image" || !isUnsized(part)) return [];
      const handle = partHandle(id, partIndex);
      return [{ kind: "replace-part", messageId: id, partIndex, text: clearedText(part.mediaType, 0, handle), handle }];
    }),
  );
}

/** Splits a span into the pieces between the messages that are kept. A span that the view does not have is left to whoever applies it. */
function splitAround(span: PromptedSpan, messages: readonly Message[], kept: ReadonlySet<Message>): readonly PromptedSpan[] {
  const from = messages.findIndex(({ id }) => id === span.from);
  const through = messages.findIndex(({ id }) => id === span.through);
  if (from < 0 || through < from) return [span];
  const spans: PromptedSpan[] = [];
  let first: Message | null = null;
  let last: Message | null = null;
  const end = () => {
    if (first !== null && last !== null) spans.push({ ...span, from: first.id, through: last.id });
    first = null;
  };
  // By index: a long view is walked once, and ids are read only where a piece begins or ends.
  for (let at = from; at <= through; at++) {
    const message = messages[at];
    if (message === undefined || kept.has(message)) {
      end();
      continue;
    }
    first ??= message;
    last = message;
  }
  end();
  return spans;
}
