import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "@plimsoll/core/internal";
import type { SimulatorOptions } from "./options.ts";
import { DEFAULT_WINDOW_TOKENS, maximumOutputTokensOf } from "./options.ts";

/**
 * What a server tells of its models: `/props` as llama.cpp does, `/v1/models` and `/v1/models/{id}` as the Messages API does for requests with
 * its version header, else as vLLM does; `null` for any other path, and for a model that is not there.
 */
export function aboutModels(path: string, headers: IncomingHttpHeaders, options: SimulatorOptions): JsonObject | null {
  const windowTokens = options.contextWindowTokens ?? DEFAULT_WINDOW_TOKENS;
  if (path === "/props") return { default_generation_settings: { n_ctx: windowTokens }, total_slots: 1 };
  const list = path.startsWith("/v1/") ? path.slice("/v1".length) : path;
  const ids = options.models ?? ["simulated"];
  const describe = headers["anthropic-version"] === undefined ? openAiModel : anthropicModel;
  const sizesOf = (id: string): ModelSizes => ({ windowTokens, outputTokens: maximumOutputTokensOf(id, options) });
  if (list.startsWith("/models/")) {
    const id = decodeURIComponent(list.slice("/models/".length));
    return ids.includes(id) ? describe(id, sizesOf(id)) : null;
  }
  if (list !== "/models") return null;
  const data = ids.map((id) => describe(id, sizesOf(id)));
  if (describe === openAiModel) return { object: "list", data };
  return { data, has_more: false, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null };
}

interface ModelSizes {
  readonly windowTokens: number;
  readonly outputTokens: number;
}

/** platform.openai.com/docs/api-reference/models, with the window as vLLM adds it. */
function openAiModel(id: string, { windowTokens }: ModelSizes): JsonObject {
  return { id, object: "model", created: 0, owned_by: "simulator", max_model_len: windowTokens };
}

/** platform.claude.com/docs/en/api/models: an epoch value if the day of release is not known. */
function anthropicModel(id: string, { windowTokens, outputTokens }: ModelSizes): JsonObject {
  return {
    type: "model",
    id,
    display_name: id,
    created_at: "1970-01-01T00:00:00Z",
    max_input_tokens: windowTokens,
    max_tokens: outputTokens,
  };
}
