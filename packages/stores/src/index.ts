export { createFileArtifactStore } from "./files/file-artifact-store.ts";
export { createFileSessionStore, deleteSession } from "./files/file-session-store.ts";
export { beginOutput, checkOutput, writeWholeFile } from "./files/output-file.ts";
export {
  isInside,
  leadsOut,
  openRegularFile,
  openRegularFileSync,
  readRegularFile,
  readSmallFile,
} from "./files/regular-file.ts";
export { takeFolder } from "./files/writer-lock.ts";
export { createMemorySessionStore } from "./memory-session-store.ts";
export {
  loadPolicy,
  policyFileJsonSchema,
  policyOf,
  readPolicyFile,
  readPolicySection,
  SESSION_KEYS,
  sameAt,
  withoutSettings,
} from "./policy-file/read-policy-file.ts";
export { policyYaml, readDocument } from "./policy-file/yaml-document.ts";
