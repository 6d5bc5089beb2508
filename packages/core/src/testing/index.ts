export { arbitraryScenario } from "./arbitrary-session.ts";
export { arbitraryMessageSoup } from "./arbitrary-transcript.ts";
export {
  absentImage,
  assistant,
  calling,
  callPart,
  compaction,
  human,
  logOf,
  never,
  replacedHistory,
  reply,
  result,
  sessionStart,
  summarized,
  summaryMessage,
  usageEntry,
} from "./builders.ts";
export { playSession } from "./play-session.ts";
export type { ScriptedReply } from "./scripted-model.ts";
export { scriptedModel } from "./scripted-model.ts";
export { given, UNUSABLE_ANSWERS } from "./unusable-answers.ts";
