import { type ClaudeCodeOn, createClaudeCodeMod } from "./claude-code.ts";

/** A mod's environment has no timers of its own: a wait ends at once, and a deadline is the host's. */
const NO_TIMERS = {
  setImmediate: (call: () => void) => void Promise.resolve().then(call),
  setTimeout: () => 0,
  clearTimeout: () => undefined,
};

/** Called by Claude Code when the mod is loaded; the mod's only export. */
export const register: (on: ClaudeCodeOn) => void = (on) => {
  for (const [name, value] of Object.entries(NO_TIMERS)) if (!(name in globalThis)) Reflect.set(globalThis, name, value);
  createClaudeCodeMod()(on);
};
