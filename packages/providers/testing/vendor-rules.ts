import { z } from "zod";
import { type Fields, parseRecord, piecesAt, recordAt, recordsAt, stringAt } from "../src/fields.ts";

// Finds faults in a body that a vendor's API would refuse and the simulator does not look at. Each rule has its source beside it.

/** The places of a body that are not of the shape. */
function misshapen(shape: z.ZodType, body: unknown): readonly string[] {
  const issues = shape.safeParse(body).error?.issues ?? [];
  return issues.map(({ path, message }) => `shape of ${path.join(".")}: ${message}`);
}

const any = z.unknown().optional();
const typed = <Fields extends z.ZodRawShape>(type: string, fields: Fields) =>
  z.strictObject({ type: z.literal(type), ...fields });

/** Fields of content blocks as @anthropic-ai/sdk 1.12.0 declares them: anthropics/claude-code#4378 quotes "Extra inputs are not permitted". */
const mark = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() }).nullish();
const text = typed("text", { text: z.string(), cache_control: mark, citations: any });
const document = typed("document", { source: any, cache_control: mark, citations: any, context: any, title: any });

/** Base64 JPEG, PNG, GIF, WebP, a file, or an https URL: platform.claude.com/docs/en/build-with-claude/vision. */
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const source = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("base64"), media_type: z.enum(IMAGE_TYPES), data: base64 }),
  z.looseObject({ type: z.literal("url"), url: z.string().regex(/^https?:\/\//) }),
  z.looseObject({ type: z.literal("file") }),
]);
const image = typed("image", { source, cache_control: mark, transformations: any });
const compaction = typed("compaction", { content: any, signature: any, cache_control: mark, tool_changes: any });
const others = (types: RegExp) => z.looseObject({ type: z.string().regex(types) });
const contentOf = (...blocks: [z.ZodType, ...z.ZodType[]]) => z.union([z.string(), z.array(z.union(blocks))]);

/** A failed result has content: jlevy/markform#153. */
const result = typed("tool_result", {
  tool_use_id: any,
  content: contentOf(text, image, document, others(/^(?:search_result|tool_reference|browser_state)$/)).optional(),
  is_error: z.boolean().optional(),
  cache_control: mark,
  toolset_name: any,
}).refine(({ is_error: isError, content }) => isError !== true || (content !== undefined && Object(content).length > 0));

/** Blocks by the role of their message: platform.claude.com/docs/en/api/messages. */
const said = contentOf(text, image, document, result, compaction, others(/^(?:search_result|container_upload)$/));
const replied = contentOf(
  text,
  compaction,
  typed("thinking", { thinking: any, signature: any }),
  typed("redacted_thinking", { data: any }),
  typed("tool_use", { id: any, name: any, input: any, cache_control: mark, caller: any, toolset_name: any }),
  others(
    /^(?!(?:text|compaction|thinking|redacted_thinking|tool_use|image|document|search_result|tool_result|container_upload)$)./,
  ),
);
/** A system message sets the effort, too: platform.claude.com/docs/en/build-with-claude/effort-per-message. */
const MESSAGES = z.looseObject({
  system: contentOf(text).optional(),
  tools: z.array(z.looseObject({ cache_control: mark })).optional(),
  messages: z.array(
    z.discriminatedUnion("role", [
      z.strictObject({ role: z.literal("user"), content: said }),
      z.strictObject({ role: z.literal("assistant"), content: replied }),
      z.strictObject({ role: z.literal("system"), content: contentOf(text), output_config: any }),
    ]),
  ),
});

/** Models that think only on request: up to Claude 4.5. */
const OLDER_MODEL = /^claude-(?:2|3|instant|(?:opus|sonnet|haiku)-4-(?:[0-5](?:-|$)|\d{8}))/;

/** Finds faults in a body of the Anthropic Messages API. */
export function validateMessagesRequest(body: unknown): readonly string[] {
  const type = stringAt(recordAt(body, "thinking"), "type");
  const loop = openLoop(body);
  const isOff = type === "disabled" || (type === null && OLDER_MODEL.test(stringAt(body, "model") ?? ""));
  return [
    ...misshapen(MESSAGES, body),
    // anthropics/claude-code#11978; adaptive thinking is exempt: platform.claude.com/docs/en/build-with-claude/adaptive-thinking.
    ...(type === "enabled" && loop[0] !== undefined && !isThinking(loop[0][0]) ? ["thinking-first"] : []),
    // tailcallhq/forgecode#1853.
    ...(isOff && loop.at(-1)?.some(isThinking) === true ? ["thinking-off"] : []),
  ];
}

/** The blocks of the assistant in the loop of tool calls that a request ends in, oldest first; none if it ends in a person's words. */
function openLoop(body: unknown): readonly (readonly Fields[])[] {
  const turns: { readonly role: unknown; readonly blocks: Fields[] }[] = [];
  for (const message of recordsAt(body, "messages").filter(({ role }) => role !== "system")) {
    const { role } = message;
    if (turns.at(-1)?.role !== role) turns.push({ role, blocks: [] });
    turns.at(-1)?.blocks.push(...piecesAt(message, "content"));
  }
  const loop: (readonly Fields[])[] = [];
  while (turns.pop()?.blocks.some(({ type }) => type === "tool_result") === true) loop.unshift(turns.pop()?.blocks ?? []);
  return loop;
}

function isThinking(block: Fields | undefined): boolean {
  return block?.type === "thinking" || block?.type === "redacted_thinking";
}

/** Content parts by role, and calls, as openai 6.49.0 declares them; n8n-io/n8n#36774 (an empty array), microsoft/semantic-kernel#5320 (names). */
const partsOf = (...types: string[]) =>
  z.union([
    z.string(),
    z
      .array(z.union([z.looseObject({ type: z.literal("text"), text: z.string() }), z.looseObject({ type: z.enum(types) })]))
      .min(1),
  ]);
const called = z.looseObject({ name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/), arguments: z.string() });
const CHAT = z.looseObject({
  messages: z.array(
    z.union([
      z.looseObject({ role: z.literal("user"), content: partsOf("image_url", "input_audio", "file").nullish() }),
      z.looseObject({ role: z.enum(["system", "developer", "tool", "function"]), content: partsOf("").nullish() }),
      z.looseObject({
        role: z.literal("assistant"),
        content: partsOf("refusal").nullish(),
        tool_calls: z
          .array(
            z.discriminatedUnion("type", [
              z.looseObject({ type: z.literal("function"), id: z.string().min(1), function: called }),
              z.looseObject({ type: z.literal("custom"), id: z.string().min(1) }),
            ]),
          )
          .optional(),
      }),
    ]),
  ),
});

