import type { BpeSpec } from "./bpe.ts";
import { bpe } from "./bpe.ts";
import type { CharClassSpec } from "./char-class.ts";
import { charClass } from "./char-class.ts";
import type { CharsPerTokenSpec } from "./chars-per-token.ts";
import { charsPerToken } from "./chars-per-token.ts";
import type { MessageMeasure } from "./measure.ts";
import type { Tokenizers } from "./tokenizer.ts";
import type { WorkCounter } from "./work.ts";

/** A measure of single messages, as data. */
export type MeasureSpec = CharsPerTokenSpec | CharClassSpec | BpeSpec;

/**
 * The measure that a policy names.
 *
 * @throws PlimsollError `bad-policy` for an encoding whose tokenizer was not given.
 */
export function createMeasure(
  spec: MeasureSpec,
  { work, tokenizers }: { readonly work: WorkCounter; readonly tokenizers: Tokenizers },
): MessageMeasure {
  switch (spec.kind) {
    case "chars-per-token":
      return charsPerToken(spec, work);
    case "char-class":
      return charClass(spec, { work });
    case "bpe":
      return bpe(spec, { work, tokenizers });
    default:
      return spec satisfies never;
  }
}
