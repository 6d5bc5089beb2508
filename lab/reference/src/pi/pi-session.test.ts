import type { Message } from "@plimsoll/core";
import { calling, human, result } from "@plimsoll/core/testing";
import { expect, test } from "vitest";
import type { PiEntry, PiMessage, PiModule } from "./pi-module.ts";
import { createPiSession } from "./pi-session.ts";

/** As much of a pi as a session's beginning takes. */
function smallPi(): PiModule {
  const branch: PiEntry[] = [];
  const append = (message: PiMessage) => {
    branch.push({ id: `entry-${branch.length}`, type: "message", message });
    return `entry-${branch.length - 1}`;
  };
  const store = {
    appendMessage: append,
    appendCompaction: () => "compaction",
    buildSessionContext: () => ({ messages: [] }),
    getBranch: () => branch,
  };
  return {
    SessionManager: { inMemory: () => store },
    AgentSession: { prototype: {} },
    DEFAULT_COMPACTION_SETTINGS: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 },
    compact: () => Promise.reject(new Error("not asked for")),
    convertToLlm: (messages) => messages,
    serializeConversation: () => "",
  };
}

test.each<readonly [string, Message, boolean]>([
  ["a word of the person ends", human("h", "next"), false],
  ["an answer ends", calling("a", ["c"], "reads"), false],
  ["a result does not end", result("r", "c", "text"), true],
])("%s a recovery from an overflow, as in pi's own events", (_, message, isAttempted) => {
  const session = createPiSession({
    module: smallPi(),
    contextWindowTokens: 64_000,
    onPreparation: () => false,
    answer: () => ({ result: () => Promise.reject(new Error("not asked for")) }),
  });
  session.methods._overflowRecoveryAttempted = true;
  session.append(message, null);
  expect(session.methods._overflowRecoveryAttempted).toBe(isAttempted);
});
