import { PlimsollError } from "@plimsoll/core";
import type { EnginePolicy } from "@plimsoll/core/extend";
import type { Reader } from "./reader.ts";

/** Names of all readers: the providers' APIs and SDKs that policies can be replayed through. */
export const READER_NAMES = ["anthropic", "chat", "responses", "ai-sdk", "langchain", "gemini", "agents"] as const;

/** A reader's name. */
export type ReaderName = (typeof READER_NAMES)[number];

/** The readers by name. Each is loaded when it is asked for, since it may need an SDK that is not installed. */
const LOADERS: Readonly<Record<ReaderName, () => Promise<{ readonly reader: Reader }>>> = {
  anthropic: () => import("./anthropic.ts"),
  chat: () => import("./chat.ts"),
  responses: () => import("./responses.ts"),
  "ai-sdk": () => import("./ai-sdk.ts"),
  langchain: () => import("./langchain.ts"),
  gemini: () => import("./gemini.ts"),
  agents: () => import("./agents.ts"),
};

const THROUGH = " through ";

/** The policy as it is replayed through a reader: by its name everything that shows it names the reader. */
export function policyThrough<Policy extends EnginePolicy>(policy: Policy, reader: ReaderName): Policy {
  return { ...policy, name: `${policy.name}${THROUGH}${reader}` };
}

/**
 * Copies the policies, to be replayed through each of the readers (APIs and SDKs). Left out, with a line, are those that a reader cannot run: without a fallback, or with
 * summaries that are prepared while time passes. Throws `bad-input` for a reader that is not known.
 */
export function policiesThrough(
  policies: readonly EnginePolicy[],
  readers: readonly string[],
): { readonly policies: readonly EnginePolicy[]; readonly notes: readonly string[] } {
  const known = readers.map((name) => {
    const reader = READER_NAMES.find((each) => each === name);
    if (reader === undefined) throw new PlimsollError("bad-input", `--through ${name}: give one of ${READER_NAMES.join(", ")}`);
    return reader;
  });
  const acting = known.length === 0 ? [] : policies.filter(({ enabled }) => enabled);
  const isPlayed = ({ fallback, prepare, idle }: EnginePolicy) =>
    fallback !== null && prepare === undefined && idle === undefined;
  const others = acting.filter((policy) => !isPlayed(policy)).map(({ name }) => name);
  return {
    policies: acting.filter(isPlayed).flatMap((policy) => known.map((reader) => policyThrough(policy, reader))),
    notes: others.length === 0 ? [] : [`--through: ${others.join(", ")} cannot be replayed through a reader.`],
  };
}

/** The reader that a policy is replayed through; `null` for the engine itself. */
export function readerOf({ name }: Pick<EnginePolicy, "name">): ReaderName | null {
  return READER_NAMES.find((reader) => name.endsWith(`${THROUGH}${reader}`)) ?? null;
}

/** Loads a reader. Throws `bad-input` if its SDK is not there. */
export async function loadReader(name: ReaderName): Promise<Reader> {
  try {
    return (await LOADERS[name]()).reader;
  } catch (cause) {
    const [, missing] = /Cannot find (?:package|module) '([^']+)'/.exec(cause instanceof Error ? cause.message : "") ?? [];
    if (missing === undefined) throw cause;
    throw new PlimsollError("bad-input", `${name}: it needs ${missing}, which is not installed`, {}, cause);
  }
}
