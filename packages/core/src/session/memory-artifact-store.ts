import { sha256Hex } from "../hash.ts";
import type { ArtifactStore } from "../ports.ts";

/** An artifact store that lives as long as the process. */
export function createMemoryArtifactStore(): ArtifactStore {
  const texts = new Map<string, string>();
  return {
    put: (text) => {
      const handle = artifactHandle(text);
      texts.set(handle, text);
      return Promise.resolve(handle);
    },
    get: (handle) => Promise.resolve(texts.get(handle) ?? null),
  };
}

/** The handle of a text in any artifact store: a prefix that tells it from a message id, and the hash of the content. */
export function artifactHandle(text: string): string {
  return `artifact:${sha256Hex(text)}`;
}
