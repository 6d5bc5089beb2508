import { atifImporter } from "../src/formats/atif/importer.ts";
import { inspectImporter } from "../src/formats/inspect/importer.ts";
import { tauBenchImporter } from "../src/formats/tau-bench/importer.ts";
import type { ImporterSubject } from "../src/testing/importer-contract.ts";
import { ARGS } from "./message-list-subjects.ts";

const lines = (...objects: readonly object[]): string => objects.map((object) => JSON.stringify(object)).join("\n");
const INSPECT_TASK = { id: "u", role: "user", content: "q", source: "input" };
const INSPECT_REPLY = {
  ...{ id: "a", role: "assistant", content: [{ type: "reasoning", reasoning: "t" }] },
  tool_calls: [{ id: "c", function: "read", arguments: ARGS }],
};
const INSPECT_USAGE = {
  ...{ input_tokens: 3, output_tokens: 1, total_tokens: 6, input_tokens_cache_read: 1, input_tokens_cache_write: 1 },
};
const INSPECT_RESULT = { id: "t", role: "tool", tool_call_id: "c", function: "read", content: "x" };

const ATIF_METRICS = { prompt_tokens: 3, completion_tokens: 1, cached_tokens: 1, cost_usd: 0.1 };

/** A session of each format that carries outcomes, with a call and its result, made from their specifications and types. */
export const GRADED_SUBJECTS: readonly ImporterSubject[] = [
  {
    importer: atifImporter,
    text: lines({
      ...{ schema_version: "ATIF-v1.7", session_id: "s", agent: { name: "a", version: "1" } },
      steps: [
        { step_id: 1, source: "user", message: "q" },
        {
          ...{ step_id: 2, source: "agent", message: "", reasoning_content: "t", metrics: ATIF_METRICS },
          tool_calls: [{ tool_call_id: "c", function_name: "read", arguments: ARGS }],
          observation: { results: [{ source_call_id: "c", content: "x", subagent_trajectory_ref: [{ trajectory_id: "t" }] }] },
        },
      ],
      subagent_trajectories: [
        { schema_version: "ATIF-v1.7", trajectory_id: "t", agent: {}, steps: [{ step_id: 1, source: "user", message: "p" }] },
      ],
    }),
  },
  {
    importer: inspectImporter,
    text: lines({
      ...{ version: 2, status: "success", eval: { run_id: "r", task: "t", model: "m" } },
      samples: [
        {
          ...{ id: 1, epoch: 1, messages: [INSPECT_TASK, INSPECT_REPLY, INSPECT_RESULT] },
          events: [
            {
              ...{ event: "model", model: "m", input: [INSPECT_TASK], tools: [] },
              output: { choices: [{ message: INSPECT_REPLY }], usage: INSPECT_USAGE },
            },
          ],
        },
      ],
    }),
  },
  {
    importer: tauBenchImporter,
    text: JSON.stringify([
      {
        ...{ task_id: 0, reward: 1, info: {}, trial: 0 },
        traj: [
          { role: "user", content: "q" },
          {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "c", function: { name: "find", arguments: JSON.stringify(ARGS) } }],
          },
          { role: "tool", tool_call_id: "c", content: "x" },
        ],
      },
    ]),
  },
];
