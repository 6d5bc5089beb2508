import type { Authorization, Authorize, PendingCall } from "@plimsoll/agent";
import { type AllowRule, alwaysRule, isAllowedBy, serverOf } from "./allow-rule.ts";

/** `ask`: calls that are not allowed are asked about. `read-only`: no commands and no changes of files, even if a rule allows them. */
export type PermissionMode = "ask" | "read-only";

/** Every mode. */
export const PERMISSION_MODES: readonly PermissionMode[] = ["ask", "read-only"];

/** A person's answer about a call. `words` are for the model. */
export type Answer = { readonly kind: "once" | "always" } | { readonly kind: "no"; readonly words: string | null };

/** Asks a person who can answer. A rejection means no. Should end when the signal aborts: the question is void. */
export type AskPerson = (call: PendingCall, signal: AbortSignal) => Promise<Answer>;

/** The permissions of a session's calls; the same for its sub-agents. */
export interface Permissions {
  readonly authorize: Authorize;
  mode(): PermissionMode;
  /** Holds from the next call on, and for the call that is asked about. */
  setMode(mode: PermissionMode): void;
  rules(): readonly AllowRule[];
  /** Holds until the session ends, and for the call that is asked about. */
  allow(rule: AllowRule): void;
  /** Asks questions; without it calls that are not allowed are refused. */
  askThrough(ask: AskPerson): void;
  /** The calls that were refused without a question, in order. */
  refused(): readonly PendingCall[];
}

interface PermissionState {
  readonly mode: PermissionMode;
  readonly rules: readonly AllowRule[];
  readonly refused: readonly PendingCall[];
  readonly ask: AskPerson | null;
}

/** Permissions with the rules given. Questions are asked one at a time. */
export function createPermissions(rules: readonly AllowRule[], mode: PermissionMode): Permissions {
  let state: PermissionState = { mode, rules, refused: [], ask: null };
  let reconsider = (): void => undefined;
  let asking: Promise<unknown> = Promise.resolve();
  const change = (to: Partial<PermissionState>) => {
    state = { ...state, ...to };
    reconsider();
  };

  const answered = async (call: PendingCall, ask: AskPerson, signal: AbortSignal): Promise<Authorization> => {
    const question = new AbortController();
    const close = () => question.abort();
    signal.addEventListener("abort", close, { once: true });
    // A rule that is made meanwhile can answer the question.
    const decided = new Promise<Authorization>((resolve) => {
      reconsider = () => {
        const decision = decisionOf(state, call);
        if (decision.kind !== "ask") resolve(decision);
      };
    });
    try {
      return await Promise.race([decided, ask(call, question.signal).then((answer) => authorizationOf(answer, call))]);
    } catch {
      // Without a way to ask there is no consent.
      return { kind: "deny", why: "nobody answered." };
    } finally {
      reconsider = () => undefined;
      signal.removeEventListener("abort", close);
      close();
    }
  };
  const authorizationOf = (answer: Answer, call: PendingCall): Authorization => {
    const rule = answer.kind === "always" ? alwaysRule(call) : null;
    if (rule !== null) state = { ...state, rules: [...state.rules, rule] };
    if (answer.kind !== "no") return { kind: "allow" };
    return { kind: "deny", why: answer.words === null ? "the person said no." : `the person said no: ${answer.words}` };
  };
  const decide = async (call: PendingCall, signal: AbortSignal): Promise<Authorization> => {
    signal.throwIfAborted();
    const decision = decisionOf(state, call);
    if (decision.kind === "ask" && state.ask !== null) return await answered(call, state.ask, signal);
    if (decision.kind === "allow") return decision;
    state = { ...state, refused: [...state.refused, call] };
    return decision.kind === "deny" ? decision : { kind: "deny", why: whyUnasked(call) };
  };
  return {
    authorize: (call, signal) => {
      if (decisionOf(state, call).kind === "allow") return Promise.resolve({ kind: "allow" });
      const turn = asking.then(() => decide(call, signal));
      asking = turn.catch(() => undefined);
      return turn;
    },
    mode: () => state.mode,
    setMode: (to) => change({ mode: to }),
    rules: () => state.rules,
    allow: (rule) => change({ rules: [...state.rules, rule] }),
    askThrough: (ask) => change({ ask }),
    refused: () => state.refused,
  };
}

function whyUnasked({ toolName }: PendingCall): string {
  if (serverOf(toolName) === null) return NOBODY_THERE;
  return `a project's file starts nothing by itself; --allow ${toolName} lets it`;
}

const NOBODY_THERE =
  "it was not allowed, and no one can be asked. Continue with read-only work, and say at the end which calls you skipped.";

function decisionOf({ mode, rules }: PermissionState, call: PendingCall): Authorization | { readonly kind: "ask" } {
  const { effect } = call;
  if (effect.kind === "read") return { kind: "allow" };
  const applying =
    mode === "ask" ? rules : rules.filter(({ kind }) => (kind === "tool" || kind === "server") && effect.kind === "unknown");
  if (applying.some((rule) => isAllowedBy(rule, call))) return { kind: "allow" };
  if (mode === "ask") return { kind: "ask" };
  return { kind: "deny", why: "the session is read-only: no commands, no file changes, no tools with unknown effects." };
}
