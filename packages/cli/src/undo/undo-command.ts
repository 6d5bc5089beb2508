import { basename, dirname } from "node:path";
import { formatNumberOf, formatTokens } from "@plimsoll/bench/extend";
import type { CompactionEntry, Message } from "@plimsoll/core";
import { createDigest, createSession, isPlimsollError, NONE_POLICY, PlimsollError } from "@plimsoll/core";
import { createFileSessionStore } from "@plimsoll/core/node";
import { compactionLoss } from "@plimsoll/providers/proxy";
import type { Command } from "commander";
import { sessionFile } from "../input/session-file.ts";
import { kindsText } from "../inspect/compaction-loss.ts";
import { createCompositionCounter } from "../inspect/session-story.ts";
import { type CliIo, EXIT_OK } from "../io.ts";
import { printable, wrapped } from "../terminal/printable.ts";

const LOG_SUFFIX = ".jsonl";

/** Adds `plimsoll undo`: appends the revert of a session's newest compaction. */
export function defineUndoCommand(command: Command, io: CliIo, onExit: (exitCode: number) => void): void {
  command.argument("<session>", "the id of a session of plimsoll's, or its log file").action(async (session: string) => {
    const { path } = sessionFile(session, io);
    if (!path.endsWith(LOG_SUFFIX))
      throw new PlimsollError(
        "bad-input",
        `${session}: only logs of plimsoll's own, which end in ${LOG_SUFFIX}, can be undone`,
      );
    const store = createFileSessionStore({ folder: dirname(path) });
    const { writer, entries } = await store.open(basename(path, LOG_SUFFIX)).catch((error: unknown) => {
      throw notOurs(error, session);
    });
    try {
      const log = { entries, writer, nowMs: io.nowMs };
      const { view, context, undo } = createSession({ policy: NONE_POLICY, summarizer: createDigest(), ...log });
      const undone = view().activeCompactions.at(-1);
      const before = context().messages;
      await undo();
      io.stdout.write(`${undoneText(undone, before, context().messages)}\n`);
    } finally {
      await writer.close();
    }
    onExit(EXIT_OK);
  });
}

/** A log of another agent is told as what it is, not by its first line that makes no sense. */
function notOurs(error: unknown, session: string): unknown {
  if (!isPlimsollError(error) || error.details.line !== 1) return error;
  return new PlimsollError("bad-input", `${session}: no log of plimsoll's own; only those can be undone`, {}, error);
}

/** Which compaction was undone and what is back, in a few words. */
function undoneText(undone: CompactionEntry | undefined, before: readonly Message[], after: readonly Message[]): string {
  const { tokensOf } = createCompositionCounter();
  const sum = (messages: readonly Message[]) => messages.reduce((tokens, message) => tokens + tokensOf(message), 0);
  const { kinds } = compactionLoss(after, before, tokensOf);
  const which = undone === undefined ? "" : ` the compaction by ${printable(undone.record.policy)} (${undone.record.reason})`;
  const sizes = `${formatNumberOf(before.length, "message")} became ${after.length}, about ${formatTokens(sum(before))} → ${formatTokens(sum(after))} tokens`;
  return wrapped(`Undone:${which}; ${sizes}. Back: ${kindsText(kinds)}.`, { further: "  " }).join("\n");
}
