export { arbitraryLog, arbitraryMessageSoup, arbitraryValidMessages } from "./arbitrary-transcript.ts";
export { ARTIFACT_STORE_CONTRACT } from "./artifact-store-contract.ts";
export {
  absentImage,
  assistant,
  calling,
  compaction,
  dropped,
  human,
  humanImage,
  logOf,
  NO_RECORD,
  replacedHistory,
  replacedPart,
  reply,
  result,
  revertOf,
  sessionStart,
  summarized,
  summaryMessage,
  toolCall,
  usageEntry,
} from "./builders.ts";
export type { ContractCase } from "./contract.ts";
export type { ScriptedCall, ScriptedModel, ScriptedReply } from "./scripted-model.ts";
export { scriptedModel } from "./scripted-model.ts";
export { SESSION_STORE_CONTRACT } from "./session-store-contract.ts";
