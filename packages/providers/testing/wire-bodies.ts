import type { WireName } from "@plimsoll/simulator/extend";
import type { Fields } from "../src/fields.ts";

/** Parts of a request in addition to its items. */
interface AskedWith {
  readonly model?: string;
  readonly system?: string;
  readonly replyTokens?: number;
}

const LOOK = { name: "look", description: "Looks." };
const SCHEMA = { type: "object", properties: {} };

/** Returns the path of a wire's requests. */
export function pathOf(wire: WireName, model = "m"): string {
  const paths = { anthropic: "messages", "openai-chat": "chat/completions", "openai-responses": "responses" };
  return wire === "gemini" ? `/v1beta/models/${model}:generateContent` : `/v1/${paths[wire]}`;
}

/** Makes the body of a request with one tool, as a program of a wire does. */
export function bodyOf(
  wire: WireName,
  items: readonly unknown[],
  { model = "m", system, replyTokens = 1_000 }: AskedWith = {},
): Fields {
  const declared = { ...LOOK, parameters: SCHEMA };
  switch (wire) {
    case "anthropic":
      return {
        ...{ model, max_tokens: replyTokens, ...(system !== undefined && { system }) },
        ...{ tools: [{ ...LOOK, input_schema: SCHEMA }], messages: items },
      };
    case "openai-chat": {
      const messages = system === undefined ? items : [{ role: "system", content: system }, ...items];
      return { model, max_completion_tokens: replyTokens, tools: [{ type: "function", function: declared }], messages };
    }
    case "openai-responses":
      return {
        ...{ model, max_output_tokens: replyTokens, ...(system !== undefined && { instructions: system }), store: false },
        ...{ tools: [{ type: "function", ...declared, strict: false }], input: items },
      };
    case "gemini":
      return {
        contents: items,
        tools: [{ functionDeclarations: [{ ...LOOK, parametersJsonSchema: SCHEMA }] }],
        generationConfig: { maxOutputTokens: replyTokens },
      };
    default:
      return wire satisfies never;
  }
}
