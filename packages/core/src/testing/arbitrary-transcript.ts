import fc from "fast-check";
import type { SessionEntry } from "../entry.ts";
import {
  type AssistantMessage,
  type ImagePart,
  type Message,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultMessage,
  type UserMessage,
  wellFormedMessage,
} from "../message/message.ts";
import { OUTPUT_CATEGORIES } from "../tool.ts";
import { arbitraryText, arbitraryVisibleText } from "./arbitrary-text.ts";
import { sessionStart, usageEntry } from "./builders.ts";

const textPart = (text: fc.Arbitrary<string>): fc.Arbitrary<TextPart> => text.map((value) => ({ type: "text", text: value }));

const imagePart: fc.Arbitrary<ImagePart> = fc.record(
  {
    type: fc.constant("image"),
    mediaType: fc.constantFrom("image/png", "application/pdf"),
    widthPx: fc.option(fc.integer({ min: 1, max: 8000 })),
    heightPx: fc.option(fc.integer({ min: 1, max: 8000 })),
    sizeBytes: fc.option(fc.nat()),
    source: fc.constantFrom(
      { kind: "absent" } as const,
      { kind: "base64", data: "iVBORw0KGgo=" } as const,
      { kind: "url", url: "https://example.org/a.png" } as const,
      { kind: "artifact", handle: "0f1e2d3c" } as const,
    ),
    pageCount: fc.integer({ min: 0, max: 90 }),
  },
  { requiredKeys: ["type", "mediaType", "widthPx", "heightPx", "sizeBytes", "source"] },
);

const reasoningPart: fc.Arbitrary<ReasoningPart> = fc.record({
  type: fc.constant("reasoning"),
  text: arbitraryText,
  opaque: fc.constantFrom(null, "signature", { encrypted: "c2VjcmV0" }),
});

const callPart = (callId: fc.Arbitrary<string>): fc.Arbitrary<ToolCallPart> =>
  fc.record({
    type: fc.constant("tool-call"),
    callId,
    toolName: fc.constantFrom("read", "edit", "bash"),
    argumentsJson: fc.oneof(
      fc.constantFrom("{}", "", "{"),
      arbitraryText.map((text) => JSON.stringify({ path: "src/a.ts", text })),
    ),
    paths: fc.constantFrom([], [{ path: "src/a.ts", access: "read" }], [{ path: "src/a.ts", access: "modify" }] as const),
  });

const userMessage = (id: fc.Arbitrary<string>, text: fc.Arbitrary<string>, minParts: 0 | 1): fc.Arbitrary<UserMessage> =>
  fc.record({
    role: fc.constant("user"),
    id,
    origin: fc.constantFrom("human", "human", "human", "command", "injected", "declared", "summary", "notice"),
    parts: fc.array(fc.oneof({ weight: 5, arbitrary: textPart(text) }, { weight: 1, arbitrary: imagePart }), {
      minLength: minParts,
      maxLength: 3,
    }),
    atMs: fc.option(fc.nat()),
  });

const assistantMessage = (
  id: fc.Arbitrary<string>,
  parts: fc.Arbitrary<AssistantMessage["parts"]>,
): fc.Arbitrary<AssistantMessage> =>
  fc.record({
    role: fc.constant("assistant"),
    id,
    origin: fc.constant("model"),
    parts,
    modelId: fc.constantFrom("test/model", "test/other", null),
    requestId: fc.option(id),
    stopReason: fc.constantFrom("end", "tool-calls", "length", "aborted", "error", null),
    atMs: fc.option(fc.nat()),
  });

const resultMessage = (id: fc.Arbitrary<string>, callId: fc.Arbitrary<string>): fc.Arbitrary<ToolResultMessage> =>
  fc.record({
    role: fc.constant("tool-result"),
    id,
    callId,
    toolName: fc.constantFrom("read", "edit", "bash"),
    isError: fc.boolean(),
    category: fc.constantFrom(...OUTPUT_CATEGORIES),
    parts: fc.array(fc.oneof({ weight: 5, arbitrary: textPart(arbitraryText) }, { weight: 1, arbitrary: imagePart }), {
      maxLength: 2,
    }),
    atMs: fc.option(fc.nat()),
  });

/** A reply whose reasoning leads to something: blocks of reasoning, each followed by text or calls. */
const replyParts = (calls: fc.Arbitrary<readonly ToolCallPart[]>): fc.Arbitrary<AssistantMessage["parts"]> =>
  fc
    .tuple(fc.array(reasoningPart, { maxLength: 2 }), fc.array(textPart(arbitraryVisibleText), { maxLength: 2 }), calls)
    .map(([reasoning, texts, made]) => {
      const said = texts.length + made.length === 0 ? [{ type: "text", text: "ok" } as const] : texts;
      return [...reasoning, ...said, ...made];
    });

const placeholder = fc.constant("");

/** One step: a reply with up to four calls, and their results in any order. */
const step: fc.Arbitrary<readonly Message[]> = fc
  .array(callPart(placeholder), { maxLength: 4 })
  .chain((calls) =>
    fc.tuple(
      assistantMessage(placeholder, replyParts(fc.constant(calls))),
      fc.shuffledSubarray([...calls.keys()], { minLength: calls.length }),
      fc.array(resultMessage(placeholder, placeholder), { minLength: calls.length, maxLength: calls.length }),
    ),
  )
  .map(([reply, order, results]) => {
    const numbered = reply.parts
      .filter((part) => part.type === "tool-call")
      .map((part, index) => ({ ...part, callId: `${index}` }));
    const others = reply.parts.filter((part) => part.type !== "tool-call");
    return [
      { ...reply, parts: [...others, ...numbered] },
      ...results.map((result, index) => ({ ...result, callId: `${order[index] ?? 0}` })),
    ];
  });

