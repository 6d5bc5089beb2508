/** A line of a log, or a message of a document. */
export type Item = { readonly [key: string]: unknown };

/** One thing of a session, in any agent's log. */
export type Step =
  | { readonly say: string; readonly by?: "model" }
  | { readonly call: string }
  | { readonly result: string }
  | { readonly thought: string; readonly signature: string }
  | { readonly picture: string }
  | { readonly summary: string };

export const PNG = (pixels: number): string => {
  const head = Buffer.alloc(40);
  head.write("\u0089PNG\r\n\u001a\n", "latin1");
  head.writeUInt32BE(pixels, 16);
  head.writeUInt32BE(10, 20);
  return head.toString("base64");
};

/** How each agent records a step, with its line before it. */
export interface Form {
  readonly head: readonly Item[];
  readonly line: (step: Step, index: number, steps: readonly Step[]) => readonly Item[];
  readonly whole?: (items: readonly Item[]) => string;
}

const claudeBlock = (step: Step): Item | null => {
  if ("call" in step) return { type: "tool_use", id: step.call, name: "Bash", input: { command: "ls" } };
  if ("result" in step) return { type: "tool_result", tool_use_id: step.result, content: "one file" };
  if ("thought" in step) return { type: "thinking", thinking: step.thought, signature: step.signature };
  if ("picture" in step) return { type: "image", source: { type: "base64", media_type: "image/png", data: step.picture } };
  return "say" in step ? { type: "text", text: step.say } : null;
};
const textOf = (step: Step) => ("say" in step ? step.say : "");
/** Whether a result of this call follows it, before another call of the same id. */
const isAnswered = (call: string, index: number, steps: readonly Step[]) => {
  const next = steps
    .slice(index + 1)
    .find((step) => ("call" in step && step.call === call) || ("result" in step && step.result === call));
  return next !== undefined && "result" in next;
};
const isModels = (step: Step) => "call" in step || "thought" in step || ("by" in step && step.by === "model");

const TIME = "2026-11-01T10:00:00Z";
/** The ids of a line in a chain. */
const linked = (index: number, id: string, parentId: string) => ({
  ...{ [id]: `u${index}`, [parentId]: index === 0 ? null : `u${index - 1}` },
});

