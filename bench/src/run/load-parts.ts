import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { PlimsollError } from "@plimsoll/core";
import { type BenchParts, BUILT_IN_PARTS, joinedParts, type NamedExtension, parseExtension } from "../extension.ts";

/**
 * The built-in parts with those of modules whose default exports are extensions. It runs the modules' code, so they must be the person's
 * own. Addresses are file URLs. Throws `bad-input` if a module cannot be loaded, is no extension, or adds a name that is taken.
 */
export async function loadParts(addresses: readonly string[]): Promise<BenchParts> {
  const modules = [...new Set(addresses)];
  if (modules.length === 0) return BUILT_IN_PARTS;
  const hash = createHash("sha256");
  const seen = new Set<string>();
  const added: NamedExtension[] = [];
  for (const address of modules) {
    const name = fileURLToPath(address);
    added.push({ name, extension: parseExtension(await defaultExportOf(address, name), name) });
    for await (const text of textsOf(address, seen)) hash.update(`${text.length}\n${text}`);
  }
  return { ...joinedParts(added), modules, identity: hash.digest("hex") };
}

async function defaultExportOf(address: string, name: string): Promise<unknown> {
  try {
    const loaded: { readonly default?: unknown } = await import(address);
    return loaded.default;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PlimsollError("bad-input", `${name}: cannot be loaded (${reason})`, { file: name }, cause);
  }
}

/** A relative import with a literal path, in any of its forms. */
const RELATIVE_IMPORT = /\b(?:from|import)\s*\(?\s*["'](\.\.?\/[^"'\n]+)["']/g;

/** The text of a module and of the files that it imports by relative paths, each once. Packages count as unchanged. */
async function* textsOf(address: string, seen: Set<string>): AsyncGenerator<string> {
  if (seen.has(address)) return;
  seen.add(address);
  // What cannot be read was found by the loader in another way, or is no import at all but a text that looks like one.
  const text = await readFile(fileURLToPath(address), "utf8").catch(() => "");
  yield text;
  for (const [, path = ""] of text.matchAll(RELATIVE_IMPORT)) yield* textsOf(new URL(path, address).href, seen);
}