const turn: fc.Arbitrary<readonly Message[]> = fc
  .tuple(userMessage(placeholder, arbitraryVisibleText, 1), fc.array(step, { maxLength: 4 }))
  .map(([user, steps]) => [user, ...steps.flat()]);

/** Ids with odd characters in addition to their position: those of handles, ends of lines and brackets, any script. */
const ODD_IDS: readonly ((index: number) => string)[] = [
  (index) => `m${index}`,
  (index) => `m${index - (index % 2)}${index % 2 === 0 ? "" : "#1"}`,
  (index) => `m..${index}`,
  (index) => `${index}.`,
  (index) => ` m ${index}\n]; handle m0`,
  (index) => `"m:${index}%2E`,
  (index) => `\u4f1a\u8a71-${index}-\ud83d\udc4d`,
  (index) => `artifact:${index}`,
  (index) => `${"m".repeat(200)}${index}`,
];

/** Message ids by position, call ids by the position of their message: so a list of turns is valid. */
function withIds(messages: readonly Message[], idAt: (index: number) => string): readonly Message[] {
  let caller = 0;
  return messages.map((message, index): Message => {
    const id = idAt(index);
    if (message.role === "tool-result") return { ...message, id, callId: `call-${caller}-${message.callId}` };
    if (message.role === "user") return { ...message, id };
    caller = index;
    const parts = message.parts.map((part) =>
      part.type === "tool-call" ? { ...part, callId: `call-${index}-${part.callId}` } : part,
    );
    return { ...message, id, parts };
  });
}

/** Lists that agents log: valid ones, but for lone surrogates in their texts. */
const loggedMessages: fc.Arbitrary<readonly Message[]> = fc
  .tuple(
    fc.array(turn, { minLength: 1, maxLength: 6 }),
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...ODD_IDS.slice(0, 1)) },
      { weight: 1, arbitrary: fc.constantFrom(...ODD_IDS) },
    ),
  )
  .map(([turns, idAt]) => withIds(turns.flat(), idAt));

/**
 * Lists that every wire accepts as history: turns of steps with parallel and failed calls, results in any order, reasoning, images,
 * empty results and giant texts in all scripts, texts that speak for others, and ids of any form. The newest message may be the assistant's.
 */
export const arbitraryValidMessages: fc.Arbitrary<readonly Message[]> = loggedMessages.map((messages) =>
  messages.map(wellFormedMessage),
);

const fewIds = fc.integer({ min: 0, max: 30 }).map((number) => `m${number}`);
const fewCallIds = fc.constantFrom("c0", "c1", "c2", "c3", "c 4|x", "call-".padEnd(80, "5"));

const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  userMessage(fewIds, arbitraryText, 0),
  assistantMessage(fewIds, fc.array(fc.oneof(textPart(arbitraryText), reasoningPart, callPart(fewCallIds)), { maxLength: 5 })),
  resultMessage(fewIds, fewCallIds),
);

/** Takes messages out, doubles them and swaps them; `places` are taken modulo their number. */
function damaged(
  messages: readonly Message[],
  damages: readonly { readonly kind: string; readonly places: readonly [number, number] }[],
) {
  const list = [...messages];
  for (const { kind, places } of damages) {
    const from = places[0] % Math.max(1, list.length);
    const to = places[1] % Math.max(1, list.length);
    const moved = kind === "double" ? list.slice(from, from + 1) : list.splice(from, 1);
    if (kind !== "remove") list.splice(to, 0, ...moved);
  }
  return list;
}

const damagedMessages: fc.Arbitrary<readonly Message[]> = fc
  .tuple(
    loggedMessages,
    fc.array(fc.record({ kind: fc.constantFrom("remove", "double", "move"), places: fc.tuple(fc.nat(), fc.nat()) }), {
      maxLength: 6,
    }),
  )
  .map(([messages, damages]) => damaged(messages, damages));

/**
 * Generates lists of messages that a crash, a fork, a bad importer or another agent may leave: valid ones with messages missing, doubled and out of place;
 * and any messages at all, with few ids, orphaned and interleaved calls, blank parts, lone reasoning,
 * lone surrogates.
 */
export const arbitraryMessageSoup: fc.Arbitrary<readonly Message[]> = fc.oneof(
  damagedMessages,
  fc.array(anyMessage, { maxLength: 20 }),
);

/** A log of messages as agents log them, with a usage report before each reply of a model. */
export const arbitraryLog: fc.Arbitrary<readonly SessionEntry[]> = fc
  .tuple(loggedMessages, arbitraryText, fc.integer({ min: 1, max: 50 }))
  .map(([messages, system, tokensAMessage]) => [
    sessionStart(system),
    ...messages.flatMap((message, index): readonly SessionEntry[] => {
      const said: SessionEntry = { type: "message", message };
      const through = messages[index - 1]?.id ?? null;
      return message.role === "assistant"
        ? [usageEntry(`request-${index}`, through, tokensAMessage * (index + 1)), said]
        : [said];
    }),
  ]);
