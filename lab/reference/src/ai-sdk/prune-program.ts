import type { Program, ProgramMoment } from "@plimsoll/bench";
import type { Message } from "@plimsoll/core";
import { argumentsOf } from "../call-arguments.ts";
import { createEdits, type Edits } from "../edited.ts";
import { called, type PublishedCode } from "../packages.ts";

/** A message as the AI SDK sends it; only what is read here. */
interface ModelMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly content: readonly object[];
}

/** The part of the published `ai` that is used. */
interface AiSdkModule {
  readonly pruneMessages: (options: object) => readonly ModelMessage[];
}

/** As the SDK's reference shows it, before each step. */
const PRUNING = { reasoning: "before-last-message", toolCalls: "before-last-2-messages", emptyMessages: "remove" } as const;

/** The AI SDK's `pruneMessages` in `prepareStep`, whose messages are those of the next step, too. */
export function pruneProgram({ name, likeness, package: published, address }: PublishedCode): Program {
  return {
    name,
    likeness,
    runs: called(published),
    maxRecoveries: 0,
    resultCapChars: null,
    start: () => startPruning(address),
  };
}

async function startPruning(address: string) {
  const { pruneMessages }: AiSdkModule = await import(address);
  const edits = createEdits();
  const known = new Map<Message, readonly object[]>();
  const partsOf = (message: Message) => {
    const parts = known.get(message) ?? message.parts.map((part) => modelPart(message, part));
    known.set(message, parts);
    return parts;
  };
  return {
    at: ({ gate, messages: view }: ProgramMoment) => {
      if (gate !== "before-step") return Promise.resolve(view);
      const kept = new Set(
        pruneMessages({ messages: modelMessages(view, partsOf), ...PRUNING }).flatMap(({ content }) => content),
      );
      return Promise.resolve(view.flatMap((message) => keptOf(message, partsOf(message), { kept, edits })));
    },
  };
}

/** Results of one step are one message. */
function modelMessages(view: readonly Message[], partsOf: (message: Message) => readonly object[]): readonly ModelMessage[] {
  const made: ModelMessage[] = [];
  for (const message of view) {
    const role = message.role === "tool-result" ? "tool" : message.role;
    const last = made.at(-1);
    const content = message.role === "tool-result" ? partsOf(message).slice(0, 1) : partsOf(message);
    if (role === "tool" && last?.role === "tool") made[made.length - 1] = { role, content: [...last.content, ...content] };
    else made.push({ role, content });
  }
  return made;
}

function modelPart(message: Message, part: Message["parts"][number]): object {
  if (message.role === "tool-result")
    return {
      type: "tool-result",
      toolCallId: message.callId,
      toolName: message.toolName,
      output: { type: "text", value: part.type === "text" ? part.text : "" },
    };
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "reasoning":
      return { type: "reasoning", text: part.text };
    case "tool-call":
      return { type: "tool-call", toolCallId: part.callId, toolName: part.toolName, input: argumentsOf(part.argumentsJson) };
    case "image":
      return { type: "image", image: "" };
    default:
      return part satisfies never;
  }
}

/** The message with the parts that were kept; nothing of it if none was. */
function keptOf(
  message: Message,
  parts: readonly object[],
  { kept, edits }: { readonly kept: ReadonlySet<object>; readonly edits: Edits },
): readonly Message[] {
  const [first] = parts;
  if (message.role === "tool-result") return first !== undefined && kept.has(first) ? [message] : [];
  const places = parts.flatMap((part, place) => (kept.has(part) ? [place] : []));
  if (places.length === parts.length) return [message];
  if (places.length === 0 || message.role === "user") return [];
  return [
    edits.once(message, places.join(), () => ({
      ...message,
      parts: message.parts.filter((_, place) => places.includes(place)),
    })),
  ];
}
