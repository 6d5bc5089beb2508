import { type ContextTools, PlimsollError } from "@plimsoll/core";
import { suggestion } from "@plimsoll/core/extend";

/** The arguments of a tool as JSON Schema. A type, not an interface: SDKs take it for a record. */
type Parameters = {
  type: "object";
  properties: Record<string, { type: "integer" | "string"; description: string }>;
  required: string[];
  additionalProperties: false;
};

type Named = { name: string; description: string };
type Run = (args: unknown) => Promise<string>;

/** A tool in the forms of SDKs whose loops are their callers'. With `deferred` the vendor's search for tools declares it, where the wire has one. */
interface Forms {
  readonly "openai-chat": { type: "function"; function: Named & { parameters: Parameters } };
  readonly "openai-responses": Named & { type: "function"; parameters: Parameters; strict: false; defer_loading?: true };
  readonly anthropic: Named & { input_schema: Parameters; defer_loading?: true };
  readonly gemini: { functionDeclarations: (Named & { parametersJsonSchema: Parameters })[] };
  readonly mcp: Named & { inputSchema: Parameters };
}

/** The Agents SDK takes a schema with optional arguments only if it is open. */
type AgentsFields = Named & {
  parameters: Omit<Parameters, "additionalProperties"> & { additionalProperties: true };
  strict: false;
  execute: Run;
  /** The program gets errors; by default the SDK gives them to the model. */
  errorFunction: null;
};

/** SDKs that run tools themselves, and the function of each that makes one. */
const MAKERS: Readonly<Record<string, string>> = { "ai-sdk": "jsonSchema", langchain: "tool", "openai-agents": "tool" };

type Made = (tool: Named & { parameters: Parameters }, how: { loading: object; run: Run; make: Make }) => unknown;
type Make = (...fields: unknown[]) => unknown;

const FORMS: Readonly<Record<keyof Forms, Made>> & Readonly<Record<string, Made>> = {
  "openai-chat": (tool) => ({ type: "function", function: tool }),
  "openai-responses": (tool, { loading }) => ({ type: "function", ...tool, strict: false, ...loading }),
  anthropic: ({ parameters, ...named }, { loading }) => ({ ...named, input_schema: parameters, ...loading }),
  gemini: ({ parameters, ...named }) => ({ ...named, parametersJsonSchema: parameters }),
  mcp: ({ parameters, ...named }) => ({ ...named, inputSchema: parameters }),
  "ai-sdk": ({ name, parameters, ...said }, { run, make }) => [name, { ...said, inputSchema: make(parameters), execute: run }],
  langchain: ({ parameters, ...named }, { run, make }) => make(run, { ...named, schema: parameters }),
  "openai-agents": ({ parameters, ...named }, { run, make }) => {
    const open = { ...parameters, additionalProperties: true };
    return make({ ...named, parameters: open, strict: false, execute: run, errorFunction: null });
  },
};
const SDKS = Object.keys(FORMS);

/**
 * Declares context tools as an SDK takes them, the same at each call; your loop gives their calls to `execute`. The AI SDK, LangChain and the Agents SDK run tools
 * themselves: give their own `jsonSchema` or `tool`, and the conversation if there are several.
 *
 * @throws PlimsollError `bad-input` for an unknown SDK, or one of these without its function.
 */
export function toolsFor<Sdk extends keyof Forms, Of = never>(
  sdk: Sdk,
  tools: ContextTools<Of>,
  loading?: "deferred",
): Forms[Sdk][];
export function toolsFor<Schema, Of = never>(
  sdk: "ai-sdk",
  tools: ContextTools<Of>,
  jsonSchema: (schema: Parameters) => Schema,
  of?: Of,
): Record<string, { description: string; inputSchema: Schema; execute: Run }>;
export function toolsFor<Tool, Of = never>(
  sdk: "langchain",
  tools: ContextTools<Of>,
  tool: (run: Run, fields: Named & { schema: Parameters }) => Tool,
  of?: Of,
): Tool[];
export function toolsFor<Tool, Of = never>(
  sdk: "openai-agents",
  tools: ContextTools<Of>,
  tool: (fields: AgentsFields) => Tool,
  of?: Of,
): Tool[];
export function toolsFor(sdk: string, { definitions, execute }: ContextTools<unknown>, given?: unknown, of?: unknown): unknown {
  const refused = (why: string) => new PlimsollError("bad-input", why, { sdk });
  const { [sdk]: maker } = MAKERS;
  const formOf = Object.hasOwn(FORMS, sdk) ? FORMS[sdk] : undefined;
  if (formOf === undefined) throw refused(`no SDK is called "${sdk}": ${suggestion(sdk, SDKS)}`);
  if (maker !== undefined && typeof given !== "function")
    throw refused(`context tools for ${sdk} need its \`${maker}\`: toolsFor("${sdk}", tools, ${maker})`);
  const loading = given === "deferred" ? { defer_loading: true } : {};
  const make: Make = (...fields) => (typeof given === "function" ? given(...fields) : null);
  const forms = definitions.map(({ name, description, parametersJson }) => {
    const run: Run = async (args) => (await execute(name, args, of)) ?? "";
    return formOf({ name, description, parameters: JSON.parse(parametersJson) }, { loading, run, make });
  });
  if (sdk === "gemini") return [{ functionDeclarations: forms }];
  return sdk === "ai-sdk" ? Object.fromEntries(forms.filter(Array.isArray)) : forms;
}
