import type { Context, ImagePart, Message, Part, ToolSpec } from "@plimsoll/core";
import type { CountTokens } from "@plimsoll/core/build";

/**
 * Tokens around each message, and before the reply: openai/openai-cookbook, "How to count tokens with tiktoken"
 * (`tokens_per_message = 3`; "every reply is primed with <|start|>assistant<|message|>", 3).
 */
const MESSAGE_TOKENS = 3;
const REPLY_TOKENS = 3;

/** Tokens around each tool and once after all of them: the same page, for the gpt-4o family (`func_init`, `func_end`). */
const TOOL_TOKENS = 7;
const TOOL_LIST_TOKENS = 12;

/** Tokens around a tool call. Not published; chosen like a message's, since a call is rendered as a message of its own. */
const CALL_TOKENS = 3;

/**
 * Prompt tokens of a request on the OpenAI Chat Completions wire: system text, tools, messages and dynamic context. It is the
 * sum of {@link openAiOverheadTokens} and of {@link openAiMessageTokens} over the messages. Reasoning is not part of that wire
 * and counts nothing; neither do call ids, which join messages and are not shown to the model.
 */
export function openAiPromptTokens(context: Context, countTokens: CountTokens): number {
  let tokens = openAiOverheadTokens(context, countTokens);
  for (const message of context.messages) tokens += openAiMessageTokens(message, countTokens);
  return tokens;
}

/** Tokens of a request's overhead: system text, tools, dynamic context and the start of the reply. */
export function openAiOverheadTokens(context: Omit<Context, "messages">, countTokens: CountTokens): number {
  const { system, tools, dynamicContext } = context;
  let tokens = REPLY_TOKENS + toolListTokens(tools, countTokens);
  if (system !== "") tokens += roleTokens("system", countTokens) + countTokens(system);
  if (dynamicContext !== null) tokens += roleTokens("user", countTokens) + countTokens(dynamicContext);
  return tokens;
}

/** Counts the tokens that one message adds to a prompt. */
export function openAiMessageTokens(message: Message, countTokens: CountTokens): number {
  let tokens = roleTokens(message.role === "tool-result" ? "tool" : message.role, countTokens);
  for (const part of message.parts) tokens += partTokens(part, countTokens);
  return tokens;
}

/** Tokens of a reply as output: its text and calls, without what a prompt puts around a message. */
export function openAiReplyTokens(message: Message, countTokens: CountTokens): number {
  return openAiMessageTokens(message, countTokens) - roleTokens(message.role, countTokens);
}

function roleTokens(role: string, countTokens: CountTokens): number {
  return MESSAGE_TOKENS + countTokens(role);
}

/** Names, descriptions and schemas as the text that is sent; the vendor renders schemas a little shorter. */
function toolListTokens(tools: readonly ToolSpec[], countTokens: CountTokens): number {
  if (tools.length === 0) return 0;
  let tokens = TOOL_LIST_TOKENS;
  for (const tool of tools) {
    tokens += TOOL_TOKENS + countTokens(`${tool.name}:${tool.description}`) + countTokens(tool.parametersJson);
  }
  return tokens;
}

function partTokens(part: Part, countTokens: CountTokens): number {
  switch (part.type) {
    case "text":
      return countTokens(part.text);
    case "tool-call":
      return CALL_TOKENS + countTokens(part.toolName) + countTokens(part.argumentsJson);
    case "image":
      return imageTokens(part);
    case "reasoning":
      return 0;
    default:
      return part satisfies never;
  }
}

/** Tokens of an image at high detail: a base, and as much again for each tile (OpenAI, "Images and vision", GPT-4o). */
const BASE_TOKENS = 85;
const TILE_TOKENS = 170;
const TILE_PX = 512;

/** The image is first scaled to fit a square of this side, then so that its shorter side is at most the other (same page). */
const LONGEST_SIDE_PX = 2_048;
const SHORTER_SIDE_PX = 768;

/** Taken for an image whose size is not known: a square of 1,024 px, which is the vendor's own example (chosen). */
const ASSUMED_SIDE_PX = 1_024;

/** Prompt tokens of an image, by its size and never by its bytes. */
function imageTokens(image: Pick<ImagePart, "widthPx" | "heightPx">): number {
  const widthPx = image.widthPx ?? ASSUMED_SIDE_PX;
  const heightPx = image.heightPx ?? ASSUMED_SIDE_PX;
  const fit = Math.min(1, LONGEST_SIDE_PX / Math.max(widthPx, heightPx));
  const shrink = Math.min(1, SHORTER_SIDE_PX / (Math.min(widthPx, heightPx) * fit));
  const tiles = (sidePx: number) => Math.max(1, Math.ceil((sidePx * fit * shrink) / TILE_PX));
  return BASE_TOKENS + TILE_TOKENS * tiles(widthPx) * tiles(heightPx);
}
