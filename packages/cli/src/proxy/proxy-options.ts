import { join, resolve } from "node:path";
import { type BoundReasoning, type ModelLimits, PlimsollError, type Policy } from "@plimsoll/core";
import { encodingsOf, type Kinds, sizeOf } from "@plimsoll/core/extend";
import { familyLimitsOf, MODEL_CATALOG } from "@plimsoll/providers";
import type { CliIo } from "../io.ts";
import { findPolicy } from "../option/policy-option.ts";

/** Options as the command line gives them. */
export interface GivenOptions {
  readonly upstream?: string;
  readonly policy: string;
  readonly window?: string;
  readonly port: string;
  readonly anyHost?: string;
  readonly state?: string;
  readonly record?: string;
  readonly keep?: string;
  readonly boundReasoning?: string;
  readonly readOnly?: boolean;
}

/** Where a proxy keeps what it keeps, and for how many days. */
export interface Places {
  readonly folder: string;
  readonly logs: string;
  readonly keepDays: number;
}

/** Days after which a conversation that nobody went on with is removed: a state for restarts, and a recording. Chosen. */
const KEEP_DAYS = { state: 2, record: 30 } as const;

/** Where logs are: of a recording its own folder, else the state's. */
export function placesOf({ state, record, keep }: Pick<GivenOptions, "state" | "record" | "keep">, io: CliIo): Places {
  const folder = state === undefined ? join(io.homeFolder, ".plimsoll", "proxy") : resolve(io.cwd, state);
  const logs = record === undefined ? join(folder, "conversations") : resolve(io.cwd, record);
  const days = keep ?? String(record === undefined ? KEEP_DAYS.state : KEEP_DAYS.record);
  if (!/^\d{1,4}$/.test(days)) throw new PlimsollError("bad-input", `--keep ${days}: give a number of days, as 30`);
  return { folder, logs, keepDays: Number(days) };
}

/** The upstream's address. Keys in it are refused: they would be shown. */
export function upstreamOf(text: string | undefined): URL {
  if (text === undefined)
    throw new PlimsollError(
      "bad-input",
      "--upstream is missing: give the address that requests go on to, as https://api.anthropic.com",
    );
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "")
    throw new PlimsollError("bad-input", "--upstream: give an address as https://api.openai.com/v1, without a key in it");
  return url;
}

/** Where bound reasoning goes. */
export function boundReasoningOf(text: string | undefined): BoundReasoning {
  if (text === undefined || text === "leaves") return "leaves";
  if (text === "vendor-drops") return text;
  throw new PlimsollError("bad-input", `--bound-reasoning ${text}: say leaves or vendor-drops`);
}

const LARGEST_PORT = 65_535;

/** Where to listen. Another address than this machine's own is asked for by a name that says so: whoever reaches it and knows the token asks with it. */
export function listenOn({ port, anyHost = "127.0.0.1" }: Pick<GivenOptions, "port" | "anyHost">): {
  readonly host: string;
  readonly port: number;
} {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN;
  if (number <= LARGEST_PORT) return { host: anyHost, port: number };
  throw new PlimsollError("bad-input", `--port ${port}: give a number from 0 to ${LARGEST_PORT}`);
}

/** The policy by its name or file. A proxy counts without a tokenizer. */
export function policyNamed(name: string, cwd: string, kinds: Kinds): Policy {
  const read = findPolicy(name, cwd);
  if ("problems" in read) throw new PlimsollError("bad-input", read.problems.join("\n"));
  const { policy } = read.found;
  const [encoding] = encodingsOf(policy, kinds);
  if (encoding === undefined) return policy;
  throw new PlimsollError(
    "bad-input",
    `${name} counts by ${encoding}: a proxy counts by what is reported; choose the estimator "ledger"`,
  );
}

/** Part of a window that is left to a reply of which neither the request nor the person says how large it is. Chosen. */
const REPLY_RATIO = 0.125;

/** The limits of a model: the window that was given, else the catalogue's, else the policy's for unknown ones. */
export function limitsBy(window: string | undefined, { unknownWindow }: Policy): (modelId: string | null) => ModelLimits {
  const given = window === undefined ? null : sizeOf(window);
  if (window !== undefined && given === null)
    throw new PlimsollError("bad-input", `--window ${window}: give a number of tokens, as 200k`);
  return (modelId) => {
    const family = modelId === null ? null : familyLimitsOf(modelId);
    const listed = modelId === null ? null : MODEL_CATALOG.contextWindowOf(modelId);
    const unknown = unknownWindow === "off" ? null : unknownWindow.tokens;
    const contextWindowTokens = given ?? family?.maxInputTokens ?? family?.contextWindowTokens ?? listed ?? unknown;
    if (contextWindowTokens === null) return { contextWindowTokens: null, maxOutputTokens: null };
    const reply = Math.floor(contextWindowTokens * REPLY_RATIO);
    return { contextWindowTokens, maxOutputTokens: Math.min(family?.maxOutputTokens ?? reply, reply) };
  };
}
