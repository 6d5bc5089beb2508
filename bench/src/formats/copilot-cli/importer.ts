import type { ImportNote, Transcript } from "../../transcript.ts";
import { type Fields, numberAt, recordAt, stringAt, timeMsAt } from "../fields.ts";
import type { FileSource, Importer } from "../importer.ts";
import { readObjects } from "../json-lines.ts";
import { chainTranscripts, MAIN } from "../log-builder.ts";
import { type EventChain, startChain, takeEvent } from "./chain.ts";

const FORMAT = "copilot-cli";

/** Sessions of GitHub's Copilot CLI: one event a line, those of its subagents in between. */
export const copilotCliImporter: Importer = {
  format: FORMAT,
  description: "Copilot CLI: ~/.copilot/session-state/*/events.jsonl, subagents included (seen: 1.0.79)",
  newestSeen: "1.0.79",
  recognises: ({ firstObjects }) => firstObjects.slice(0, 1).some(isSessionStart),
  read: readCopilot,
};

function isSessionStart(value: Fields): boolean {
  const data = recordAt(value, "data");
  return value.type === "session.start" && stringAt(data, "sessionId") !== null && stringAt(data, "copilotVersion") !== null;
}

async function readCopilot(source: FileSource): Promise<readonly Transcript[]> {
  const file = source.displayName;
  const notes: ImportNote[] = [];
  const chains = new Map<string, EventChain>([[MAIN, startChain()]]);
  const callOfAgent = new Map<string, string>();
  let first: Fields = {};
  let system = "";
  await readObjects(source, notes, ({ line, value }) => {
    const data = recordAt(value, "data") ?? {};
    const key = stringAt(value, "agentId") ?? stringAt(data, "parentToolCallId") ?? MAIN;
    if (value.type === "session.start" && first.type === undefined) first = value;
    if (value.type === "system.message" && system === "") system = stringAt(data, "content") ?? "";
    if (value.type === "subagent.started") callOfAgent.set(key, stringAt(data, "toolCallId") ?? key);
    if (value.type === "session.shutdown") notes.push(...totalsOf(data, file, line));
    const chain = chains.get(key) ?? startChain();
    chains.set(key, chain);
    takeEvent(chain, {
      type: stringAt(value, "type") ?? "",
      data,
      line,
      sourceId: stringAt(value, "id"),
      atMs: timeMsAt(value, "timestamp"),
    });
  });
  const data = recordAt(first, "data");
  const id = stringAt(data, "sessionId") ?? file;
  const createdMs = timeMsAt(data, "startTime");
  const cwd = stringAt(recordAt(data, "context"), "cwd");
  const agent = { name: FORMAT, version: stringAt(data, "copilotVersion") };
  const told = [...chains].filter(([key, { items }]) => key === MAIN || items.length > 0);
  return chainTranscripts(
    { file, format: FORMAT, start: { id, createdMs, agent, system }, cwd, notes },
    told.map(([key, { items }]) => ({ key, items, callId: callOfAgent.get(key) ?? key })),
  );
}

/** Notes the totals that the session states at its end for each model: the file has no prompt sizes by call. Those of subagents are not in it. */
function totalsOf(data: Fields, file: string, line: number): readonly ImportNote[] {
  const models = Object.entries(recordAt(data, "modelMetrics") ?? {});
  return models.flatMap(([modelId]) => {
    const metrics = recordAt(recordAt(data, "modelMetrics"), modelId);
    const calls = numberAt(recordAt(metrics, "requests"), "count");
    const usage = recordAt(metrics, "usage");
    const input = numberAt(usage, "inputTokens");
    if (calls === null || input === null) return [];
    const read = numberAt(usage, "cacheReadTokens") ?? 0;
    const output = numberAt(usage, "outputTokens") ?? 0;
    const text = `${file}:${line}: ${calls} calls of ${modelId} in all: ${input} tokens in (${read} read from the cache), ${output} out`;
    return [{ code: "usage-in-total" as const, line, text }];
  });
}
