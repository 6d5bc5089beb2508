import type { BesideIndex } from "./beside-index.ts";
import { type PackedBlock, packJson } from "./page.ts";

/** A script that lies beside a page: data that the page reads when it is asked for. A page that is opened as a file may load scripts, and nothing else. */
export interface BesideFile {
  readonly name: string;
  readonly content: string;
}

/** Blocks that are moved out of a page: what stays in their place, and the files. */
export interface MovedBlocks {
  readonly blocks: readonly PackedBlock[];
  readonly files: readonly BesideFile[];
}

/** The block that tells of the files. */
export const BESIDE_INDEX = "beside-index";

/** Characters of a file: enough for some fifty sessions, and read in a moment (chosen). */
const FILE_CHARS = 500_000;

/** Moves blocks into files of about half a megabyte, neighbours together. */
export function moveBeside(blocks: readonly PackedBlock[], folder: string): MovedBlocks {
  const groups: PackedBlock[][] = [];
  let chars = Number.POSITIVE_INFINITY;
  for (const block of blocks) {
    if (chars + block.base64.length > FILE_CHARS) {
      groups.push([]);
      chars = 0;
    }
    groups.at(-1)?.push(block);
    chars += block.base64.length;
  }
  const files = groups.map((group, index) => ({ name: `data-${index}.js`, content: fileOf(group) }));
  const fileIndexes = groups.flatMap((group, index) => group.map(({ id }) => [id, index] as const));
  const index: BesideIndex = { folder, files: files.map(({ name }) => name), fileOf: Object.fromEntries(fileIndexes) };
  // The folder is opened, not shown.
  return { blocks: [packJson(BESIDE_INDEX, JSON.stringify(index))], files };
}

/** Ids and base64 hold nothing that means something in a script. */
function fileOf(blocks: readonly PackedBlock[]): string {
  const content = Object.fromEntries(blocks.map(({ id, base64 }) => [id, base64]));
  return `plimsollBlocks(${JSON.stringify(content)});\n`;
}
