import { type Message, type SessionEntry, UNREPORTED_USAGE, usageOf } from "@plimsoll/core";

const STEPS_PER_TURN = 12;

/** Characters of a result: the middle of what recorded sessions hold (measured on nineteen sessions, 2026). */
export const USUAL_RESULT_CHARS = 3000;

/** A log of that many messages: turns of steps, each with one call and its result, and a usage report before each reply. No two texts are the same. */
export function longSession(messageCount: number, resultChars: number = USUAL_RESULT_CHARS): readonly SessionEntry[] {
  const entries: SessionEntry[] = [
    {
      type: "session",
      version: 1,
      id: "long",
      createdMs: null,
      system: "You are a coding agent.",
      tools: [],
      parent: null,
      agent: null,
    },
  ];
  let step = 0;
  let written = 0;
  const write = (message: Message) => {
    if (written >= messageCount) return;
    entries.push({ type: "message", message });
    written += 1;
  };
  while (written < messageCount) {
    if (step % STEPS_PER_TURN === 0) write(human(step));
    entries.push(usageOfStep(step));
    for (const message of stepOf(step, resultChars)) write(message);
    step += 1;
  }
  return entries;
}

function human(step: number): Message {
  const text = `Please look at part ${step} and mend what fails there.`;
  return { role: "user", id: `u${step}`, origin: "human", parts: [{ type: "text", text }], atMs: null };
}

function stepOf(step: number, resultChars: number): readonly Message[] {
  const callId = `c${step}`;
  const line = `${step}\tconst value${step} = read("src/part-${step}.ts"); // checked\n`;
  const text = line.repeat(Math.ceil(resultChars / line.length)).slice(0, resultChars);
  return [
    {
      role: "assistant",
      id: `a${step}`,
      origin: "model",
      parts: [
        { type: "text", text: `I look at part ${step} first.` },
        { type: "tool-call", callId, toolName: "look", argumentsJson: `{"part":${step}}`, paths: [] },
      ],
      modelId: "test/model",
      requestId: `q${step}`,
      stopReason: "tool-calls",
      atMs: null,
    },
    {
      role: "tool-result",
      id: `r${step}`,
      callId,
      toolName: "look",
      isError: false,
      category: "file-content",
      parts: [{ type: "text", text }],
      atMs: null,
    },
  ];
}

/** Every tenth call reports its size, so that anchors are there and much is still estimated. */
function usageOfStep(step: number): SessionEntry {
  const usage = step % 10 === 0 ? usageOf({ totalInputTokens: 1000 + step * 1000, outputTokens: 40 }) : UNREPORTED_USAGE;
  return {
    type: "usage",
    requestId: `q${step}`,
    modelId: "test/model",
    throughMessageId: step === 0 ? null : `r${step - 1}`,
    overheadHash: null,
    viewHash: null,
    usage,
    atMs: null,
  };
}
