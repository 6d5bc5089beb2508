import { BUILT_IN_PARTS, type Importer } from "@plimsoll/bench";
import { fileSource, readHead } from "@plimsoll/bench/internal";
import { isPlimsollError } from "@plimsoll/core";

/** True if one of the importers recognises the file by its content. A file that cannot be read is none. */
export async function isSessionFile(path: string, importers: readonly Importer[] = BUILT_IN_PARTS.importers): Promise<boolean> {
  try {
    const head = await readHead(fileSource(path, path));
    return importers.some((importer) => importer.recognises(head));
  } catch (error) {
    if (isPlimsollError(error, "bad-input")) return false;
    throw error;
  }
}
