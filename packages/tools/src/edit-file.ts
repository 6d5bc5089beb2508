import { z } from "zod";
import { checked, defineTool, type FolderTool, failure, IN_FOLDER, output } from "./define-tool.ts";
import { onFile, readTextFile, replaceFile } from "./workspace/files.ts";

/** Larger files are not edited as text; chosen. */
const MAXIMUM_BYTES = 32 * 1024 * 1024;

/** `edit_file`: replaces a piece of text that a file has exactly once, or every occurrence. */
export const editFileTool: FolderTool = checked(IN_FOLDER, ({ workspace }) =>
  defineTool({
    name: "edit_file",
    description:
      "Replaces old_text by new_text in a file. old_text must occur exactly once, character for character, unless replace_all is true.",
    category: "generic",
    input: z.strictObject({
      path: z.string().min(1),
      old_text: z.string().min(1),
      new_text: z.string(),
      replace_all: z.boolean().optional(),
    }),
    hint: "use read_file to see the file",
    paths: ({ path }) => [{ path, access: "modify" }],
    effect: async ({ path, old_text, new_text, replace_all = false }) => {
      const name = workspace.nameOf(await workspace.place(path));
      const what = `edit ${name}${replace_all ? ", everywhere in it" : ""}`;
      return { kind: "write", what, files: [name], before: old_text, after: new_text };
    },
    run: async ({ path, old_text, new_text, replace_all = false }) => {
      const place = await workspace.place(path);
      const { text, isBinary, isWhole } = await onFile(path, () => readTextFile(place, MAXIMUM_BYTES));
      if (isBinary || !isWhole || text.includes("\ufffd")) return failure(`${path} is not an editable text file.`);
      const pieces = text.split(old_text);
      const count = pieces.length - 1;
      if (count === 0) return failure(`old_text was not found in ${path}. Read the file again: it must match exactly.`);
      if (count > 1 && !replace_all)
        return failure(`old_text occurs in ${path} ${count} times. Give more of the text around it, or replace_all.`);
      await onFile(path, () => replaceFile(place, pieces.join(new_text)));
      const line = (pieces[0] ?? "").split("\n").length;
      return output(
        `Replaced ${count} ${count === 1 ? "piece" : "pieces"} in ${workspace.nameOf(place)}, the first at line ${line}.`,
      );
    },
  }),
);
