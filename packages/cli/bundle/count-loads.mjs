import { appendFileSync } from "node:fs";
import { register } from "node:module";
import process from "node:process";

/** Writes the address of each file that is loaded to the file that PLIMSOLL_LOADS names. Given to node with `--import`.
 * @type {import("node:module").LoadHook} */
export async function load(url, context, nextLoad) {
  if (url.startsWith("file:")) appendFileSync(process.env.PLIMSOLL_LOADS ?? "", `${url}\n`);
  return nextLoad(url, context);
}

if (!import.meta.url.includes("?hooks")) register(`${import.meta.url}?hooks`);
