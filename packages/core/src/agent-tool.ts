import type { ImagePart } from "./message/message.ts";
import type { ArtifactStore } from "./ports.ts";
import type { Session } from "./session/session.ts";
import type { OutputCategory, PathAccess, ToolSpec } from "./tool.ts";

/** A tool as the loop runs it: its description for the model, facts for compaction, and the work itself. */
export interface AgentTool {
  readonly spec: ToolSpec;
  readonly category: OutputCategory;
  /** True if a second run with the same arguments gives the same output, unless the world changed meanwhile. */
  readonly isRerunnable: boolean;
  /** Advice on how to see the rest of a cut output; one line, or `null`. */
  readonly hint: string | null;
  /** The paths that a call with these arguments touches; none for arguments that make no sense. Never throws. */
  pathsOf(args: unknown): readonly PathAccess[];
  /**
   * The largest effect that a call with these arguments may have, to decide whether it may run. Called only if permissions are on. If it rejects, the call does not run,
   * and the rejection becomes the result.
   */
  effectOf(args: unknown): ToolEffect | Promise<ToolEffect>;
  /**
   * Runs one call. `args` is parsed, unchecked JSON. A failure is an output with `isError`; a thrown error becomes one too.
   * Should end soon after the signal aborts.
   */
  run(args: unknown, call: ToolCallContext): Promise<ToolOutput>;
}

/**
 * The effect that a call may have outside the session, in words and texts to show to a person. The texts come from the model: they are data.
 *
 * - `read`: looks at allowed things and changes nothing
 * - `write`: changes `files`, named as the model sees them. `what` says it in one line; `before` and `after` are the old and the new text, `null` if there is none or the
 *   file is not text
 * - `execute`: starts a program. `command` is the whole command line, `folder` where it runs
 * - `unknown`: not declared
 */
export type ToolEffect =
  | { readonly kind: "read" }
  | {
      readonly kind: "write";
      readonly what: string;
      readonly files: readonly string[];
      readonly before: string | null;
      readonly after: string | null;
    }
  | { readonly kind: "execute"; readonly command: string; readonly folder: string }
  | { readonly kind: "unknown" };

/** The output of a call. `hint` is advice about this output, in place of the tool's own. */
export interface ToolOutput {
  readonly text: string;
  readonly isError: boolean;
  readonly images?: readonly ImagePart[];
  readonly hint?: string;
}

/** The session of a running tool call, and the services that the tool may use. */
interface ToolCallContext {
  readonly sessionId: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** Where output goes that is too large to be kept in memory or in history. */
  readonly artifacts: ArtifactStore;
  /** Answers a call of a context tool, which finds handles of the artifact store, too. */
  readonly contextCall: Session["contextCall"];
  /** Gives a task to an agent with a log of its own, and resolves to its last words. Rejects if there are no sub-agents. */
  runSubAgent(task: {
    readonly prompt: string;
  }): Promise<{ readonly sessionId: string; readonly text: string; readonly isError: boolean }>;
}
