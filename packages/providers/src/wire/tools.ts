import { PlimsollError, type ToolSpec } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { type Fields, recordAt, stringAt } from "../fields.ts";

/** Where SDKs have a tool's schema. */
const PARAMETER_KEYS = ["input_schema", "inputSchema", "parameters"] as const;

/**
 * Tools as their vendor's SDK describes them, in our terms. One that runs at the vendor is known by what was said of it.
 *
 * @throws PlimsollError `bad-input` for what is no list of tools with names; `details.place` says where.
 */
export function toolSpecsOf(tools: unknown): readonly ToolSpec[] {
  return namedTools(tools).map((tool) => {
    const said = saidOf(tool);
    const parameters = PARAMETER_KEYS.map((key) => recordAt(said, key)).find((each) => each !== null) ?? withoutMarks(said);
    return { name: nameOf(tool), description: stringAt(said, "description") ?? "", parametersJson: JSON.stringify(parameters) };
  });
}

/** Marks for the cache and options of a provider are no part of what a tool is: they may be others at each request. */
function withoutMarks({ cache_control: _, cacheControl: __, providerOptions: ___, ...said }: Fields): Fields {
  return said;
}

/** Tools that are only counted, as {@link toolSpecsOf} reads them: one that nobody can read is counted by its JSON, and the vendor decides about it. */
export function countedTools(tools: unknown): readonly ToolSpec[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown): readonly ToolSpec[] =>
    isRecord(tool) && nameOf(tool) !== ""
      ? toolSpecsOf([tool])
      : [{ name: "tool", description: "", parametersJson: String(JSON.stringify(tool)) }],
  );
}

/**
 * The tools as they are, if they can be counted.
 *
 * @throws PlimsollError `bad-input` for what is no list of tools in our terms; `details.place` says where.
 */
export function checkedTools(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  for (const [index, tool] of namedTools(tools).entries())
    for (const key of ["name", "description", "parametersJson"])
      if (stringAt(tool, key) === null) throw badTools(`tools[${index}].${key}`, "is no text");
  return tools;
}

/** A tool under `function` or `custom`, as Chat Completions has it, is said there. */
function saidOf(tool: Fields): Fields {
  return recordAt(tool, "function") ?? recordAt(tool, "custom") ?? tool;
}

function nameOf(tool: Fields): string {
  const said = saidOf(tool);
  return stringAt(said, "name") ?? stringAt(said, "type") ?? "";
}

function namedTools(tools: unknown): readonly Fields[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) throw badTools("tools", "is no list");
  return tools.map((tool: unknown, index) => {
    if (!isRecord(tool)) throw badTools(`tools[${index}]`, "is no tool");
    if (nameOf(tool) === "") throw badTools(`tools[${index}].name`, "is missing");
    return tool;
  });
}

function badTools(place: string, what: string): PlimsollError {
  return new PlimsollError("bad-input", `${place} ${what}`, { place });
}
