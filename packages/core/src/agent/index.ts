export { createMemorySessionStore } from "./memory-session-store.ts";
export type {
  OpenedSession,
  SessionBranch,
  SessionStore,
  SessionSummary,
  SessionWriter,
  StoredSession,
} from "./session-store.ts";
