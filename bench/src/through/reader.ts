import type { AssistantMessage, Message, ToolResultMessage, ToolSpec, Usage, UserMessage } from "@plimsoll/core";
import type { JsonValue } from "@plimsoll/core/extend";
import type { ArrayCompactor, CompactorOptions } from "@plimsoll/providers/extend";

/** A part of the project that users install in front of their SDK, given a recorded history as that SDK's items. */
export interface Reader {
  /** How the SDK's users have a recorded message: one reply of the model. */
  readonly reply: (message: AssistantMessage) => readonly object[];
  /** The results of one batch of calls. */
  readonly results: (messages: readonly ToolResultMessage[]) => readonly object[];
  readonly said: (message: UserMessage) => readonly object[];
  readonly start: (options: CompactorOptions) => StartedReader;
}

/** A reader that runs, with the logs of what it was given. */
export interface StartedReader {
  /** Sends as the user's program does, through `call`. Rejects if a request is refused and nothing helps. */
  send(items: readonly object[], request: ReaderRequest, call: CallModel): Promise<unknown>;
  conversations(): ReturnType<ArrayCompactor<object, object>["conversations"]>;
}

/** The parts of a request beside its items. */
interface ReaderRequest {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly modelId: string;
}

/** Hands on what is sent. Resolves to the report of its answer, and rejects as the vendor refuses. */
export type CallModel = (sent: readonly object[]) => Promise<ReaderReport>;

/** The report of an answered request. */
export interface ReaderReport extends Pick<ReaderRequest, "modelId"> {
  readonly requestId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** Takes a value for one of an SDK's, whose types are wider than what is written here. */
export function ofSdk<Value>(value: unknown): Value {
  if (isOfSdk<Value>(value)) return value;
  throw new TypeError("an SDK's value is an object");
}

function isOfSdk<Value>(value: unknown): value is Value {
  return typeof value === "object" && value !== null;
}

/** A reader around a compactor of arrays; `answerOf` writes a report as the SDK's answer. */
export function startedAround<Item extends object, Answer>(
  compactor: Pick<ArrayCompactor<Item, Answer>, "send" | "conversations">,
  answerOf: (report: ReaderReport) => unknown,
): StartedReader {
  return {
    send: (items, request, call) =>
      compactor.send(
        items.map((item) => ofSdk<Item>(item)),
        async (sent) => ofSdk<Answer & object>(answerOf(await call(sent))),
        request,
      ),
    conversations: compactor.conversations,
  };
}

/** The report of a usage; what is not reported is none. */
export function reportOf(usage: Usage): Pick<ReaderReport, "inputTokens" | "outputTokens" | "reasoningTokens"> {
  const { totalTokens, reasoningTokens } = usage.output;
  return { inputTokens: usage.input.totalTokens ?? 0, outputTokens: totalTokens ?? 0, reasoningTokens: reasoningTokens ?? 0 };
}

/** The input of a call as an object: what the model wrote, or its text for calls that take no JSON. */
export function inputOf(argumentsJson: string): object {
  try {
    const input: unknown = JSON.parse(argumentsJson);
    if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  } catch {
    // A call of another form, or one that was broken off.
  }
  return { input: argumentsJson };
}

/** The seal of reasoning that a vendor wants back, as text under a key; nothing for reasoning that is recorded without one. */
export function sealOf(opaque: JsonValue, key: string): Readonly<Record<string, string>> {
  return opaque === null ? {} : { [key]: typeof opaque === "string" ? opaque : JSON.stringify(opaque) };
}

/** The texts and media of a message, each written by one of two functions; media whose bytes are not kept leave a word. */
export function piecesOf<Text, Media>(
  { parts }: Pick<UserMessage | ToolResultMessage, "parts">,
  { text, media }: { readonly text: (text: string) => Text; readonly media: (url: string, mediaType: string) => Media },
): readonly (Text | Media)[] {
  return parts.map((part) => {
    if (part.type === "text") return text(part.text);
    const { source, mediaType } = part;
    if (source.kind === "url") return media(source.url, mediaType);
    return source.kind === "base64" ? media(`data:${mediaType};base64,${source.data}`, mediaType) : text("[image]");
  });
}

/** The text of a message whose parts are all text; `null` with media. */
export function plainText({ parts }: Pick<Message, "parts">): string | null {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === parts.length ? texts.join("\n") : null;
}
