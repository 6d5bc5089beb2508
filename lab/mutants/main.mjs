import { optionsOf, refuse } from "../options.mjs";
import { folders } from "./folders.mjs";
import { mutateFolder } from "./mutate-folder.mjs";

const USAGE = `pnpm mutants [FOLDER …]: mutates core's folders one after the other and runs the tests nearest to each; what no test notices is printed.
What has not changed since the last run is not tried again.

  FOLDER          one of ${folders.map(({ name }) => name).join(", ")}
  --files A,B     files of them, without their endings, and leaves what is known of the others
  --anew          tries everything`;

const { positionals, values } = optionsOf(USAGE, {
  allowPositionals: true,
  options: { anew: { type: "boolean", default: false }, files: { type: "string", default: "*" } },
});
const unknown = positionals.filter((name) => !folders.some((folder) => folder.name === name));
if (unknown.length > 0) refuse(`no folder ${unknown.join(", ")}`);

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
