import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type MadeAgent, makeSessions } from "./agent-sessions.ts";

/** An agent with a settings file of the person's own, and the file after the advice from its sessions. */
export interface AdviceWalk {
  readonly agent: MadeAgent;
  readonly title: string;
  readonly windowTokens: number;
  /** Below the home folder. */
  readonly file: string;
  readonly before: string;
  readonly after: RegExp;
}

/** Eight sessions, the fewest that advice is given on. */
const SESSIONS = 8;
/** How much of the window each session fills: more than any agent leaves untouched. */
const PEAK_RATIO = 0.85;

/** Puts the agent's file and sessions below a home folder. Returns the file's path. */
export function settleAgent({ agent, windowTokens, file, before }: AdviceWalk, homeFolder: string): string {
  const path = join(homeFolder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, before);
  makeSessions(agent, homeFolder, { count: SESSIONS, peakTokens: PEAK_RATIO * windowTokens, windowTokens });
  return path;
}

/** One walk for each agent whose settings advice can write. */
export const ADVICE_WALKS: readonly AdviceWalk[] = [
  {
    agent: "claude-code",
    title: "Claude Code",
    windowTokens: 1_000_000,
    file: ".claude/settings.json",
    before: '{\n  "model": "opus"\n}\n',
    after: /^\{\n {2}"model": "opus",\n {2}"autoCompactWindow": 200000\n\}\n$/,
  },
  {
    agent: "codex",
    title: "Codex",
    windowTokens: 32_000,
    file: ".codex/config.toml",
    before: '# mine\nmodel = "gpt" # the best\n\n[tools]\nweb_search = true\n',
    after: /^# mine\nmodel = "gpt" # the best\nmodel_auto_compact_token_limit = 14000\n\n\[tools\]\nweb_search = true\n$/,
  },
  {
    agent: "pi",
    title: "pi",
    windowTokens: 64_000,
    file: ".pi/agent/settings.json",
    before: '{\n\t"theme": "dark",\n\t"compaction": { "enabled": true }\n}\n',
    after: /^\{\n\t"theme": "dark",\n\t"compaction": \{\s*"enabled": true,\s*"reserveTokens": \d+000\s*\}\n\}\n$/,
  },
  {
    agent: "opencode",
    title: "OpenCode",
    windowTokens: 32_000,
    file: ".config/opencode/opencode.jsonc",
    before: '{\n  // the small one\n  "small_model": "x/y",\n}\n',
    after:
      /^\{\n {2}\/\/ the small one\n {2}"small_model": "x\/y",\n {2}"compaction": \{\n {4}"reserved": \d+000\n {2}\},?\n\}\n$/,
  },
  {
    agent: "gemini",
    title: "Gemini CLI",
    windowTokens: 32_000,
    file: ".gemini/settings.json",
    before: '{\n  "model": { "name": "g" } // mine\n}\n',
    after: /^\{\n {2}"model": \{\s*"name": "g",\s*"compressionThreshold": 0\.[23]\s*\} \/\/ mine\n\}\n$/,
  },
];
