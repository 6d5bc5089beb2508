import type { Message, Part } from "../message/message.ts";
import { imageTokensOf } from "./image-rule.ts";
import type { MessageMeasure } from "./measure.ts";
import { POOLED_PRIOR } from "./model-prior.ts";
import type { CountTokens, Tokenizers } from "./tokenizer.ts";
import { tokenizerFor } from "./tokenizer.ts";
import type { WorkCounter } from "./work.ts";

/** Tokens by a byte-pair encoding: exact for the text of the models that have it, an estimate for all others. */
export interface BpeSpec {
  readonly kind: "bpe";
  /** The encoding's name, as `o200k_base`; its tokenizer is given by whoever runs the policy. */
  readonly encoding: string;
  /** Added to each message, for the wire's framing. */
  readonly perMessageTokens: number;
}

/**
 * A {@link MessageMeasure} by a tokenizer. Linear in what it has not seen before. Reasoning counts as the text that it is; images and documents
 * count by the pooled rule, never by their bytes.
 *
 * @throws PlimsollError `bad-policy` where the tokenizer was not given.
 */
export function bpe(
  { encoding, perMessageTokens }: BpeSpec,
  { work, tokenizers }: { readonly work: WorkCounter; readonly tokenizers: Tokenizers },
): MessageMeasure {
  const count = tokenizerFor(encoding, tokenizers);
  const known = new WeakMap<Message, number>();
  const textTokens: CountTokens = (text) => {
    work.scanned(text.length);
    work.tokenized(1);
    return count(text);
  };
  const priced = (message: Message) => {
    work.visited(1);
    return message.parts.reduce((sum, part) => sum + partTokens(part, textTokens), perMessageTokens);
  };
  return {
    name: `bpe(${encoding})`,
    messageTokens: (message) => {
      const seen = known.get(message);
      if (seen !== undefined) return seen;
      const tokens = priced(message);
      known.set(message, tokens);
      return tokens;
    },
    textTokens,
    toolsTokens: (tools) =>
      tools.reduce(
        (sum, tool) => sum + textTokens(tool.name) + textTokens(tool.description) + textTokens(tool.parametersJson),
        0,
      ),
  };
}

function partTokens(part: Part, textTokens: CountTokens): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return textTokens(part.text);
    case "tool-call":
      return textTokens(part.toolName) + textTokens(part.argumentsJson);
    case "image":
      return imageTokensOf([part], POOLED_PRIOR.image);
    default:
      return part satisfies never;
  }
}
