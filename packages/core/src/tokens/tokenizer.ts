import { PlimsollError } from "../error.ts";

/** Counts the tokens of a text. Pure, never throws, linear in the text whatever the text is. */
export type CountTokens = (text: string) => number;

/** The tokenizers that were given, by the name of their encoding. Core has none: a policy names an encoding, whoever runs it brings it. */
export type Tokenizers = { readonly [encoding: string]: CountTokens };

/**
 * The tokenizer of an encoding.
 *
 * @throws PlimsollError `bad-policy` where it was not given.
 */
export function tokenizerFor(encoding: string, tokenizers: Tokenizers): CountTokens {
  const found = Object.hasOwn(tokenizers, encoding) ? tokenizers[encoding] : undefined;
  if (found !== undefined) return found;
  const names = Object.keys(tokenizers);
  const given = names.length === 0 ? "none was given" : `given: ${names.join(", ")}`;
  throw new PlimsollError(
    "bad-policy",
    `the policy's estimator counts by the encoding ${JSON.stringify(encoding)}, and there is no tokenizer for it (${given}); pass it as tokenizers`,
    { encoding },
  );
}
