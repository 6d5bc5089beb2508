import { type SessionEntry, type ToolSpec, toolCallsOf } from "@plimsoll/core";
import { argumentsOf } from "./agreement.ts";
import type { ToolsFrom } from "./ask-report.ts";

/** The system text and tools before the messages of a request, and the source of the tools. */
export interface Setup {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly toolsFrom: ToolsFrom;
}

/**
 * Collects the setup that was in force at each call of a recorded log, one entry a call. If the log has no definitions of tools, each request offers
 * those that its calls used anywhere in the session: a real agent knew them from the start.
 */
export function setupsOf(entries: readonly SessionEntry[]): readonly Setup[] {
  const made = toolsOfCalls(entries);
  const setups: Setup[] = [];
  let setup = setupOf({ system: "", tools: [] }, made);
  for (const entry of entries) {
    if (entry.type === "session" || entry.type === "setup-change") setup = setupOf(entry, made);
    if (entry.type === "usage") setups.push(setup);
  }
  return setups;
}

function setupOf({ system, tools }: Pick<Setup, "system" | "tools">, made: readonly ToolSpec[]): Setup {
  if (tools.length > 0) return { system, tools, toolsFrom: "log" };
  return { system, tools: made, toolsFrom: made.length > 0 ? "calls" : "nowhere" };
}

/** Said of a tool whose own description is not in the log. */
const MADE_DESCRIPTION = "A tool of this session. Its arguments are known from earlier calls alone.";

/** Knowledge of a tool from its calls. */
interface SeenTool {
  calls: number;
  readonly arguments: Map<string, { calls: number; readonly types: Set<JsonType> }>;
}

/**
 * Definitions of tools from their recorded calls: names, and of the arguments the names and types that were seen; an argument that each call had is
 * required. In the order of their names. A tool of free form has one text, `input`.
 */
export function toolsOfCalls(entries: readonly SessionEntry[]): readonly ToolSpec[] {
  const seen = new Map<string, SeenTool>();
  for (const entry of entries) {
    if (entry.type !== "message") continue;
    for (const { toolName, argumentsJson } of toolCallsOf(entry.message)) {
      const tool = seen.get(toolName) ?? { calls: 0, arguments: new Map() };
      seen.set(toolName, tool);
      note(tool, argumentsOf(argumentsJson));
    }
  }
  return [...seen].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, tool]) => specOf(name, tool));
}

function note(tool: SeenTool, args: Readonly<Record<string, unknown>>): void {
  tool.calls += 1;
  for (const [name, value] of Object.entries(args)) {
    const argument = tool.arguments.get(name) ?? { calls: 0, types: new Set() };
    tool.arguments.set(name, argument);
    argument.calls += 1;
    argument.types.add(typeOf(value));
  }
}

function specOf(name: string, tool: SeenTool): ToolSpec {
  const args = [...tool.arguments];
  const properties = Object.fromEntries(args.map(([argument, { types }]) => [argument, schemaOf([...types].toSorted())]));
  const required = args.filter(([, { calls }]) => calls === tool.calls).map(([argument]) => argument);
  return {
    name,
    description: MADE_DESCRIPTION,
    parametersJson: JSON.stringify({ type: "object", properties, ...(required.length > 0 && { required }) }),
  };
}

type JsonType = "string" | "number" | "boolean" | "array" | "object" | "null";

function schemaOf(types: readonly JsonType[]): Readonly<Record<string, unknown>> {
  const [only] = types;
  return { type: types.length === 1 ? only : types, ...(types.includes("array") && { items: {} }) };
}

function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "boolean";
  return typeof value === "string" ? "string" : "object";
}
