import { type AssistantMessage, type Message, type ModelRequest, PlimsollError, type ToolSpec } from "@plimsoll/core";
import { isRecord, isUsableCallId, shortHash, type WireRules } from "@plimsoll/core/extend";
import { type Fields, recordAt, stringAt } from "../fields.ts";

const PARAMETER_KEYS = ["input_schema", "inputSchema", "parameters", "parametersJsonSchema"] as const;

/**
 * Tools in our terms, of core's own or as their vendor's SDK describes them. One that runs at the vendor is known by its declaration.
 *
 * @throws PlimsollError `bad-input` for anything but a list of tools with names; `details.place` says where.
 */
export function toolSpecsOf(tools: unknown): readonly ToolSpec[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) throw badTools("tools", "is not a list");
  return tools.flatMap((tool: unknown, index): readonly ToolSpec[] => {
    const place = `tools[${index}]`;
    if (!isRecord(tool)) throw badTools(place, "is not a tool");
    if ("functionDeclarations" in tool) return toolSpecsOf(tool.functionDeclarations);
    const name = nameOf(tool);
    if (name === "") throw badTools(`${place}.name`, "is missing");
    if ("parametersJson" in tool) return [specOf(tool, place)];
    const said = saidOf(tool);
    const parameters = PARAMETER_KEYS.map((key) => recordAt(said, key)).find((each) => each !== null) ?? withoutMarks(said);
    return [{ name, description: stringAt(said, "description") ?? "", parametersJson: JSON.stringify(parameters) }];
  });
}

/** Marks for the cache and options of a provider are no part of a tool: they may be others at each request. */
function withoutMarks({ cache_control: _, cacheControl: __, providerOptions: ___, ...said }: Fields): Fields {
  return said;
}

/** Tools that are only counted, as {@link toolSpecsOf} reads them: an unreadable one is counted by its JSON, and the vendor decides about it. */
export function countedTools(tools: unknown): readonly ToolSpec[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown): readonly ToolSpec[] =>
    isRecord(tool) && nameOf(tool) !== "" && !("parametersJson" in tool)
      ? toolSpecsOf([tool])
      : [{ name: "tool", description: "", parametersJson: String(JSON.stringify(tool)) }],
  );
}

function specOf(tool: Fields, place: string): ToolSpec {
  const text = (key: keyof ToolSpec) => {
    const value = stringAt(tool, key);
    if (value === null) throw badTools(`${place}.${key}`, "is not text");
    return value;
  };
  return { name: text("name"), description: text("description"), parametersJson: text("parametersJson") };
}

/** A tool under `function` or `custom`, as Chat Completions has it, is said there. */
function saidOf(tool: Fields): Fields {
  return recordAt(tool, "function") ?? recordAt(tool, "custom") ?? tool;
}

function nameOf(tool: Fields): string {
  const said = saidOf(tool);
  return stringAt(said, "name") ?? stringAt(said, "type") ?? "";
}

function badTools(place: string, what: string): PlimsollError {
  return new PlimsollError("bad-input", `${place} ${what}`, { place });
}

/** The call id as the wire takes it: itself if it is usable, else a hash of it (37 characters), the same for a call and its result and at every request. */
export function wireCallId(callId: string, rules: WireRules): string {
  return callId.isWellFormed() && isUsableCallId(callId, rules) ? callId : `call_${callIdHash(callId)}`;
}

/** The hash that replaces a call id that a wire does not take; ids that differ in half a character differ in it, too. */
export function callIdHash(callId: string): string {
  return shortHash(callId.isWellFormed() ? callId : JSON.stringify(callId));
}

const USABLE_NAME = /^[a-zA-Z0-9_-]+$/;

/** Characters of the hash that distinguishes names which are alike without the characters that wires refuse: chosen. */
const HASH_CHARS = 12;

/**
 * The tool's name as the wires take it: itself if it is usable, else its usable characters and a hash of it, the same at every request. Names with
 * dots come from MCP servers, others from models that call tools that do not exist.
 */
export function wireToolName(name: string, maximumChars: number): string {
  if (USABLE_NAME.test(name) && name.length <= maximumChars) return name;
  const hash = shortHash(name.isWellFormed() ? name : JSON.stringify(name)).slice(0, HASH_CHARS);
  const stem = name.slice(0, maximumChars - HASH_CHARS - 1).replace(/[^a-zA-Z0-9_-]/g, "_");
  return `${stem}_${hash}`;
}

/** A request with names as its wire takes them, and the way back for the reply's. */
export interface RenamedRequest {
  readonly request: ModelRequest;
  /** The tool's own name by the name on the wire; a name that no tool of the request has comes back as it is. */
  ownName(wireName: string): string;
}

/** Renames tools and calls for a wire. Requests with usable names keep their identity; a message that is renamed is the same one at each request. */
export function createToolNames(maximumChars: number): (request: ModelRequest) => RenamedRequest {
  const renamed = new WeakMap<AssistantMessage, AssistantMessage>();
  const nameOf = (name: string) => wireToolName(name, maximumChars);

  const renamedReply = (message: AssistantMessage): AssistantMessage => {
    const known = renamed.get(message);
    if (known !== undefined) return known;
    const parts = message.parts.map((part) =>
      part.type === "tool-call" ? { ...part, toolName: nameOf(part.toolName) } : part,
    );
    const made = { ...message, parts };
    renamed.set(message, made);
    return made;
  };
  const isOff = (message: Message): message is AssistantMessage =>
    message.role === "assistant" &&
    message.parts.some((part) => part.type === "tool-call" && nameOf(part.toolName) !== part.toolName);

  return (request) => {
    const { tools, messages } = request.context;
    const ownNames = new Map(tools.flatMap(({ name }) => (nameOf(name) === name ? [] : [[nameOf(name), name] as const])));
    const ownName = (wireName: string) => ownNames.get(wireName) ?? wireName;
    if (ownNames.size === 0 && !messages.some(isOff)) return { request, ownName };
    const context = {
      ...request.context,
      tools: tools.map((tool) => ({ ...tool, name: nameOf(tool.name) })),
      messages: messages.map((message) => (isOff(message) ? renamedReply(message) : message)),
    };
    return { request: { ...request, context }, ownName };
  };
}
