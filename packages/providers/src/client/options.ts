import { type ModelClient, PlimsollError } from "@plimsoll/core";
import { option } from "@plimsoll/core/extend";
import type { Random, RetryOptions, Wait } from "./retry.ts";

/** Options of every client. */
export interface ClientOptions {
  /** Address of the server; the vendor's own by default. */
  readonly baseUrl?: string;
  /** The source of the key; the process's environment by default. */
  readonly environment?: Environment;
  readonly retry?: RetryOptions;
  /** Waits between attempts; the platform's timer by default. */
  readonly wait?: Wait;
  /** Random numbers that shorten waits; `Math.random` by default. */
  readonly random?: Random;
  /** Longest time in which a stream may send nothing; five minutes by default, `null` for no limit. */
  readonly idleTimeoutMs?: number | null;
  /** Measures that time; the platform's timer by default. */
  readonly idleWait?: Wait;
}

const { fn, count, text, object } = option;

/** Schemas of {@link ClientOptions}. */
export const CLIENT_KEYS: Parameters<typeof option.schema<ClientOptions>>[0] = {
  baseUrl: text.optional(),
  environment: object.optional(),
  retry: option
    .schema<RetryOptions>({ maximumAttempts: count, firstWaitMs: count, maximumWaitMs: count, jitterRatio: count.optional() })
    .optional(),
  idleTimeoutMs: count.nullable().optional(),
  ...option.optional(fn, "wait", "random", "idleWait"),
};

/** A provider that can be named: its entry in the registry. */
export interface Provider {
  readonly name: string;
  /** The environment's variable that holds its key; `null` if it needs none. */
  readonly keyVariable: string | null;
  readonly createClient: (options: ClientOptions) => ModelClient;
}

/** The source of keys: the process's environment, or a replacement. */
export type Environment = { readonly [name: string]: string | undefined };

/** Settings of the vendors' SDKs: retries and logs are ours. Ten minutes until an answer begins is their own default, stated so that it also takes large replies. */
export const SDK_SETTINGS = { maxRetries: 0, timeout: 600_000, logLevel: "off" } as const;

/** The key for servers that ask for none; the SDKs insist on one. */
const NO_KEY = "none";

/** A server on this machine: it is asked without a key if none is set. */
const LOOPBACK = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?(?:\/|$)/i;

/**
 * The key that the variable holds. `null` as the variable is for servers without keys; a server at a loopback address needs none either.
 *
 * @throws PlimsollError `bad-input` if the variable is unset or empty, naming the variable.
 */
export function keyFrom(environment: Environment, variable: string | null, baseUrl?: string): string {
  if (variable === null) return NO_KEY;
  const key = environment[variable];
  if (key !== undefined && key !== "") return key;
  if (baseUrl !== undefined && LOOPBACK.test(baseUrl)) return NO_KEY;
  throw new PlimsollError("bad-input", `no key: set the environment variable ${variable}`, { variable });
}
