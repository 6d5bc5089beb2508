import type { FileHandle } from "node:fs/promises";

/** Mode of a file that only its owner may read and write. A conversation is nobody else's. */
export const OWNER_ONLY_FILE_MODE = 0o600;

/** Mode of a folder that only its owner may enter. Folders that exist already keep theirs. */
export const OWNER_ONLY_FOLDER_MODE = 0o700;

const OTHERS_BITS = 0o077;

/** Takes from others what an earlier version let them have of a file. Does nothing where the system refuses. */
export async function makeOwnerOnly(file: FileHandle): Promise<void> {
  const { mode } = await file.stat();
  // A file of another user stays as it is: its owner decides.
  if ((mode & OTHERS_BITS) !== 0) await file.chmod(OWNER_ONLY_FILE_MODE).catch(() => undefined);
}
