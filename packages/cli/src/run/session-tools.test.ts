import type { AgentTool } from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import { distinctTools } from "./open-session.ts";

const toolOf = (name: string, text = "built in"): AgentTool => ({
  spec: { name, description: text, parametersJson: "{}" },
  category: "generic",
  isRerunnable: true,
  hint: null,
  pathsOf: () => [],
  effectOf: () => ({ kind: "read" }),
  run: async () => ({ text, isError: false }),
});
const READ = toolOf("read_file");
const SERVERS = toolOf("marks_list", "a server's");
const leftOut = (name: string) => `mcp: a tool ${name} already exists; the server's is left out`;

test.each([
  ["another name is another tool", [SERVERS], [READ, SERVERS], []],
  ["a built-in tool is not replaced", [toolOf("read_file", "a server's")], [READ], [leftOut("read_file")]],
  ["the first of two's is taken", [SERVERS, toolOf("marks_list", "another's")], [READ, SERVERS], [leftOut("marks_list")]],
])("%s", (_rule, added, tools, lines) => {
  expect(distinctTools([READ], added)).toEqual({ tools, lines });
});
