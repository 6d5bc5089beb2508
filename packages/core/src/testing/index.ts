export { arbitraryScenario } from "./arbitrary-session.ts";
export { arbitraryMessageSoup } from "./arbitrary-transcript.ts";
export { ARTIFACT_STORE_CONTRACT } from "./artifact-store-contract.ts";
export {
  absentImage,
  assistant,
  calling,
  compaction,
  declared,
  human,
  logOf,
  replacedHistory,
  reply,
  result,
  revertOf,
  sessionStart,
  summarized,
  summaryMessage,
  usageEntry,
} from "./builders.ts";
export { closeContract } from "./close-contract.ts";
export { playSession } from "./play-session.ts";
export type { ScriptedReply } from "./scripted-model.ts";
export { scriptedModel } from "./scripted-model.ts";
export { SESSION_STORE_CONTRACT } from "./session-store-contract.ts";
export { given, UNUSABLE_ANSWERS } from "./unusable-answers.ts";
