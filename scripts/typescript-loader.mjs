/** Runs a worker of a test from the sources: types are taken out as files are loaded. Given to node with `--import`. */
import { readFile } from "node:fs/promises";
import { register } from "node:module";
import { fileURLToPath } from "node:url";
import { transform } from "oxc-transform";

/** @type {import("node:module").LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.endsWith(".ts")) return nextLoad(url, context);
  const { code } = await transform(fileURLToPath(url), await readFile(fileURLToPath(url), "utf8"));
  return { format: "module", shortCircuit: true, source: code };
}

if (!import.meta.url.includes("?hooks")) register(`${import.meta.url}?hooks`);
