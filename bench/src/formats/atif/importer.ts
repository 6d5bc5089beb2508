import { isRecord } from "@plimsoll/core/extend";
import type { Grade, ImportNote, Outcome } from "../../transcript.ts";
import { type DocumentSession, type DocumentSidechain, documentImporter, toolSpecs } from "../document.ts";
import { type Fields, numberAt, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { ownExtra } from "./contents.ts";
import { itemsOf, systemOf } from "./steps.ts";

/** Where Harbor writes a trial's result, from the folder of its agent's trajectory (`TrialPaths`). */
const TRIAL_RESULT = "../result.json";

/**
 * Trajectories in ATIF, Harbor's Agent Trajectory Interchange Format: one document, or one on each line, with the trajectories of
 * subagents that are embedded in it. Made from the specification, none recorded: RFC 0001 in version 1.7 of April 2026
 * (github.com/harbor-framework/harbor, rfcs/0001-trajectory-format.md), and the pull request 2605 of August 2026 that added audio in 1.8.
 * Earlier versions are the same with fewer fields.
 */
export const atifImporter: Importer = documentImporter({
  format: "atif",
  description: "ATIF, Harbor's trajectories: trajectory.json (from its specification, 1.0 to 1.8; no recording seen)",
  numbering: "if-several",
  recognises: ({ firstObjects: [first] }) => isTrajectory(first ?? {}),
  beside: [TRIAL_RESULT],
  sessions: (documents, neighbours) => {
    const sessions = documents.filter(isRecord).filter(isTrajectory).map(sessionOf);
    const [only] = sessions;
    const graded = rewardsOf(recordAt({ result: neighbours.get(TRIAL_RESULT) }, "result"));
    return only !== undefined && sessions.length === 1 && graded !== null ? [{ ...only, outcome: graded }] : sessions;
  },
});

/** The verifier's rewards (`VerifierResult`): that named "reward" counts, or the first. */
function rewardsOf(result: Fields | null): Outcome | null {
  return outcomeOf(recordAt(recordAt(result, "verifier_result"), "rewards"));
}

function outcomeOf(values: Fields | null): Outcome | null {
  const grades = Object.keys(values ?? {}).flatMap((name): readonly Grade[] => {
    const value = numberAt(values, name);
    return value === null ? [] : [{ name, value }];
  });
  const counting = grades.filter(({ name }) => name === "reward");
  return grades.length === 0 ? null : { grades: [...counting, ...grades.filter((grade) => !counting.includes(grade))] };
}

function isTrajectory(value: Fields): boolean {
  return (stringAt(value, "schema_version") ?? "").startsWith("ATIF-v1.") && Array.isArray(value.steps);
}

function sessionOf(document: Fields): DocumentSession {
  const steps = recordsAt(document, "steps");
  const agent = recordAt(document, "agent");
  const id = stringAt(document, "trajectory_id") ?? stringAt(document, "session_id");
  const items = itemsOf(steps, stringAt(agent, "model_name"));
  const version = stringAt(agent, "version");
  return {
    start: {
      ...(id === null ? {} : { id }),
      createdMs: timeMsAt(steps[0], "timestamp"),
      agent: { name: stringAt(agent, "name") ?? "unknown", version: version === "unknown" ? null : version },
      system: systemOf(steps),
      tools: toolSpecs(agent?.tool_definitions),
    },
    items,
    notes: totalsOf(document, steps),
    outcome: outcomeOf(recordAt(ownExtra(document), "grades")),
    sidechains: sidechainsOf(document, steps),
  };
}

/** Embedded trajectories, each with the call whose result points at it. The format gives them ids that differ; ones that do not are numbered. */
function sidechainsOf(document: Fields, steps: readonly Fields[]): readonly DocumentSidechain[] {
  const keys = new Set<string>();
  return recordsAt(document, "subagent_trajectories").map((child, index) => {
    const id = stringAt(child, "trajectory_id") ?? "";
    const key = id === "" || keys.has(id) ? `${id}${index}` : id;
    keys.add(key);
    const session = sessionOf(child);
    return { ...session, start: { ...session.start, id: key }, key, callId: callOfSidechain(steps, id) };
  });
}

function callOfSidechain(steps: readonly Fields[], id: string): string | null {
  for (const step of steps) {
    for (const result of recordsAt(recordAt(step, "observation"), "results")) {
      const isIts = recordsAt(result, "subagent_trajectory_ref").some((ref) => ref.trajectory_id === id);
      if (isIts) return stringAt(result, "source_call_id");
    }
  }
  return null;
}

/** Notes the totals of the whole run, if no step tells of its call. */
function totalsOf(document: Fields, steps: readonly Fields[]): readonly ImportNote[] {
  const metrics = recordAt(document, "final_metrics");
  const input = numberAt(metrics, "total_prompt_tokens");
  if (input === null || steps.some((step) => numberAt(recordAt(step, "metrics"), "prompt_tokens") !== null)) return [];
  const read = numberAt(metrics, "total_cached_tokens") ?? 0;
  const output = numberAt(metrics, "total_completion_tokens") ?? 0;
  const text = `the run in all: ${input} tokens in (${read} read from the cache), ${output} out`;
  return [{ code: "usage-in-total", line: null, text }];
}
