import { createHash, randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ArtifactStore } from "@plimsoll/core";
import { artifactHandle, option } from "@plimsoll/core/extend";
import { z } from "zod";
import {
  fileFailure,
  guarded,
  hasCode,
  OWNER_ONLY_FILE_MODE,
  OWNER_ONLY_FOLDER_MODE,
  openRegularFile,
} from "./regular-file.ts";

/** An artifact store that also takes a text piece by piece, so that it need never be held whole. */
export interface StreamingArtifactStore extends ArtifactStore {
  /** Begins a text that is then written piece by piece. */
  begin(): Promise<ArtifactWriter>;
  /** Removes the text that a handle names; does nothing for a handle that the store does not know. */
  delete(handle: string): Promise<void>;
}

/** One text on its way into a store. */
interface ArtifactWriter {
  /** Appends well-formed text: a surrogate pair must not be split over two pieces. */
  write(text: string): Promise<void>;
  /** Stores all that was written, and answers with its handle. */
  finish(): Promise<string>;
  /** Removes all that was written, and stores nothing. */
  discard(): Promise<void>;
}

const FOLDER = z.strictObject({ folder: option.text });

/**
 * Makes an artifact store in a folder: one file per text, named by the hash of its content and readable only by its owner. It writes a file under another name and
 * renames it when it is whole. Text that UTF-8 cannot hold (lone surrogates) is written as UTF-16. Rejects with `bad-session` if the disk refuses.
 *
 * @throws PlimsollError `bad-input` if the folder is no text.
 */
export function createFileArtifactStore(folder: string): StreamingArtifactStore {
  option.check("an artifact store", FOLDER, { folder });
  const fileOf = (handle: string, suffix: string) => join(folder, `${handle.slice(HANDLE_PREFIX.length)}${suffix}`);
  const begin = async (): Promise<ArtifactWriter> => {
    const temporary = join(folder, `${randomUUID()}.part`);
    const hash = createHash("sha256");
    const file = await guarded(temporary, () => {
      mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER_MODE });
      return open(temporary, "wx", OWNER_ONLY_FILE_MODE);
    });
    const discard = async () => {
      await file.close();
      await rm(temporary, { force: true });
    };
    return {
      write: async (text) => {
        hash.update(text, "utf8");
        await guarded(temporary, () => file.appendFile(text));
      },
      finish: async () => {
        const handle = `${HANDLE_PREFIX}${hash.digest("hex")}`;
        await file.close();
        await guarded(temporary, () => rename(temporary, fileOf(handle, UTF8_SUFFIX))).catch(async (error: unknown) => {
          await rm(temporary, { force: true });
          throw error;
        });
        return handle;
      },
      discard,
    };
  };
  const put = async (text: string): Promise<string> => {
    const handle = artifactHandle(text);
    const isWellFormed = !LONE_SURROGATE.test(text);
    const path = fileOf(handle, isWellFormed ? UTF8_SUFFIX : UTF16_SUFFIX);
    if (await exists(path)) return handle;
    const temporary = join(folder, `${randomUUID()}.part`);
    await guarded(path, async () => {
      mkdirSync(folder, { recursive: true, mode: OWNER_ONLY_FOLDER_MODE });
      try {
        const file = await open(temporary, "wx", OWNER_ONLY_FILE_MODE);
        try {
          await file.writeFile(text, isWellFormed ? "utf8" : "utf16le");
        } finally {
          await file.close();
        }
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    });
    return handle;
  };
  const get = async (handle: string): Promise<string | null> => {
    if (!HANDLE.test(handle)) return null;
    return (await textAt(fileOf(handle, UTF8_SUFFIX), "utf8")) ?? (await textAt(fileOf(handle, UTF16_SUFFIX), "utf16le"));
  };
  const remove = async (handle: string): Promise<void> => {
    if (!HANDLE.test(handle)) return;
    for (const suffix of [UTF8_SUFFIX, UTF16_SUFFIX]) {
      const path = fileOf(handle, suffix);
      await guarded(path, () => rm(path, { force: true }));
    }
  };
  return { begin, put, get, delete: remove };
}

const HANDLE_PREFIX = "artifact:";
const HANDLE = /^artifact:[0-9a-f]{64}$/;
const UTF8_SUFFIX = ".txt";
const UTF16_SUFFIX = ".utf16le.txt";
const LONE_SURROGATE = /\p{Surrogate}/u;

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function textAt(path: string, encoding: "utf8" | "utf16le"): Promise<string | null> {
  try {
    const file = await openRegularFile(path);
    return await file.readFile(encoding).finally(() => file.close());
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw fileFailure(path, error);
  }
}
