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
  let head = "";
  let tail: string[] = [];
  let tailChars = 0;
  let totalBytes = 0;
  let totalChars = 0;
  let storedChars = 0;
  let isWhole = true;
  let isBinary = false;
  let writer: ArtifactWriter | null = null;

  const keep = (text: string) => {
    const room = characterBoundaryAtOrBefore(text, SIDE_CHARS - head.length);
    // Once something went to the tail the head is closed, so that nothing changes places.
    const toHead = tailChars > 0 ? 0 : room;
    head += text.slice(0, toHead);
    const rest = text.slice(toHead);
    if (rest === "") return;
    tail.push(rest);
    tailChars += rest.length;
    // Dropped only when twice the size is reached, so that each character is moved a bounded number of times.
    if (tailChars > 2 * SIDE_CHARS) {
      const kept = lastPart(tail.join(""));
      isWhole = false;
      tail = [kept];
      tailChars = kept.length;
    }
  };
  const store = async (text: string) => {
    if (isBinary || !isStreaming(artifacts) || storedChars >= MAXIMUM_STORED_CHARS) return;
    if (writer === null && head.length + tailChars + text.length <= 2 * SIDE_CHARS) return;
    if (writer === null) {
      const before = head + tail.join("");
      writer = await artifacts.begin();
      await writer.write(before);
      storedChars = before.length;
    }
    await writer.write(text);
    storedChars += text.length;
  };
  const take = async (text: string) => {
    if (text === "") return;
    totalChars += text.length;
    await store(text);
    keep(text);
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
      const end = tail.join("");
      isWhole &&= head.length + end.length <= 2 * SIDE_CHARS;
      const text = isWhole ? head + end : `${head}\n[… the middle of ${totalBytes} bytes is not shown]\n${lastPart(end)}`;
      if (isBinary) await discard();
      const handle = writer === null ? null : await writer.finish();
      return { text, totalBytes, handle, isStoredWhole: handle !== null && storedChars === totalChars, isBinary };
    },
    discard,
  };
}

function lastPart(text: string): string {
  return text.slice(characterBoundaryAtOrBefore(text, text.length - SIDE_CHARS));
}

/** True for a store that takes a text piece by piece. */
export function isStreaming(store: ArtifactStore): store is StreamingArtifactStore {
  return "begin" in store && typeof store.begin === "function";
}
