import type { TranscriptLabels } from "../../message/transcript-text.ts";

/** Who speaks, a colon, and what; calls and results in brackets (sven's form, N-5). */
export const SPOKEN_LABELS: TranscriptLabels = {
  human: { before: "User: ", after: "" },
  command: { before: "User: [command: ", after: "]" },
  injected: { before: "Note: ", after: "" },
  summary: { before: "Summary: ", after: "" },
  assistant: { before: "Assistant: ", after: "" },
  call: { before: "Assistant: [tool_call: ", after: "]" },
  result: { before: "Tool: [tool_result: ", after: "]" },
  failedResult: { before: "Tool: [tool_result, failed: ", after: "]" },
};

/** Who speaks in brackets (the form of the other documents). */
export const BRACKETED_LABELS: TranscriptLabels = {
  human: { before: "[User]: ", after: "" },
  command: { before: "[User command]: ", after: "" },
  injected: { before: "[Note]: ", after: "" },
  summary: { before: "[Summary]: ", after: "" },
  assistant: { before: "[Assistant]: ", after: "" },
  call: { before: "[Tool call]: ", after: "" },
  result: { before: "[Tool result]: ", after: "" },
  failedResult: { before: "[Tool result, failed]: ", after: "" },
};