/**
 * Finds faults in a body of Chat Completions. Which server: "any" is OpenAI, which takes turns in any order; "alternating" are servers that render the request by a
 * chat template, as those of Mistral and vLLM do.
 */
export function validateChatRequest(body: unknown, turns: "any" | "alternating" = "any"): readonly string[] {
  const messages = recordsAt(body, "messages");
  const last = messages.at(-1)?.role;
  const calls = messages.map((message) => recordsAt(message, "tool_calls"));
  const isObject = (call: Fields) => parseRecord(stringAt(recordAt(call, "function"), "arguments") ?? "") !== null;
  // Results are of the reply before them.
  const results: string[] = [];
  let reply = 0;
  for (const [index, { role, tool_call_id: id }] of messages.entries())
    if (role === "tool") results.push(`${reply} ${String(id)}`);
    else reply = index;
  return [
    ...misshapen(CHAT, body),
    // openclaw/openclaw#47136 and agno-agi/agno#5116.
    ...calls.flatMap((each) =>
      repeated(
        each.map(({ id }) => String(id)),
        "call-id-unique",
      ),
    ),
    ...repeated(results, "result-once"),
    // 0xPlaygrounds/rig#1130, and docs.vllm.ai/en/latest/features/tool_calling.html: templates render the parsed arguments.
    ...(turns === "alternating" && last !== "user" && last !== "tool" ? [`template-last-role: ${String(last)}`] : []),
    ...(turns === "alternating" && !calls.flat().every(isObject) ? ["template-arguments"] : []),
  ];
}

