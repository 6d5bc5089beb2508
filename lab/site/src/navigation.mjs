/**
 * A line of the menu: a page by its path from the repository's root.
 * @typedef {{ readonly text: string, readonly page: string }} MenuLine
 */

/** A part of the menu. @typedef {{ readonly text: string, readonly lines: readonly MenuLine[] }} MenuPart */

/** The menu, but for pages that nobody has put into it yet. @type {readonly MenuPart[]} */
export const MENU = [
  { text: "Start", lines: [{ text: "On one page", page: "README.md" }] },
  {
    text: "Use it in",
    lines: [
      { text: "Overview", page: "docs/use-in/README.md" },
      { text: "Your own loop", page: "docs/own-loop.md" },
      { text: "Anthropic SDK", page: "docs/use-in/anthropic.md" },
      { text: "OpenAI SDK", page: "docs/use-in/openai.md" },
      { text: "Gemini", page: "docs/use-in/gemini.md" },
      { text: "AI SDK", page: "docs/use-in/ai-sdk.md" },
      { text: "LangChain, LangGraph", page: "docs/use-in/langchain.md" },
      { text: "OpenAI Agents SDK", page: "docs/use-in/openai-agents.md" },
      { text: "Another library", page: "docs/use-in/own-array.md" },
      { text: "Claude Code", page: "docs/use-in/claude-code.md" },
      { text: "Codex", page: "docs/use-in/codex.md" },
      { text: "OpenCode", page: "docs/use-in/opencode.md" },
      { text: "pi", page: "docs/use-in/pi.md" },
      { text: "MCP", page: "docs/use-in/mcp.md" },
      { text: "The proxy", page: "docs/proxy.md" },
    ],
  },
  {
    text: "In production",
    lines: [
      { text: "Stores", page: "docs/stores.md" },
      { text: "Telemetry", page: "docs/telemetry.md" },
      { text: "Faults", page: "docs/faults.md" },
      { text: "An example service", page: "examples/server/README.md" },
      { text: "Security", page: "SECURITY.md" },
    ],
  },
  {
    text: "Reference",
    lines: [
      { text: "Command line", page: "docs/cli.md" },
      { text: "Policies", page: "docs/policies.md" },
      { text: "Simulator", page: "docs/simulator.md" },
      { text: "plimsoll", page: "packages/cli/README.md" },
      { text: "@plimsoll/core", page: "packages/core/README.md" },
      { text: "@plimsoll/providers", page: "packages/providers/README.md" },
      { text: "@plimsoll/tools", page: "packages/tools/README.md" },
      { text: "@plimsoll/bench", page: "bench/README.md" },
    ],
  },
  {
    text: "Measured",
    lines: [
      { text: "Bench and tune", page: "docs/bench-and-tune.md" },
      { text: "Evidence", page: "docs/evidence.md" },
      { text: "Systems, as policies", page: "docs/systems.md" },
      { text: "The recorded sessions", page: "fixtures/README.md" },
    ],
  },
  {
    text: "The project",
    lines: [
      { text: "Contributing", page: "CONTRIBUTING.md" },
      { text: "Decisions", page: "docs/decisions/README.md" },
      { text: "Releases", page: "docs/releasing.md" },
    ],
  },
];

/**
 * The menu with every page in it: those that it does not name are its last part, by their titles.
 * @param {readonly string[]} pages
 * @param {(page: string) => string} titleOf
 * @returns {readonly MenuPart[]}
 */
export function menuOf(pages, titleOf) {
  const named = new Set(MENU.flatMap(({ lines }) => lines.map(({ page }) => page)));
  const lines = pages.filter((page) => !named.has(page)).map((page) => ({ text: titleOf(page), page }));
  return lines.length === 0 ? MENU : [...MENU, { text: "More", lines }];
}
