import type { PreparedSession, ReplayedCall } from "@plimsoll/bench/internal";
import { type CompactionEntry, isHuman, type Message, textOf } from "@plimsoll/core";
import { createEstimator, createWorkCounter, EMPTY_LEDGER, type EnginePolicy } from "@plimsoll/core/build";
import { transcriptText } from "@plimsoll/core/internal";
import type { PiMessage, PiModule, PiPreparation } from "../pi/pi-module.ts";
import type { PiSession } from "../pi/pi-session.ts";
import type { Compared } from "./compared.ts";
import { filesDifference } from "./pi-files.ts";
import { textDifference } from "./text-difference.ts";

/** A compaction of ours, and what the program would have done at the same place. */
export interface Cuts {
  readonly ours: CompactionEntry;
  readonly theirs: PiPreparation;
  readonly sent: ReplayedCall;
  /** The view before. */
  readonly view: readonly Message[];
  readonly log: readonly Message[];
  readonly policy: EnginePolicy;
  readonly session: PreparedSession;
  readonly module: PiModule;
  readonly pi: PiSession;
}

/** The comparison at one compaction. */
export function comparedCuts(cuts: Cuts): readonly Pick<Compared, "aspect" | "kind">[] {
  const { ours, theirs, pi, view, log, sent, policy, module, session } = cuts;
  const context = sent.context.slice();
  const [ourFirst] = tailOf(context, log);
  const kept = pi.store.getBranch().find(({ id }) => id === theirs.firstKeptEntryId)?.message;
  const theirFirst = kept === undefined ? undefined : pi.ourOf(kept);
  const parts = partsOf(ours, view, policy);
  const isSplit = parts.prefix.length > 0;
  const texts: Texts = {
    own: (messages) => transcriptText(messages, policy.summary),
    serialised: (messages) => module.serializeConversation(module.convertToLlm(messages)),
    ourOf: pi.ourOf,
  };
  const files = filesDifference(
    context.filter((message) => !isNoSummary(message)).map(textOf),
    theirs,
    session.transcript.format,
  );
  const isAlike = isSplit === theirs.isSplitTurn;
  return [
    { aspect: "first-kept", kind: ourFirst === theirFirst ? null : kindOfCut(ourFirst, theirFirst, log) },
    { aspect: "split-turn", kind: splitDifference(isSplit, theirs) },
    ...(isAlike
      ? [
          {
            aspect: "history",
            kind: partDifference(parts.history.filter(isNoSummary), theirs.messagesToSummarize, texts),
          } as const,
        ]
      : []),
    ...(isAlike && isSplit
      ? [{ aspect: "turn-prefix", kind: partDifference(parts.prefix, theirs.turnPrefixMessages, texts) } as const]
      : []),
    ...(files === "not-comparable" ? [] : [{ aspect: "file-lists", kind: files } as const]),
    { aspect: "size-after", kind: sizeDifference(context.filter(isNoSummary), theirFirst, { log, policy }) },
  ];
}

/** The newest messages of a context that follow each other in the log up to its end. */
export function tailOf(context: readonly Message[], log: readonly Message[]): readonly Message[] {
  let count = 0;
  while (count < context.length && context[context.length - 1 - count]?.id === log[log.length - 1 - count]?.id) count += 1;
  return log.slice(log.length - count);
}

function kindOfCut(ours: Message | undefined, theirs: Message | undefined, log: readonly Message[]): string {
  if (ours === undefined || theirs === undefined) return "none";
  const [own, other] = [log.indexOf(ours), log.indexOf(theirs)];
  if (own < other && log.slice(own, other).every(isHuman)) return "human-kept";
  return own < other ? "ours-keeps-more" : "ours-keeps-less";
}

/** The parts of a compaction's request: what is older than a split turn, and the turn's beginning if it has a prompt of its own. */
function partsOf(
  { edits }: CompactionEntry,
  view: readonly Message[],
  { strategies }: EnginePolicy,
): { readonly history: readonly Message[]; readonly prefix: readonly Message[] } {
  const ofPrefix = new Set(strategies.flatMap((each) => ("turnPrefixPromptId" in each ? [each.turnPrefixPromptId] : [])));
  const placeOf = (id: string) => view.findIndex((message) => message.id === id);
  const spans = edits.flatMap((edit) => (edit.kind === "replace-spans" ? edit.spans : []));
  const messagesOf = (isPrefix: boolean) =>
    spans
      .filter(({ promptId }) => ofPrefix.has(promptId) === isPrefix)
      .flatMap(({ from, through }) => view.slice(placeOf(from), placeOf(through) + 1));
  return { history: messagesOf(false), prefix: messagesOf(true) };
}

/**
 * `nothing-older`: the program summarises the first turn's beginning apart, although nothing is before it; `human-kept`: all that it summarises of
 * the turn is the message that began it.
 */
function splitDifference(isSplit: boolean, theirs: PiPreparation): string | null {
  const { isSplitTurn, messagesToSummarize, turnPrefixMessages, previousSummary } = theirs;
  if (isSplit === isSplitTurn) return null;
  if (isSplit) return "ours-alone";
  if (turnPrefixMessages.every(({ role }) => role === "user")) return "human-kept";
  return messagesToSummarize.length === 0 && previousSummary === undefined ? "nothing-older" : "theirs-alone";
}

interface Texts {
  readonly own: (messages: readonly Message[]) => string;
  readonly serialised: (messages: readonly PiMessage[]) => string;
  readonly ourOf: PiSession["ourOf"];
}

/**
 * Names the difference of two pieces of a request: `human-kept` if they are equal but for messages of the person that one of them has alone, as ours keeps
 * the last one in the context, and covers it when it is no longer the last.
 */
function partDifference(
  ours: readonly Message[],
  theirs: readonly PiMessage[],
  { own, serialised, ourOf }: Texts,
): string | null {
  const whole = textDifference(own(ours), serialised(theirs));
  if (whole === null) return null;
  const covered = new Set(theirs.map(ourOf));
  const inBoth = ours.filter((message) => !isHuman(message) || covered.has(message));
  const theirsInBoth = theirs.filter((message) => {
    const our = ourOf(message);
    return our === undefined || !isHuman(our) || ours.includes(our);
  });
  return textDifference(own(inBoth), serialised(theirsInBoth)) ?? "human-kept";
}

/** Compares what stays word for word by the measure of the cut. */
function sizeDifference(
  ours: readonly Message[],
  theirFirst: Message | undefined,
  { log, policy }: Pick<Cuts, "log" | "policy">,
): string | null {
  const estimator = createEstimator(policy.cutEstimator ?? policy.estimator, createWorkCounter(), {});
  const size = (messages: readonly Message[]) =>
    messages.reduce((sum, message) => sum + estimator.messageTokens(message, EMPTY_LEDGER), 0);
  const theirs = theirFirst === undefined ? log : log.slice(log.indexOf(theirFirst));
  const difference = size(ours) - size(theirs);
  if (difference === 0) return null;
  const extra = ours.filter((message) => !theirs.includes(message));
  return extra.every(isHuman) && size(extra) === difference ? "human-kept" : "size";
}

function isNoSummary(message: Message): boolean {
  return message.role === "tool-result" || message.origin !== "summary";
}
