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
const SDKS = ["openai-chat", "openai-responses", "anthropic", "gemini", "mcp", ...Object.keys(MAKERS)];

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
export function toolsFor(
  sdk: keyof Forms | "ai-sdk" | "langchain" | "openai-agents",
  { definitions, execute }: ContextTools<unknown>,
  given?: unknown,
  of?: unknown,
): unknown {
  if (!SDKS.includes(sdk)) throw new PlimsollError("bad-input", `no SDK is called "${sdk}": ${suggestion(sdk, SDKS)}`, { sdk });
  const { [sdk]: maker } = MAKERS;
  if (maker !== undefined && typeof given !== "function")
    throw new PlimsollError(
      "bad-input",
      `context tools for ${sdk} need its \`${maker}\`: toolsFor("${sdk}", tools, ${maker})`,
      { sdk },
    );
  const deferred = given === "deferred" ? { defer_loading: true } : {};
  const make = typeof given === "function" ? given : (made: unknown) => made;
  const formOf = ({ name, description, parametersJson }: (typeof definitions)[number]): unknown => {
    const parameters = JSON.parse(parametersJson);
    const run: Run = async (args) => (await execute(name, args, of)) ?? "";
    switch (sdk) {
      case "openai-chat":
        return { type: "function", function: { name, description, parameters } };
      case "openai-responses":
        return { type: "function", name, description, parameters, strict: false, ...deferred };
      case "anthropic":
        return { name, description, input_schema: parameters, ...deferred };
      case "gemini":
        return { name, description, parametersJsonSchema: parameters };
      case "mcp":
        return { name, description, inputSchema: parameters };
      case "ai-sdk":
        return [name, { description, inputSchema: make(parameters), execute: run }];
      case "langchain":
        return make(run, { name, description, schema: parameters });
      case "openai-agents":
        return make({
          name,
          description,
          parameters: { ...parameters, additionalProperties: true },
          strict: false,
          execute: run,
          errorFunction: null,
        });
      default:
        return sdk satisfies never;
    }
  };
  const forms = definitions.map(formOf);
  if (sdk === "gemini") return [{ functionDeclarations: forms }];
  return sdk === "ai-sdk" ? Object.fromEntries(forms.filter(Array.isArray)) : forms;
}
