import { PLIMSOLL_POLICY, usageOf } from "@plimsoll/core";
import {
  type ArrayCompactor,
  type CompactorOptions,
  createArrayCompactor,
  replyDraft,
  resultDraft,
  textParts,
  userDraft,
  WHOLE_ITEMS,
  type WireArray,
} from "@plimsoll/providers/extend";

/** An item of the library's array. */
export type Item =
  | { readonly from: "rules" | "person"; readonly text: string }
  | { readonly from: "model"; readonly text: string; readonly calls: readonly Call[] }
  | { readonly from: "tool"; readonly callId: string; readonly text: string };
type Call = { readonly id: string; readonly tool: string; readonly input: string };

/** An answer of the library. */
export type Answer = { readonly id: string; readonly model: string; readonly promptTokens: number; readonly item: Item };

const MY_ARRAY: WireArray<Item, Answer> = {
  ...WHOLE_ITEMS,
  declares: ({ from, text }) => (from === "rules" ? { parts: textParts(text), tools: [] } : null),
  drafts: (items, { toolNameOf }) =>
    items.map((item) => {
      if (item.from === "tool") {
        return resultDraft({ callId: item.callId, toolName: toolNameOf(item.callId) }, textParts(item.text));
      }
      if (item.from !== "model") return userDraft(textParts(item.text));
      const calls = item.calls.map(
        ({ id, tool, input }) => ({ type: "tool-call", callId: id, toolName: tool, argumentsJson: input, paths: [] }) as const,
      );
      return replyDraft([...textParts(item.text), ...calls]);
    }),
  encode: (messages) =>
    messages.map((message): Item => {
      const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      if (message.role === "user") return { from: "person", text };
      if (message.role === "tool-result") return { from: "tool", callId: message.callId, text };
      const calls = message.parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
      return {
        from: "model",
        text,
        calls: calls.map((call) => ({ id: call.callId, tool: call.toolName, input: call.argumentsJson })),
      };
    }),
  turns: {
    roleOf: ({ from }) => (({ rules: "system", person: "user", model: "assistant", tool: "tool" }) as const)[from],
    said: (role, text) => (role === "user" ? { from: "person", text } : { from: "model", text, calls: [] }),
    join: (first, second) => ({ from: "person", text: `${first.text}\n${second.text}` }),
    userAfterTool: "reject",
  },
  joined: (items) => items,
  observed: ({ id, model, promptTokens }) => ({
    requestId: id,
    modelId: model,
    usage: usageOf({ totalInputTokens: promptTokens }),
  }),
};

/** Keeps the library's array inside of the window. */
export function createMyCompactor(options: CompactorOptions): ArrayCompactor<Item, Answer> {
  return createArrayCompactor(MY_ARRAY, options);
}

/** Asks with a fitting array. The array itself stays whole. */
export async function ask(items: readonly Item[], client: (fitted: readonly Item[]) => Promise<Answer>): Promise<Answer> {
  const limits = { contextWindowTokens: 200_000, maxOutputTokens: 8_000 };
  return createMyCompactor({ policy: PLIMSOLL_POLICY, limits }).send(items, client);
}
