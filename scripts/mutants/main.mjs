import { parseArgs } from "node:util";
import { folders } from "./folders.mjs";
import { mutateFolder } from "./mutate-folder.mjs";

/**
 * Mutates core's folders one after the other with Stryker and runs the tests nearest to each; what no test notices is printed. Arguments choose
 * folders by name; `--files goal,chain` chooses files of them, and leaves what is known of the others. What has not changed since the last run is
 * not tried again; `--anew` tries everything.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { anew: { type: "boolean", default: false }, files: { type: "string", default: "*" } },
});
const unknown = positionals.filter((name) => !folders.some((folder) => folder.name === name));
if (unknown.length > 0) throw new Error(`no ${unknown.join(", ")} among ${folders.map(({ name }) => name).join(", ")}`);

const rows = [];
for (const folder of folders) {
  if (positionals.length > 0 && !positionals.includes(folder.name)) continue;
  console.log(`\n${folder.name}`);
  const { tried, caught, seconds } = await mutateFolder(folder, { isAnew: values.anew, files: values.files });
  rows.push({
    folder: folder.name,
    mutants: tried,
    caught,
    "score %": ((100 * caught) / tried).toFixed(1),
    s: seconds.toFixed(0),
  });
}
console.table(rows);
