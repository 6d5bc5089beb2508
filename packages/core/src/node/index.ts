export { deleteSession } from "./delete-session.ts";
export type { ArtifactWriter, StreamingArtifactStore } from "./file-artifact-store.ts";
export { createFileArtifactStore } from "./file-artifact-store.ts";
export { createFileSessionStore } from "./file-session-store.ts";
