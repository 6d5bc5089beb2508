import { BENCH_COMMANDS } from "@plimsoll/bench/commands";

/** Every command, in the order of the help. */
export const COMMANDS: typeof BENCH_COMMANDS = [
  ...BENCH_COMMANDS,
  {
    name: "policy",
    description: "list policies; show one, or the settings of this folder, with the origin of each value",
    examples: ["policy list", "policy show", "policy show plimsoll", 'policy show "sven actAt=70% cap=8k"'],
    load: async () => (await import("./command/policy-command.ts")).definePolicyCommand,
  },
  {
    name: "schema",
    description: "print the JSON Schema of the JSON report, or of policy files, for editors",
    examples: ["schema report", "schema policy"],
    load: async () => (await import("./command/schema-command.ts")).defineSchemaCommand,
  },
  {
    name: "simulate",
    description: "run a fake LLM API that enforces the vendors' rules: four wires, limits, prompt cache, faults",
    examples: ["simulate --window 32k", "simulate session.jsonl --port 0"],
    load: async () => (await import("./command/simulate-command.ts")).defineSimulateCommand,
  },
  {
    name: "proxy",
    description: "compact under any agent that takes a base URL: fit its requests to the window, and pass them on",
    note: "It listens on 127.0.0.1, keeps no key, and changes no byte of a request before\nthe first cut. Set your agent's base URL to the address that it prints.\nThe agent needs an API key: signing in with ChatGPT (Codex) or with Google\n(Gemini CLI) does not work.",
    examples: [
      "proxy --upstream https://api.anthropic.com",
      "proxy --upstream https://api.openai.com/v1 --policy plimsoll.yaml --window 200k --record sessions",
    ],
    load: async () => (await import("./proxy/proxy-command.ts")).defineProxyCommand,
  },
  {
    name: "chat",
    description: "work with an agent in the terminal; /help lists its commands",
    examples: ["chat --demo", "chat --model openrouter/z-ai/glm-5 --policy plimsoll-economy"],
    load: async () => (await import("./chat/chat-command.ts")).defineChatCommand,
  },
  {
    name: "run",
    description: "let the agent work on one task",
    examples: [
      'run --demo "look at the logs"',
      "run \"mend the failing test\" --allow writes --allow 'command:npm test' --json",
    ],
    load: async () => (await import("./run/run-command.ts")).defineRunCommand,
  },
  {
    name: "serve",
    description: "run a session for another program, over JSON-RPC with Content-Length headers",
    examples: ["serve --demo", "serve --model sonnet --read-only"],
    load: async () => (await import("./serve/serve-command.ts")).defineServeCommand,
  },
  {
    name: "mcp",
    description: "let an agent look into its own session over MCP: context, compactions, lost text",
    note: "Standard input and output belong to the protocol. It reads the given log\nand nothing else.",
    examples: ["mcp session.jsonl", "mcp ~/.codex/sessions/2026/11/22/rollout.jsonl"],
    load: async () => (await import("./mcp-server/mcp-command.ts")).defineMcpCommand,
  },
  {
    name: "hook",
    description: "restore text that the agent's compaction dropped; for hooks of Claude Code and Codex",
    note: "Agents start it, with a payload on standard input: `plimsoll hook` is the\ncommand of the hook SessionStart with the matcher compact (and, in Claude\nCode, of the hook PreCompact), in Claude Code's settings.json or in Codex's\nhooks.json. `plimsoll hook plugin` prints the folder of the plugin that\ncompacts in Claude Code: claude --plugin-dir \"$(plimsoll hook plugin)\".",
    examples: ["hook plugin", "hook"],
    load: async () => (await import("./hook/hook-command.ts")).defineHookCommand,
  },
  {
    name: "inspect",
    description: "show a session, the newest of this folder or a given one: timeline, contents of its context, compactions",
    examples: ["inspect claude-code", "inspect", "inspect session.jsonl", "inspect session.jsonl --html session.html"],
    load: async () => (await import("./inspect/inspect-command.ts")).defineInspectCommand,
  },
  {
    name: "doctor",
    description: "diagnose a session log; write a repaired copy beside it",
    note: "It reads one log and asks no model. The copy differs only in repaired lines.",
    examples: ["doctor", "doctor session.jsonl", "doctor --from claude-code --write"],
    load: async () => (await import("./doctor/doctor-command.ts")).defineDoctorCommand,
  },
  {
    name: "compact",
    description: "compact any readable session log and print the messages as JSON; or undo a compaction",
    examples: [
      "compact session.jsonl --dry-run",
      "compact session.jsonl --dry-run --keep 8k",
      "compact session.jsonl --policy pi --window 32k --out messages.json",
      "compact 20260310-120000-abcd --undo",
    ],
    load: async () => (await import("./compact/compact-command.ts")).defineCompactCommand,
  },
];
