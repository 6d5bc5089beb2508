import { PlimsollError } from "@plimsoll/core";
import type { CountTokens, Tokenizers } from "@plimsoll/core/build";
import type { EncodingName } from "./load-encoding.ts";
import { ENCODING_NAMES, loadTokenCounter } from "./load-encoding.ts";

/** The tokenizers of encodings, by name. */
export type LoadTokenizers = (encodings: readonly string[]) => Promise<Tokenizers>;

/**
 * Loads what a policy counts by (`encodingsOf`), each encoding once, and nothing before it is asked for.
 *
 * Its promise rejects with a PlimsollError `bad-policy` for a name that is not bundled.
 */
export function createTokenizerLoader(): LoadTokenizers {
  const loaded = new Map<EncodingName, Promise<CountTokens>>();
  const tokenizerOf = (name: EncodingName): Promise<CountTokens> => {
    const known = loaded.get(name);
    if (known !== undefined) return known;
    const loading = loadTokenCounter(name).then(({ countTokens }) => countTokens);
    loaded.set(name, loading);
    return loading;
  };
  return async (encodings) => {
    const entries = encodings.map(async (encoding) => {
      const name = ENCODING_NAMES.find((each) => each === encoding);
      if (name === undefined) {
        const names = ENCODING_NAMES.join(", ");
        throw new PlimsollError("bad-policy", `no encoding is called ${JSON.stringify(encoding)}; there are: ${names}`, {
          encoding,
        });
      }
      return [name, await tokenizerOf(name)] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  };
}
