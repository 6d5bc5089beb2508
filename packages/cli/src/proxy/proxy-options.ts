import { join, resolve } from "node:path";
import { type CliIo, policyNamed, tokensOf, wholeNumber } from "@plimsoll/bench/terminal";
import { type BoundReasoning, type ModelLimits, PlimsollError, type Policy } from "@plimsoll/core";
import { encodingsOf, type Kinds } from "@plimsoll/core/extend";
import { catalogLimits } from "@plimsoll/providers";

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
  readonly boundReasoning?: BoundReasoning;
  readonly readOnly?: boolean;
}

/** The folders of a proxy's files, and for how many days it keeps them. */
export interface Places {
  readonly folder: string;
  readonly logs: string;
  readonly keepDays: number;
}

/** Days after which an idle conversation is removed: a state for restarts, and a recording. Chosen. */
const KEEP_DAYS = { state: 2, record: 30 } as const;
const MOST_KEEP_DAYS = 9_999;

/** Where logs are: of a recording its own folder, else the state's. */
export function placesOf({ state, record, keep }: Pick<GivenOptions, "state" | "record" | "keep">, io: CliIo): Places {
  const folder = state === undefined ? join(io.homeFolder, ".plimsoll", "proxy") : resolve(io.cwd, state);
  const logs = record === undefined ? join(folder, "conversations") : resolve(io.cwd, record);
  const usualDays = record === undefined ? KEEP_DAYS.state : KEEP_DAYS.record;
  return { folder, logs, keepDays: keep === undefined ? usualDays : wholeNumber("--keep", keep, [0, MOST_KEEP_DAYS]) };
}

/** The upstream's address. Keys in it are refused: they would be shown. */
export function upstreamOf(text: string | undefined): URL {
  if (text === undefined)
    throw new PlimsollError(
      "bad-input",
      "--upstream is missing: give the address to forward requests to, such as https://api.anthropic.com",
    );
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "")
    throw new PlimsollError("bad-input", "--upstream: give an address such as https://api.openai.com/v1, without a key in it");
  return url;
}

/** The policy by its name or file. A proxy counts without a tokenizer. */
export function countingPolicy(name: string, io: Pick<CliIo, "cwd" | "stderr">, kinds: Kinds): Policy {
  const policy = policyNamed(name, io);
  const [encoding] = encodingsOf(policy, kinds);
  if (encoding === undefined) return policy;
  throw new PlimsollError(
    "bad-input",
    `${name} counts by ${encoding}: a proxy counts by reported usage; choose the estimator "ledger"`,
  );
}

/** Part of a window that is left to a reply if neither the request nor the person gives its size. Chosen. */
const REPLY_RATIO = 0.125;

/** Windows of programs that give a model less than its vendor does, most special first. Codex: 95% of 272,000 and of 128,000 tokens, in logs of 0.118 to 0.142. */
const AGENT_WINDOWS = [
  { agent: "Codex", callers: /^codex/i, models: /^gpt-5[.-]3-codex-spark/, tokens: 121_600 },
  { agent: "Codex", callers: /^codex/i, models: /^gpt-5/, tokens: 258_400 },
] as const;

/** The limits of a model: the window that was given, else the smaller one of the program (by its `user-agent`) and the catalogue, else the policy's for unknown models; and the origin of its window, in words. */
export function limitsBy(
  window: string | undefined,
  { unknownWindow }: Policy,
): (modelId: string, caller?: string) => { readonly limits: ModelLimits; readonly from: string } {
  const given = window === undefined ? null : tokensOf("--window", window);
  return (modelId, caller = "") => {
    const known = catalogLimits(modelId);
    const own = AGENT_WINDOWS.find(({ callers, models }) => callers.test(caller) && models.test(modelId));
    const isOwn = given === null && own !== undefined && own.tokens < (known?.contextWindowTokens ?? Number.POSITIVE_INFINITY);
    const unknown = unknownWindow === "off" ? null : unknownWindow.tokens;
    const contextWindowTokens = given ?? (isOwn ? own.tokens : (known?.contextWindowTokens ?? unknown));
    if (contextWindowTokens === null) return { limits: { contextWindowTokens, maxOutputTokens: null }, from: "not known" };
    const reply = Math.floor(contextWindowTokens * REPLY_RATIO);
    const maxOutputTokens = Math.min(known?.maxOutputTokens ?? reply, reply);
    const limits = { contextWindowTokens, maxOutputTokens };
    if (given !== null) return { limits, from: "by --window" };
    if (isOwn) return { limits: { ...known, ...limits }, from: `${own.agent}'s own for this model` };
    const listed = catalogLimits(modelId, maxOutputTokens);
    return listed === null ? { limits, from: "a guess" } : { limits: listed, from: "the catalogue's" };
  };
}
