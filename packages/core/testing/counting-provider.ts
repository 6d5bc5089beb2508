import type { FitInput, FitOutcome } from "../src/engine/fit-input.ts";
import { createDigest } from "../src/memory/digest.ts";
import type { Message } from "../src/message/message.ts";
import { messageChars } from "../src/message/size.ts";
import type { Policy } from "../src/policy/policy.ts";
import { createSession } from "../src/session/open-session.ts";
import type { Session } from "../src/session/session.ts";
import { calling, human, logOf, never, result, usageEntry } from "../src/testing/builders.ts";

/** How a provider counts: a multiple of the count by four characters a token, and tokens that no log shows. */
export interface Counting {
  readonly factor: number;
  /** Tokens of every request in addition to its messages. */
  readonly hiddenTokens: number;
  /** Tokens that are only in every seventh to ninth request, as a server's own tools leave them. */
  readonly jumpTokens: number;
  /** Whether a rejection names its count and its limit. */
  readonly saysSizes: boolean;
}

/** One session against such a provider. Sizes are in tokens of four characters. */
export interface CountedSession {
  readonly policy: Policy;
  readonly counting: Counting;
  readonly windowTokens: number;
  /** Sizes of each step's results: a step without any is a turn's last, after which a person speaks again. */
  readonly steps: readonly (readonly number[])[];
}

/** The counts of a run. */
export interface Counted {
  readonly sent: number;
  readonly rejected: number;
  /** Requests that did not go through after all recoveries, although the engine never said `irreducible`. */
  readonly lost: number;
  readonly irreducible: number;
  /** Times that a fit failed with a prediction above the budget. */
  readonly failedOverBudget: number;
  /** The most recoveries of one request, the one that said `irreducible` included. */
  readonly mostRecoveries: number;
}

const UNSAID = { observedLimitTokens: null, observedPromptTokens: null } as const;

/** Plays the session on the shipped manager, with the digest as its summariser. */
export async function playCounted(session: CountedSession): Promise<Counted> {
  const { policy, counting, windowTokens } = session;
  const model = { contextWindowTokens: windowTokens, maxOutputTokens: Math.floor(windowTokens / 8) };
  const manager = createSession({ policy, summarizer: createDigest(), entries: logOf([human("h", "Please begin.")]) });
  const counted = { sent: 0, rejected: 0, lost: 0, irreducible: 0, failedOverBudget: 0, mostRecoveries: 0 };
  let requests = 0;
  const judge = (outcome: FitOutcome): FitOutcome => {
    const budgetTokens = windowTokens - model.maxOutputTokens;
    if (outcome.kind === "failed" && manager.predict().expectedTokens > budgetTokens) counted.failedOverBudget += 1;
    if (outcome.kind === "irreducible") counted.irreducible += 1;
    return outcome;
  };
  const fit = async (input: Pick<FitInput, "gate" | "recovery" | "observedLimitTokens" | "observedPromptTokens">) =>
    judge(await manager.fit({ pending: [], model, nowMs: null, ...input }, never));
  const isAccepted = async (): Promise<boolean> => {
    for (let recovery = 0; ; recovery++) {
      const promptTokens = promptTokensOf(manager, counting, requests);
      if (promptTokens <= windowTokens - model.maxOutputTokens) {
        requests += 1;
        manager.append(usageEntry(`request-${requests}`, null, promptTokens));
        return true;
      }
      counted.rejected += 1;
      counted.mostRecoveries = Math.max(counted.mostRecoveries, recovery + 1);
      const sizes = counting.saysSizes ? { observedLimitTokens: windowTokens, observedPromptTokens: promptTokens } : UNSAID;
      const outcome = await fit({ gate: "on-overflow", recovery, ...sizes });
      if (outcome.entry === undefined) {
        counted.lost += outcome.kind === "irreducible" ? 0 : 1;
        return false;
      }
    }
  };
  for (const [step, sizes] of session.steps.entries()) {
    const outcome = await fit({ gate: "before-step", ...UNSAID });
    if ((outcome.kind === "irreducible" && outcome.entry === undefined) || !(await isAccepted())) {
      manager.append({ type: "message", message: human(`h${step}`, "Go on.") });
      continue;
    }
    counted.sent += 1;
    const calls = sizes.map((_, index) => `c${step}-${index}`);
    manager.append({ type: "message", message: calling(`a${step}`, calls, "Looking at the next file.") });
    for (const [index, tokens] of sizes.entries())
      manager.append({ type: "message", message: result(`r${step}-${index}`, `c${step}-${index}`, textOfTokens(tokens)) });
    if (sizes.length === 0) manager.append({ type: "message", message: human(`h${step}`, "And the next thing, please.") });
    await fit({ gate: "after-tool-batch", ...UNSAID });
  }
  return counted;
}

/** Four characters a token by the common estimate. */
const LINE = "const value = compute(first, second) // and a word on why it is so\n";

function textOfTokens(tokens: number): string {
  return LINE.repeat(Math.ceil((4 * tokens) / LINE.length)).slice(0, 4 * tokens);
}

function promptTokensOf(manager: Session, counting: Counting, requests: number): number {
  const chars = manager.context().messages.reduce((sum: number, message: Message) => sum + messageChars(message), 0);
  const jumpTokens = requests % 9 >= 6 ? counting.jumpTokens : 0;
  return Math.ceil((chars / 4) * counting.factor) + counting.hiddenTokens + jumpTokens;
}
