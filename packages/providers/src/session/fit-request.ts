import type { Message, ModelLimits } from "@plimsoll/core";
import { PlimsollError } from "@plimsoll/core";
import type { Conversation, ConversationFit } from "@plimsoll/core/conversation";
import type { MessageDraft } from "@plimsoll/core/internal";
import { withId } from "@plimsoll/core/internal";

/** What is to be sent next, and for whom it has to fit. */
export interface NextRequest {
  readonly conversation: Conversation;
  /** What the person said and the log does not have yet. */
  readonly waiting: readonly MessageDraft[];
  readonly limits: ModelLimits;
  readonly signal: AbortSignal;
}

/**
 * Shows the gates the results, then what the person says, before that is submitted. Returns what the person says as messages to append.
 *
 * Rejects with a PlimsollError `bad-input` if there is nothing that the model has not answered.
 */
export async function fitSubmitted({ conversation, waiting, limits, signal }: NextRequest): Promise<readonly Message[]> {
  const { manager } = conversation;
  const last = manager.view().messages.at(-1);
  if (waiting.length === 0 && (last === undefined || (last.role === "assistant" && last.origin === "model")))
    throw new PlimsollError("bad-input", "there is nothing to send: say something as the user, or give a result");
  const fit = (gate: ConversationFit["gate"], pending: readonly Message[]) =>
    conversation.fit({ gate, pending, model: limits }, signal);
  if (last?.role === "tool-result") await fit("after-tool-batch", []);
  const pending = withIds(waiting, manager.state().lastMessageId);
  if (pending.length > 0) await fit("before-submit", pending);
  return pending;
}

function withIds(drafts: readonly MessageDraft[], after: string | null): readonly Message[] {
  let previousId = after;
  return drafts.map((draft) => {
    const message = withId(draft, previousId);
    previousId = message.id;
    return message;
  });
}
