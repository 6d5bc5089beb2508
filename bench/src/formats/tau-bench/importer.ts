import { isRecord } from "@plimsoll/core/extend";
import type { Grade, Outcome } from "../../transcript.ts";
import { type DocumentSession, documentImporter } from "../document.ts";
import { type Fields, numberAt, parseRecord, recordAt, recordsAt, stringAt, timeMsAt } from "../fields.ts";
import type { Importer } from "../importer.ts";
import { chatItems } from "../message-lists/openai-chat.ts";

/**
 * Results of τ-bench and τ²-bench: each run of a task a session with its reward, as the agent saw it. Made from the sources, no run
 * of ours: github.com/sierra-research/tau-bench, tau_bench/types.py (`EnvRunResult`) and agents/chat_react_agent.py, and
 * github.com/sierra-research/tau2-bench, src/tau2/data_model/{simulation,message}.py, read 2026. τ-bench reports no sizes.
 */
export const tauBenchImporter: Importer = documentImporter({
  format: "tau-bench",
  description: "τ-bench and τ²-bench: files of results, or of one simulation (from their sources; no run of ours seen)",
  numbering: "if-several",
  recognises: ({ firstObjects: [first] }) => isRun(first ?? {}) || isResults(first ?? {}) || isSimulation(first ?? {}),
  sessions: (documents) => documents.flat().filter(isRecord).flatMap(sessionsOf),
});

function isRun(value: Fields): boolean {
  return Array.isArray(value.traj) && typeof value.reward === "number" && "task_id" in value;
}

function isResults(value: Fields): boolean {
  return Array.isArray(value.simulations) && recordAt(recordAt(value, "info"), "environment_info") !== null;
}

function isSimulation(value: Fields): boolean {
  return Array.isArray(value.messages) && "termination_reason" in value && "reward_info" in value;
}

/** Runs that ended before their first message are left out. */
function sessionsOf(document: Fields): readonly DocumentSession[] {
  if (isRun(document)) return recordsAt(document, "traj").length === 0 ? [] : [runOf(document)];
  if (isSimulation(document)) return [simulationOf(document, null)];
  const info = recordAt(document, "info");
  const simulations = recordsAt(document, "simulations");
  return simulations.filter((each) => recordsAt(each, "messages").length > 0).map((each) => simulationOf(each, info));
}

function runOf(run: Fields): DocumentSession {
  const [first, ...rest] = recordsAt(run, "traj");
  const isSystem = first?.role === "system";
  const messages = chatMessages(isSystem || first === undefined ? rest : [first, ...rest]);
  return {
    start: {
      id: idOf("tau-bench", run),
      system: isSystem ? (stringAt(first, "content") ?? "") : "",
      agent: { name: "tau-bench", version: null },
    },
    items: itemsOf(messages, null),
    outcome: { grades: [{ name: "reward", value: numberAt(run, "reward") ?? 0 }] },
  };
}

function simulationOf(simulation: Fields, info: Fields | null): DocumentSession {
  const agent = recordAt(info, "agent_info");
  const policy = stringAt(simulation, "policy") ?? stringAt(recordAt(info, "environment_info"), "policy");
  const id = stringAt(simulation, "id");
  return {
    start: {
      id: id ?? idOf("tau2-bench", simulation),
      createdMs: timeMsAt(simulation, "start_time"),
      // The instructions that the agent puts around the policy are not in the file.
      system: policy ?? "",
      agent: { name: "tau2-bench", version: null },
    },
    items: itemsOf(simulationMessages(recordsAt(simulation, "messages")), stringAt(agent, "llm")),
    outcome: outcomeOf(recordAt(simulation, "reward_info")),
  };
}

function idOf(benchmark: string, run: Fields): string {
  return `${benchmark}/${String(run.task_id)}/${numberAt(run, "trial") ?? 0}`;
}

function itemsOf(messages: readonly Fields[], modelId: string | null): DocumentSession["items"] {
  return chatItems({ messages, system: "", tools: [], modelId, fields: {} });
}

/** The reward is the product of its parts, which are grades of their own. */
function outcomeOf(info: Fields | null): Outcome | null {
  const reward = numberAt(info, "reward");
  if (reward === null) return null;
  const parts = recordAt(info, "reward_breakdown") ?? {};
  const grades = Object.keys(parts).flatMap((name): readonly Grade[] => {
    const value = numberAt(parts, name);
    return value === null ? [] : [{ name, value }];
  });
  return { grades: [{ name: "reward", value: reward }, ...grades] };
}

const API_OUTPUT = "API output: ";
const ACTION = "Action:";

/**
 * The messages of a run of τ-bench in the form of Chat Completions. Its agents without a tool API write their calls as JSON behind
 * "Action:", and get what came of them as a user's message behind "API output: ".
 */
function chatMessages(messages: readonly Fields[]): readonly Fields[] {
  const read: Fields[] = [];
  let openCallId: string | null = null;
  for (const [index, message] of messages.entries()) {
    const said = stringAt(message, "content") ?? "";
    const next = stringAt(messages[index + 1], "content") ?? "";
    if (message.role === "user" && openCallId !== null) {
      read.push({ role: "tool", tool_call_id: openCallId, content: said.slice(API_OUTPUT.length) });
      openCallId = null;
      continue;
    }
    const isAnswered = message.role === "assistant" && messages[index + 1]?.role === "user" && next.startsWith(API_OUTPUT);
    const start = isAnswered ? said.lastIndexOf(ACTION) : -1;
    const action = isAnswered ? parseRecord(said.slice(start < 0 ? 0 : start + ACTION.length)) : null;
    const name = stringAt(action, "name");
    if (name === null) {
      read.push(message);
      continue;
    }
    openCallId = `action-${index}`;
    const call = { id: openCallId, function: { name, arguments: recordAt(action, "arguments") ?? {} } };
    read.push({ ...message, content: start < 0 ? "" : said.slice(0, start), tool_calls: [call] });
  }
  return read;
}

/**
 * The messages of a simulation of τ²-bench in the form of Chat Completions, as the agent saw them: calls that the simulated user made
 * and what they gave are not among them. The greeting that opens a conversation is no call; a report is the provider's if it is there.
 */
function simulationMessages(messages: readonly Fields[]): readonly Fields[] {
  return messages.flatMap((message): readonly Fields[] => {
    const said = stringAt(message, "content");
    if (message.role === "user") return said === null ? [] : [{ role: "user", content: said }];
    if (message.role === "tool") {
      const result = { role: "tool", tool_call_id: message.id, content: said ?? "", is_error: message.error === true };
      return message.requestor === "user" ? [] : [result];
    }
    if (message.role !== "assistant") return [message];
    const report = recordAt(recordAt(message, "raw_data"), "usage") ?? recordAt(message, "usage");
    const isGreeting =
      report === null && recordsAt(message, "tool_calls").length === 0 && (numberAt(message, "cost") ?? 0) === 0;
    const reply = {
      role: "assistant",
      content: said ?? "",
      tool_calls: recordsAt(message, "tool_calls"),
      usage: report === null ? null : { ...report, cost: message.cost },
    };
    return [isGreeting ? { ...reply, is_no_call: true } : reply];
  });
}
