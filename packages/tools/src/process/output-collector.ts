import type { ArtifactStore } from "@plimsoll/core";
import { characterBoundaryAtOrBefore } from "@plimsoll/core/extend";
import type { createFileArtifactStore } from "@plimsoll/stores";

type StreamingArtifactStore = ReturnType<typeof createFileArtifactStore>;
export type ArtifactWriter = Awaited<ReturnType<StreamingArtifactStore["begin"]>>;

/** The kept output of a process. */
export interface CollectedOutput {
  readonly text: string;
  readonly totalBytes: number;
  /** Names the output from the beginning on, if it was too much for memory and the store takes pieces. */
  readonly handle: string | null;
  /** False if the handle names only the beginning. */
  readonly isStoredWhole: boolean;
  /** A NUL byte was in it: it is no text. */
  readonly isBinary: boolean;
}

/** Takes a process's output as it comes, in bounded memory. */
interface OutputCollector {
  /** Resolves when the next piece may come: the disk sets the pace. */
  add(bytes: Uint8Array): Promise<void>;
  finish(): Promise<CollectedOutput>;
  discard(): Promise<void>;
}

/** Characters of the beginning and of the end that stay in memory, each: far above every cap of a policy; chosen. */
const SIDE_CHARS = 256 * 1024;

/** Most characters of one output that go to the store, up to one piece: a runaway program must not fill the disk; chosen. */
const MAXIMUM_STORED_CHARS = 64 * 1024 * 1024;

/** A collector that streams to the store once the output is larger than the part that stays in memory. Invalid UTF-8 becomes U+FFFD. */
export function createOutputCollector(artifacts: ArtifactStore): OutputCollector {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The beginning, once the middle is not all kept; and all text behind it that is. */
  let head: string | null = null;
  let rest = "";
  let [totalBytes, totalChars, storedChars] = [0, 0, 0];
  let isBinary = false;
  let writer: ArtifactWriter | null = null;

  const cutMiddle = () => {
    head ??= rest.slice(0, characterBoundaryAtOrBefore(rest, SIDE_CHARS));
    rest = rest.slice(characterBoundaryAtOrBefore(rest, rest.length - SIDE_CHARS));
  };
  const store = async (text: string) => {
    const isLarge = totalChars > 2 * SIDE_CHARS;
    if (!isLarge || isBinary || !isStreaming(artifacts) || storedChars >= MAXIMUM_STORED_CHARS) return;
    // Nothing was left out yet.
    const fresh = writer === null ? rest + text : text;
    writer ??= await artifacts.begin();
    await writer.write(fresh);
    storedChars += fresh.length;
  };
  const take = async (text: string) => {
    if (text === "") return;
    totalChars += text.length;
    await store(text);
    rest += text;
    // Only once twice the size is reached, so that each character is moved a bounded number of times.
    if (rest.length > 3 * SIDE_CHARS) cutMiddle();
  };
  const discard = async () => {
    await writer?.discard();
    writer = null;
  };
  return {
    add: async (bytes) => {
      totalBytes += bytes.length;
      isBinary ||= bytes.includes(0);
      await take(decoder.decode(bytes, { stream: true }));
    },
    finish: async () => {
      await take(decoder.decode());
      if (totalChars > 2 * SIDE_CHARS) cutMiddle();
      const text = head === null ? rest : `${head}\n[… the middle of ${totalBytes} bytes is not shown]\n${rest}`;
      if (isBinary) await discard();
      const handle = writer === null ? null : await writer.finish();
      return { text, totalBytes, handle, isStoredWhole: handle !== null && storedChars === totalChars, isBinary };
    },
    discard,
  };
}

/** True for a store that takes a text piece by piece. */
export function isStreaming(store: ArtifactStore): store is StreamingArtifactStore {
  return "begin" in store && typeof store.begin === "function";
}
