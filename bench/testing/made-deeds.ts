import type { Message, ToolCallPart } from "@plimsoll/core";
import { toolShapeOf } from "@plimsoll/core/extend";
import { assistant, compaction, human, logOf, replacedHistory, result, summaryMessage } from "@plimsoll/core/testing";
import { type PreparedSession, prepareSession } from "../src/replay/prepared-session.ts";

type Paths = ToolCallPart["paths"];

function call(callId: string, args: unknown, paths: Paths = []): ToolCallPart {
  return { type: "tool-call", callId, toolName: "tool", argumentsJson: JSON.stringify(args), paths };
}

/** A call that reads a file, and what it saw. */
export function reading(id: string, path: string, text = `text of ${path}, line by line`): readonly Message[] {
  return [assistant(`a-${id}`, [call(id, { path }, [{ path, access: "read" }])]), result(`r-${id}`, id, text)];
}

/** A call that replaces a text of `src/a.ts`, with the tool's answer. */
export function editing(id: string, answer: string, oldText = "text of src/a.ts, line"): readonly Message[] {
  const args = { old_string: oldText, new_string: "" };
  return [assistant(`a-${id}`, [call(id, args, [{ path: "src/a.ts", access: "modify" }])]), result(`r-${id}`, id, answer)];
}

/** A call that runs a command, with the files that importers find in it. */
export function running(id: string, command: string): readonly Message[] {
  const { paths } = toolShapeOf({}, "tool", { command });
  return [assistant(`a-${id}`, [call(id, { command }, paths)]), result(`r-${id}`, id, "done")];
}

/** A session that was compacted between two parts; a summary takes the place of the first. */
export function compactedSession(
  name: string,
  { before, summary, after }: { before: readonly Message[]; summary: string; after: readonly Message[] },
): PreparedSession {
  const log = logOf([human("u", "Never touch the lock file."), ...before]);
  const cut = compaction("cut", [replacedHistory([summaryMessage("s", summary)])]);
  const recorded = { ...cut, record: { ...cut.record, reason: "recorded" } } as const;
  const entries = [...log, recorded, ...logOf(after).slice(1)];
  return prepareSession({ name, file: name, format: "agent", entries, parentName: null, hasUsage: false, notes: [] });
}
