import { type Fields, numberAt, parseRecord, recordAt, recordsAt, stringAt } from "../fields.ts";

const API_OUTPUT = "API output: ";
const ACTION = "Action:";

/**
 * The messages of a run of τ-bench in the form of Chat Completions. Its agents without a tool API write their calls as JSON behind
 * "Action:", and get what came of them as a user's message behind "API output: ".
 */
export function chatMessages(messages: readonly Fields[]): readonly Fields[] {
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
export function simulationMessages(messages: readonly Fields[]): readonly Fields[] {
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
