import { PlimsollError } from "@plimsoll/core";

/** Where keys come from: the process's environment, or a stand-in for it. */
export type Environment = { readonly [name: string]: string | undefined };

/** What is sent as the key to servers that ask for none; the SDKs insist on one. */
const NO_KEY = "none";

/**
 * The key that the variable holds. `null` as the variable is for servers without keys.
 *
 * @throws PlimsollError `bad-input` where the variable is unset or empty, naming the variable.
 */
export function keyFrom(environment: Environment, variable: string | null): string {
  if (variable === null) return NO_KEY;
  const key = environment[variable];
  if (key !== undefined && key !== "") return key;
  throw new PlimsollError("bad-input", `no key: set the environment variable ${variable}`, { variable });
}
