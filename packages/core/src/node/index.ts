export {
  type LoadedPolicy,
  loadPolicy,
  policyFileJsonSchema,
  policyOf,
  readPolicyFile,
  readPolicySection,
  SESSION_KEYS,
  withoutSettings,
} from "../policy-file/read-policy-file.ts";
export { nearestName, schemaProblems, suggestion } from "../policy-file/schema-problems.ts";
export { policyYaml, type ReadPolicy, readDocument, type YamlDocument } from "../policy-file/yaml-document.ts";
export type { ArtifactWriter, StreamingArtifactStore } from "./file-artifact-store.ts";
export { createFileArtifactStore } from "./file-artifact-store.ts";
export { createFileSessionStore, deleteSession } from "./file-session-store.ts";
export { beginOutput, checkOutput, checkOutputFolder, temporaryName, writeWholeFile } from "./output-file.ts";
export {
  isInside,
  leadsOut,
  MAXIMUM_SETTINGS_BYTES,
  openRegularFile,
  openRegularFileSync,
  readAtMost,
  readRegularFile,
  readSmallFile,
} from "./regular-file.ts";
export { takeFolder } from "./writer-lock.ts";
