import { importFile } from "@plimsoll/bench";
import type { SessionEntry } from "@plimsoll/core";
import { PlimsollError } from "@plimsoll/core";
import { z } from "zod";
import type { CliIo } from "../io.ts";
import { lostIn, stateOf } from "./lost-context.ts";
import { putBackText } from "./put-back-text.ts";
import { createSessionNotes } from "./session-notes.ts";
import { statusLine, statusSchema } from "./status-line.ts";

/**
 * Fields of a hook's payload that are used: Claude Code's reference (code.claude.com/docs/en/hooks) and Codex's schemas (hooks/schema/generated in its
 * repository), both read in November 2026.
 */
const hookSchema = z.object({
  session_id: z.string(),
  transcript_path: z.string().nullable(),
  hook_event_name: z.string(),
  source: z.string().exactOptional(),
});

/** The answer to one call of a hook: what is printed, nothing for most. Throws `bad-input` for what is no payload. */
export async function answerHook(payload: string, { homeFolder, nowMs }: Pick<CliIo, "homeFolder" | "nowMs">): Promise<string> {
  const { session_id: id, transcript_path: path, hook_event_name: event, source } = parsed(hookSchema, payload);
  const isAfter = event === "SessionStart" && source === "compact";
  if (path === null || !(isAfter || event === "PreCompact")) return "";
  const notes = createSessionNotes(homeFolder, nowMs);
  if (!isAfter) {
    notes.write(id, stateOf(await entriesIn(path)));
    return "";
  }
  const lost = lostIn(await entriesIn(path), notes.take(id));
  const additionalContext = lost === null ? "" : putBackText(lost);
  if (additionalContext === "") return "";
  return `${JSON.stringify({ hookSpecificOutput: { hookEventName: event, additionalContext } })}\n`;
}

/** The status line for what an agent tells of its session. */
export function answerStatusLine(payload: string): string {
  return `${statusLine(parsed(statusSchema, payload))}\n`;
}

/** The log of the session itself: sub-agents may be in the same file. */
async function entriesIn(path: string): Promise<readonly SessionEntry[]> {
  const found = await importFile(path, path);
  return (found.find(({ parentName }) => parentName === null) ?? found[0])?.entries ?? [];
}

function parsed<T>(schema: z.ZodType<T>, text: string): T {
  const found = schema.safeParse(jsonIn(text));
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  const place = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  throw new PlimsollError(
    "bad-input",
    `standard input is no payload of an agent's hook: ${place}${issue?.message ?? "unknown"}`,
  );
}

/** The value that a text is; `null` for text that is no JSON, which no schema takes. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
