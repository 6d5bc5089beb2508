import { fileSource, IMPORTERS, readHead } from "@plimsoll/bench";
import { isPlimsollError } from "@plimsoll/core";

/** True if an importer recognises the file by its content. A file that cannot be read is none. */
export async function isSessionFile(path: string): Promise<boolean> {
  try {
    const head = await readHead(fileSource(path, path));
    return IMPORTERS.some((importer) => importer.recognises(head));
  } catch (error) {
    if (isPlimsollError(error, "bad-input")) return false;
    throw error;
  }
}
