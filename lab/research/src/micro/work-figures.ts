import type { Policy } from "@plimsoll/core";
import { PI_POLICY, PLIMSOLL_POLICY, SVEN_POLICY } from "@plimsoll/core";
import type { WorkCount } from "@plimsoll/core/build";
import { langChainMessages, messagesOf } from "./library-messages.ts";
import { approximateTokens, trimmedByLangChain, trimmedByPlimsoll } from "./library-tasks.ts";
import { longSession } from "./long-session.ts";
import { planningTask, sessionChars } from "./planning.ts";
import { workAtEnd } from "./quiet-gate.ts";

/** What does not depend on the machine: characters that were read, messages that were visited. */
export interface WorkFigures {
  readonly policies: readonly PolicyWork[];
  readonly trims: readonly TrimWork[];
}

/** Work of a policy in a session in which nothing fires. */
export interface PolicyWork {
  readonly policy: string;
  readonly messageCount: number;
  /** One gate that fires nothing. */
  readonly gate: WorkCount;
  /** One step more: a call, its result and the prediction of the next request. */
  readonly step: WorkCount;
  /** Characters that a plan over the session reads, and those that the session has. */
  readonly planCharacters: number;
  readonly sessionCharacters: number;
}

/** Characters counted to cut a session to half of its tokens. */
export interface TrimWork {
  readonly messageCount: number;
  readonly sessionCharacters: number;
  readonly langChainCharacters: number;
  readonly plimsollCharacters: number;
}

const LENGTHS = [100, 10_000] as const;
const TRIM_LENGTHS = [100, 200] as const;

/** Measures all of it. The same on every machine. */
export async function workFigures(): Promise<WorkFigures> {
  const policies: PolicyWork[] = [];
  for (const policy of [PLIMSOLL_POLICY, SVEN_POLICY, PI_POLICY])
    for (const messageCount of LENGTHS) policies.push(await policyWork(policy, messageCount));
  const trims: TrimWork[] = [];
  for (const messageCount of TRIM_LENGTHS) trims.push(await trimWork(messageCount));
  return { policies, trims };
}

async function policyWork(policy: Policy, messageCount: number): Promise<PolicyWork> {
  const { gate, step } = await workAtEnd(policy, { messageCount });
  const planCharacters = planningTask(policy, messageCount).planWork().charactersScanned;
  return { policy: policy.name, messageCount, gate, step, planCharacters, sessionCharacters: sessionChars(messageCount) };
}

/** Characters that each side counts for the same cut. */
export async function trimWork(messageCount: number): Promise<TrimWork> {
  const theirs = langChainMessages(messagesOf(messageCount));
  const targetTokens = approximateTokens(theirs) / 2;
  const [langChain, plimsoll] = [
    await trimmedByLangChain(theirs, targetTokens),
    await trimmedByPlimsoll(longSession(messageCount), targetTokens),
  ];
  return {
    messageCount,
    sessionCharacters: sessionChars(messageCount),
    langChainCharacters: langChain.charactersCounted,
    plimsollCharacters: plimsoll.charactersCounted,
  };
}
