import { z } from "zod";

/*
 * Harbor's trajectory format as its RFC 0001 and its models say it (ATIF 1.7 and 1.8: github.com/harbor-framework/harbor, rfcs/0001-trajectory-format.md
 * and src/harbor/models/trajectories, read in November 2026). Written from these alone, beside neither our importer nor our writer: what one of
 * them misread is not misread here again. The models take no field that they do not name, but for `extra`.
 */

const extra = z.record(z.string(), z.unknown()).nullish();
const count = z.int().nonnegative().nullish();

const imageSource = z.strictObject({
  media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
  path: z.string().min(1),
});

const audioSource = z.strictObject({
  media_type: z.string().startsWith("audio/"),
  path: z.string().min(1),
  duration_sec: z.number().nonnegative().nullish(),
});

const contentPart = z.union([
  z.strictObject({ type: z.literal("text"), text: z.string(), source: z.null().optional() }),
  z.strictObject({ type: z.literal("image"), source: imageSource, text: z.null().optional() }),
  z.strictObject({ type: z.literal("audio"), source: audioSource, text: z.null().optional() }),
]);

const content = z.union([z.string(), z.array(contentPart)]);

const toolCall = z.strictObject({
  tool_call_id: z.string().min(1),
  function_name: z.string().min(1),
  arguments: z.record(z.string(), z.unknown()),
  extra,
});

const reference = z
  .strictObject({
    trajectory_id: z.string().nullish(),
    trajectory_path: z.string().nullish(),
    session_id: z.string().nullish(),
    extra,
  })
  .refine((given) => (given.trajectory_id ?? given.trajectory_path ?? "") !== "", "a reference names an id or a path");

const observation = z.strictObject({
  results: z.array(
    z.strictObject({
      source_call_id: z.string().nullish(),
      content: content.nullish(),
      subagent_trajectory_ref: z.array(reference).nullish(),
      extra,
    }),
  ),
});

const metrics = z
  .strictObject({
    prompt_tokens: count,
    completion_tokens: count,
    cached_tokens: count,
    cost_usd: z.number().nullish(),
    prompt_token_ids: z.array(z.int()).nullish(),
    completion_token_ids: z.array(z.int()).nullish(),
    logprobs: z.array(z.number()).nullish(),
    extra,
  })
  .refine(
    (given) => (given.cached_tokens ?? 0) <= (given.prompt_tokens ?? Number.POSITIVE_INFINITY),
    "cached is part of the prompt",
  );

const AGENTS_ALONE = ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"] as const;

const step = z
  .strictObject({
    step_id: z.int().positive(),
    timestamp: z.iso.datetime({ offset: true, local: true }).nullish(),
    source: z.enum(["system", "user", "agent"]),
    model_name: z.string().nullish(),
    reasoning_effort: z.union([z.string(), z.number()]).nullish(),
    message: content,
    reasoning_content: z.string().nullish(),
    tool_calls: z.array(toolCall).nullish(),
    observation: observation.nullish(),
    metrics: metrics.nullish(),
    is_copied_context: z.boolean().nullish(),
    llm_call_count: count,
    extra,
  })
  .refine(
    (given) => given.source === "agent" || AGENTS_ALONE.every((name) => given[name] === undefined || given[name] === null),
    "a field of agents on another's step",
  )
  .refine(
    ({ llm_call_count, metrics: measured, reasoning_content }) =>
      llm_call_count !== 0 || ((measured ?? null) === null && (reasoning_content ?? null) === null),
    "a step without a call has nothing that a call gives",
  )
  .refine(({ tool_calls, observation: seen }) => {
    const ids = new Set((tool_calls ?? []).map(({ tool_call_id }) => tool_call_id));
    return (seen?.results ?? []).every(
      ({ source_call_id }) => (source_call_id ?? null) === null || ids.has(source_call_id ?? ""),
    );
  }, "a result names a call of its own step");

const agent = z.strictObject({
  name: z.string().min(1),
  version: z.string(),
  model_name: z.string().nullish(),
  tool_definitions: z.array(z.record(z.string(), z.unknown())).nullish(),
  extra,
});

const finalMetrics = z.strictObject({
  total_prompt_tokens: count,
  total_completion_tokens: count,
  total_cached_tokens: count,
  total_cost_usd: z.number().nullish(),
  total_steps: count,
  extra,
});

/** The demands of a trajectory on another one inside it. */
interface Inside {
  readonly trajectory_id?: string | null | undefined;
}

const trajectory = z
  .strictObject({
    schema_version: z.enum(["ATIF-v1.7", "ATIF-v1.8"]),
    session_id: z.string().nullish(),
    trajectory_id: z.string().nullish(),
    agent,
    steps: z.array(step).min(1),
    notes: z.string().nullish(),
    final_metrics: finalMetrics.nullish(),
    continued_trajectory_ref: z.string().nullish(),
    extra,
    get subagent_trajectories(): z.ZodType<readonly Inside[] | null | undefined> {
      return z.array(trajectory).nullish();
    },
  })
  .refine(({ steps }) => steps.every(({ step_id }, index) => step_id === index + 1), "steps are numbered from 1")
  .refine(({ subagent_trajectories }) => {
    const ids = (subagent_trajectories ?? []).map(({ trajectory_id }) => trajectory_id ?? "");
    return !ids.includes("") && new Set(ids).size === ids.length;
  }, "each trajectory inside has an id of its own")
  .refine(({ steps, subagent_trajectories }) => {
    const inside = new Set((subagent_trajectories ?? []).map(({ trajectory_id }) => trajectory_id));
    const references = steps
      .flatMap(({ observation: seen }) => seen?.results ?? [])
      .flatMap(({ subagent_trajectory_ref }) => subagent_trajectory_ref ?? []);
    return references.every(
      ({ trajectory_id, trajectory_path }) => (trajectory_path ?? null) !== null || inside.has(trajectory_id),
    );
  }, "a reference by id names a trajectory inside")
  .refine(
    (given) => given.schema_version !== "ATIF-v1.7" || !JSON.stringify(given.steps).includes('{"type":"audio"'),
    "audio is there from 1.8 on",
  );

/** Lists the format's rules that a document breaks, one line each; empty for one that Harbor would take. */
export function brokenAtifRules(document: unknown): readonly string[] {
  const read: z.ZodSafeParseResult<unknown> = trajectory.safeParse(document);
  return read.success ? [] : read.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
}