function repeated(ids: readonly string[], rule: string): readonly string[] {
  return ids.flatMap((id, index) => (ids.indexOf(id) === index ? [] : [`${rule}: ${id}`]));
}

/** Fields of items: BerriAI/litellm#13420 quotes "Unknown parameter: 'input[3].status'", which reasoning has in answers only. Codex 0.169.0 sends a custom output's name. */
const ITEM_FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "role", "content", "id", "status", "phase"],
  function_call: ["type", "id", "call_id", "name", "arguments", "status", "caller", "namespace"],
  function_call_output: ["type", "id", "call_id", "output", "status", "caller"],
  custom_tool_call: ["type", "id", "call_id", "name", "input", "status", "caller", "namespace"],
  custom_tool_call_output: ["type", "id", "call_id", "name", "output", "status", "caller"],
  reasoning: ["type", "id", "summary", "content", "encrypted_content"],
  item_reference: ["type", "id"],
};

/** Beginnings of ids: openai/codex#33176. */
const ID_PREFIX: Readonly<Record<string, string>> = { message: "msg", function_call: "fc", reasoning: "rs" };

/** The form of ids: CopilotKit/CopilotKit#6117, which measured it. */
const ID = /^[a-zA-Z0-9_]{0,63}[a-zA-Z0-9]$/;

/** Finds faults in a body of the Responses API. `ids` is "again" for a server of another maker that numbers its calls anew. */
export function validateResponsesRequest(body: unknown, ids: "once" | "again" = "once"): readonly string[] {
  const items = recordsAt(body, "input").map((item) => ({ ...item, type: stringAt(item, "type") ?? "message" }) as Fields);
  const callIds = (kind: string) => items.flatMap(({ type, call_id: id }) => (type === kind ? [String(id)] : []));
  return [
    ...items.flatMap(itemFaults),
    // earendil-works/pi#9057.
    ...(ids === "again"
      ? openAgain(items)
      : ["function_call", "function_call_output"].flatMap((kind) => repeated(callIds(kind), "call-id-unique"))),
  ];
}

function itemFaults(item: Fields, index: number): readonly string[] {
  const { id = null, summary } = item;
  const type = String(item.type);
  const unknown = Object.keys(item).filter((key) => ITEM_FIELDS[type]?.includes(key) === false);
  const isRight = id === null || (ID.test(String(id)) && String(id).startsWith(ID_PREFIX[type] ?? ""));
  return [
    ...unknown.map((key) => `item-fields: input.${index}.${key}`),
    ...(isRight ? [] : [`id: input.${index}`]),
    // openai 6.49.0, ResponseReasoningItem.
    ...(type === "reasoning" && !Array.isArray(summary) ? [`reasoning-shape: input.${index}`] : []),
  ];
}

/**
 * Calls of an id that is open: a server may give it again only once its call is answered (make_tool_call_id in vllm-project/vllm). Types of outputs are those of their
 * calls and `_output`, but for a search of tools.
 */
function openAgain(items: readonly Fields[]): readonly string[] {
  const open = new Set<string>();
  return items.flatMap(({ type, call_id: id }) => {
    if (typeof id !== "string" || id === "") return [];
    if (String(type).endsWith("_output")) open.delete(id);
    else if (open.has(id)) return [`call-answered-in-place: ${id}`];
    else open.add(id);
    return [];
  });
}
