import type { SessionEntry } from "@plimsoll/core";
import { isRecord, type JsonObject, type JsonValue } from "@plimsoll/core/extend";
import type { Transcript } from "../../transcript.ts";
import { jsonOf, stepsOf, timeOf, told } from "./write-steps.ts";

/**
 * Sessions as trajectories in ATIF 1.7 (1.8 if there is audio): each main session one document, its sidechains embedded in it. Not
 * carried, because the format has no place for it: later changes of the system text or the tools, sizes of images, what a vendor signed
 * in reasoning, the order of texts and calls in one reply. A session in which nothing is said has no trajectory: the format asks for a step.
 */
export function atifTrajectories(transcripts: readonly Transcript[]): readonly JsonObject[] {
  return transcripts
    .filter(({ parentName }) => parentName === null)
    .map((main) => trajectoryOf(main, transcripts, null))
    .filter((written) => written !== null);
}

function trajectoryOf(transcript: Transcript, all: readonly Transcript[], runId: string | null): JsonObject | null {
  const start = startOf(transcript);
  const subagents = new Map<string, readonly string[]>();
  const embedded = all.flatMap((child) => {
    const written = child.parentName === transcript.name ? trajectoryOf(child, all, runId ?? start.id) : null;
    if (written === null) return [];
    const { id, parent } = startOf(child);
    if (parent?.callId != null) subagents.set(parent.callId, [...(subagents.get(parent.callId) ?? []), id]);
    return [written];
  });
  const system =
    start.system === "" ? [] : [told({ timestamp: timeOf(start.createdMs), source: "system", message: start.system })];
  const spoken = stepsOf(transcript.entries, { subagents, isFromAtif: transcript.format === "atif" });
  const steps = [...system, ...spoken].map((step, index) => ({ step_id: index + 1, ...step }));
  const tools = start.tools.map(({ name, description, parametersJson }) => ({
    ...{ type: "function", function: { name, description, parameters: jsonOf(parametersJson) } },
  }));
  return steps.length === 0
    ? null
    : told({
        schema_version: hasAudio(steps) ? "ATIF-v1.8" : "ATIF-v1.7",
        session_id: runId ?? start.id,
        trajectory_id: runId === null ? null : start.id,
        agent: told({
          name: start.agent?.name ?? UNKNOWN,
          version: start.agent?.version ?? UNKNOWN,
          tool_definitions: tools.length === 0 ? null : tools,
        }),
        steps,
        final_metrics: totalsOf(transcript.entries, steps.length),
        subagent_trajectories: embedded.length === 0 ? null : embedded,
        extra: gradesOf(transcript),
      });
}

/** The word for a name or version that is not known: the format requires both. */
const UNKNOWN = "unknown";

function startOf({ name, entries: [first] }: Transcript): Extract<SessionEntry, { type: "session" }> {
  if (first?.type !== "session") throw new Error(`${name} does not begin with its session`);
  return first;
}

/** The grades by name, under our name: the format has no place for them. */
function gradesOf({ outcome }: Transcript): JsonObject | null {
  if (outcome === undefined) return null;
  return { plimsoll: { grades: Object.fromEntries(outcome.grades.map(({ name, value }) => [name, value])) } };
}

function hasAudio(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(hasAudio);
  if (!isRecord(value)) return false;
  return value.type === "audio" || ["message", "observation", "results", "content"].some((key) => hasAudio(value[key] ?? null));
}

function totalsOf(entries: readonly SessionEntry[], stepCount: number): JsonObject {
  const usages = entries.flatMap((entry) => (entry.type === "usage" ? [entry.usage] : []));
  const sum = (counts: readonly (number | null)[]) => {
    const known = counts.filter((count) => count !== null);
    return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
  };
  return told({
    total_prompt_tokens: sum(usages.map(({ billed }) => billed.inputTokens)),
    total_completion_tokens: sum(usages.map(({ billed }) => billed.outputTokens)),
    total_cached_tokens: sum(usages.map(({ input }) => input.cacheReadTokens)),
    total_steps: stepCount,
  });
}