/** How agents record a session. */
export const FORMS: { readonly [format: string]: Form } = {
  "claude-code": {
    head: [],
    line: (step, index) => {
      const own = { sessionId: "s", isSidechain: false, version: "2.1.0", timestamp: TIME };
      if ("summary" in step) {
        const ids = { uuid: `b${index}`, parentUuid: null, logicalParentUuid: `u${index - 1}` };
        const cut = { subtype: "compact_boundary", content: "", compactMetadata: { trigger: "auto", preTokens: 5 } };
        const message = { role: "user", content: step.summary };
        return [
          { ...own, type: "system", ...ids, ...cut },
          { ...own, type: "user", uuid: `u${index}`, parentUuid: `b${index}`, isCompactSummary: true, message },
        ];
      }
      const [role, content] = [isModels(step) ? "assistant" : "user", [claudeBlock(step)]];
      const usage = { input_tokens: 5, output_tokens: 5 };
      const reply = { role, id: `m${index}`, model: "claude", type: "message", content, usage };
      const message = role === "user" ? { role, content } : reply;
      return [{ ...own, ...linked(index, "uuid", "parentUuid"), type: role, message }];
    },
  },
  codex: {
    head: [
      {
        ...{ timestamp: TIME, type: "session_meta" },
        payload: { id: "s", timestamp: TIME, cwd: "/w", originator: "codex", cli_version: "0.144.0" },
      },
    ],
    line: (step, index) => {
      const item = (payload: Item) => [{ timestamp: TIME, ordinal: index, type: "response_item", payload }];
      if ("summary" in step) return [{ timestamp: TIME, type: "compacted", payload: { message: step.summary } }];
      if ("call" in step) return item({ type: "function_call", name: "shell", arguments: "{}", call_id: step.call });
      if ("result" in step) return item({ type: "function_call_output", call_id: step.result, output: "one file" });
      if (!("say" in step)) return [];
      const [role, type] = isModels(step) ? ["assistant", "output_text"] : ["user", "input_text"];
      return item({ type: "message", role, content: [{ type, text: step.say }] });
    },
  },
  pi: {
    head: [{ type: "session", version: 3, id: "s", timestamp: TIME, cwd: "/w" }],
    line: (step, index) => {
      const base = { ...linked(index, "id", "parentId"), timestamp: TIME };
      if ("summary" in step)
        return [{ ...base, type: "compaction", summary: step.summary, firstKeptEntryId: `u${index - 1}`, tokensBefore: 5 }];
      const message = (own: Item) => [{ ...base, type: "message", message: { ...own, timestamp: 1 } }];
      const text = (words: string) => ({ type: "text", text: words });
      if ("result" in step) {
        const ids = { toolCallId: step.result, toolName: "bash" };
        return message({ role: "toolResult", ...ids, content: [text("one file")], isError: false });
      }
      const part =
        "call" in step
          ? { type: "toolCall", id: step.call, name: "bash", arguments: {} }
          : "thought" in step
            ? { type: "thinking", thinking: step.thought, thinkingSignature: step.signature }
            : "picture" in step
              ? { type: "image", data: step.picture, mimeType: "image/png" }
              : text(step.say);
      if (!isModels(step)) return message({ role: "user", content: [part] });
      const usage = { input: 5, output: 5, cacheRead: 0, cacheWrite: 0, totalTokens: 10 };
      return message({ role: "assistant", content: [part], api: "x", provider: "x", model: "m", usage, stopReason: "stop" });
    },
  },
  "qwen-code": {
    head: [],
    line: (step, index) => {
      const base = { ...linked(index, "uuid", "parentUuid"), sessionId: "s", timestamp: TIME, cwd: "/w", version: "0.2.0" };
      if ("summary" in step || "thought" in step) return [];
      const part =
        "call" in step
          ? { functionCall: { id: step.call, name: "run", args: {} } }
          : "result" in step
            ? { functionResponse: { id: step.result, name: "run", response: { output: "one file" } } }
            : "picture" in step
              ? { inlineData: { mimeType: "image/png", data: step.picture } }
              : { text: step.say };
      const type = "result" in step ? "tool_result" : isModels(step) ? "assistant" : "user";
      return [{ ...base, type, message: { role: isModels(step) ? "model" : "user", parts: [part] } }];
    },
  },
  "openai-chat": {
    head: [],
    line: (step) => {
      if ("call" in step) {
        const call = { id: step.call, type: "function", function: { name: "run", arguments: "{}" } };
        return [{ role: "assistant", content: null, tool_calls: [call] }];
      }
      if ("result" in step) return [{ role: "tool", tool_call_id: step.result, content: "one file" }];
      return "say" in step ? [{ role: isModels(step) ? "assistant" : "user", content: step.say }] : [];
    },
    whole: (items) => `${JSON.stringify(items, null, 2)}\n`,
  },
  "anthropic-messages": {
    head: [],
    line: (step) => ("summary" in step ? [] : [{ role: isModels(step) ? "assistant" : "user", content: [claudeBlock(step)] }]),
    whole: (items) => JSON.stringify({ messages: items }),
  },
  "gemini-cli": {
    head: [{ sessionId: "s", projectHash: "h", startTime: TIME, lastUpdated: TIME, kind: "main" }],
    line: (step, index, steps) => {
      const base = { id: `u${index}`, timestamp: TIME };
      if ("summary" in step || "thought" in step) return [];
      if ("result" in step) {
        // It is stored in its call; a second one as Gemini CLI stores it beside that.
        if (!steps.slice(0, index).some((before) => "result" in before && before.result === step.result)) return [];
        const again = { id: step.result, name: "list_directory", response: { output: "one file" } };
        return [{ ...base, type: "user", content: [{ functionResponse: again }] }];
      }
      if (!isModels(step)) {
        const part = "picture" in step ? { inlineData: { mimeType: "image/png", data: step.picture } } : { text: textOf(step) };
        return [{ ...base, type: "user", content: [part] }];
      }
      const own = { content: textOf(step), thoughts: [], model: "gemini", tokens: { input: 5, output: 5 } };
      const reply = { ...base, type: "gemini", ...own };
      if (!("call" in step)) return [reply];
      const call = { id: step.call, name: "list_directory", args: {}, status: "executing", timestamp: TIME };
      const response = { id: step.call, name: "list_directory", response: { output: "one file" } };
      const ended = { ...call, status: "success", result: [{ functionResponse: response }] };
      return [reply, { ...reply, toolCalls: [isAnswered(step.call, index, steps) ? ended : call] }];
    },
  },
  opencode: {
    head: [],
    line: (step, index, steps) => {
      const ids = { id: `prt_${index}`, sessionID: "ses_1", messageID: `msg_${index}` };
      const time = { created: index + 1, completed: index + 1 };
      const message = (role: string, part: Item) => [
        { info: { id: `msg_${index}`, sessionID: "ses_1", role, time }, parts: [{ ...part, ...ids }] },
      ];
      if ("summary" in step || "result" in step || "thought" in step) return [];
      if ("picture" in step)
        return message("user", { type: "file", mime: "image/png", url: `data:image/png;base64,${step.picture}` });
      if (!("call" in step)) return message(isModels(step) ? "assistant" : "user", { type: "text", text: textOf(step) });
      const state = isAnswered(step.call, index, steps)
        ? { status: "completed", input: {}, output: "one file", title: "", metadata: {}, time: { start: 1, end: 2 } }
        : { status: "running", input: {}, time: { start: 1 } };
      return message("assistant", { type: "tool", callID: step.call, tool: "bash", state });
    },
    whole: (items) => JSON.stringify({ info: { id: "ses_1", time: { created: 1 } }, messages: items }, null, 2),
  },
};
