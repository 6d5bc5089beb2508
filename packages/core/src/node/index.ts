export type { SessionPlaces } from "./delete-session.ts";
export { deleteSession } from "./delete-session.ts";
export type { ArtifactWriter, StreamingArtifactStore } from "./file-artifact-store.ts";
export { createFileArtifactStore } from "./file-artifact-store.ts";
export type { FileSessionStoreOptions } from "./file-session-store.ts";
export { createFileSessionStore } from "./file-session-store.ts";
export type { SyncPolicy } from "./file-session-writer.ts";
