import { type Fields, parseRecord, recordAt, stringAt } from "../fields.ts";

/** Headers of a request, names in lower case. */
export type RequestHeaders = { readonly [name: string]: string | readonly string[] | undefined };

/**
 * Headers by which programs name their sessions, looked at in this order: Codex (`session_id`, `session-id`, `conversation_id`), Claude Code, OpenCode and its
 * providers (`x-session-affinity`, `x-opencode-session`), and what others use.
 */
const SESSION_HEADERS = [
  "x-claude-code-session-id",
  "session_id",
  "session-id",
  "conversation_id",
  "conversation-id",
  "x-opencode-session",
  "x-session-affinity",
  "x-session-id",
  "x-conversation-id",
] as const;

/** Headers by which programs name an agent within a session. */
const AGENT_HEADERS = ["x-claude-code-agent-id", "x-openai-subagent", "x-agent-id", "x-agent-name"] as const;

/**
 * The program's own name for the session that a request belongs to, with its agent; `null` if it gives none. A name only says where to look first: requests of
 * one name with different histories are different conversations all the same.
 */
export function sessionNameOf(headers: RequestHeaders, body: Fields): string | null {
  const session = firstOf(SESSION_HEADERS, headers) ?? sessionIn(body);
  if (session === null) return null;
  const agent = firstOf(AGENT_HEADERS, headers);
  return agent === null ? session : `${session}\n${agent}`;
}

function firstOf(names: readonly string[], headers: RequestHeaders): string | null {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

/** `_session_` in the user's id is Claude Code's older form; the newer one is JSON. */
function sessionIn(body: Fields): string | null {
  const key = stringAt(body, "prompt_cache_key");
  if (key !== null) return key;
  const metadata = recordAt(body, "metadata");
  const user = stringAt(metadata, "user_id") ?? "";
  return (
    stringAt(metadata, "session_id") ??
    stringAt(metadata, "sessionId") ??
    stringAt(user.startsWith("{") ? parseRecord(user) : null, "session_id") ??
    /_session_(.+)$/.exec(user)?.[1] ??
    null
  );
}
