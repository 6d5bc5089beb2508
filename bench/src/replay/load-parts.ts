import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { register } from "node:module";
import { relative } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isPlimsollError, PlimsollError } from "@plimsoll/core";
import { isRecord } from "@plimsoll/core/extend";
import { type BenchParts, BUILT_IN_PARTS, joinedParts, type NamedExtension, parseExtension } from "../extension.ts";

/**
 * Loads modules whose default exports are extensions, and adds them to the built-in parts. It runs the modules' code: load only modules you
 * trust. Addresses are file URLs. Throws `bad-input` if a module cannot be loaded, is no extension, or adds a name that is taken.
 */
export async function loadParts(addresses: readonly string[]): Promise<BenchParts> {
  const modules = [...new Set(addresses)];
  if (modules.length === 0) return BUILT_IN_PARTS;
  // Lets modules in any folder import this program's packages, from the program's own place, if their folder has none: our packages, and the `zod` that their
  // schemas are for. A program that is one bundle has none to give.
  const program = process.argv[1];
  const parents = [import.meta.url, ...(program === undefined ? [] : [pathToFileURL(program).href])];
  register(`data:text/javascript,${encodeURIComponent(OWN_PACKAGES)}`, { data: parents });
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

/** A hook of Node's loader, which runs in a thread of its own. */
const OWN_PACKAGES = `let parents = [];
export const initialize = (given) => { parents = given; };
export const resolve = async (specifier, context, next) => {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!/^(?:@plimsoll\\/|zod$)/.test(specifier)) throw error;
    for (const parentURL of parents) {
      const found = await next(specifier, { ...context, parentURL }).catch(() => null);
      if (found !== null) return found;
    }
    throw error;
  }
};`;

/** Adds file and line to an error from one of these modules, and makes it `bad-input`; returns any other error unchanged. */
export function placedError(error: unknown, modules: readonly string[]): unknown {
  const place = isPlimsollError(error) ? null : ownPlaceOf(error, modules);
  if (place === null || !(error instanceof Error)) return error;
  return new PlimsollError("bad-input", `${error.message}, ${place}`, { file: place }, error);
}

/** Where in a person's own modules an error was thrown, as `file:line`, the newest call first; `null` if that is elsewhere. */
export function ownPlaceOf(error: unknown, modules: readonly string[]): string | null {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const frames = stack.split("\n").flatMap((line) => {
    const [, where, number] = /((?:file:\/\/)?\/[^()]*?):(\d+)(?::\d+)?\)?$/.exec(line) ?? [];
    return where === undefined
      ? []
      : [{ path: where.startsWith("file:") ? fileURLToPath(where.split("?")[0] ?? where) : where, number }];
  });
  const files = modules.map((address) => fileURLToPath(address));
  const folders = modules.map((address) => fileURLToPath(new URL(".", address)));
  const isBeside = (path: string) => folders.some((folder) => path.startsWith(folder)) && !path.includes("/node_modules/");
  const found = frames.find(({ path }) => files.includes(path)) ?? frames.find(({ path }) => isBeside(path));
  const folder = folders.find((each) => found?.path.startsWith(each));
  return found === undefined ? null : `${folder === undefined ? found.path : relative(folder, found.path)}:${found.number}`;
}

async function defaultExportOf(address: string, name: string): Promise<unknown> {
  try {
    const { default: own }: { readonly default?: unknown } = await import(address);
    // A module that was compiled to CommonJS has its exports as the default.
    return isRecord(own) && "__esModule" in own ? own.default : own;
  } catch (cause) {
    const [, missing] = /Cannot find package '(@plimsoll\/[a-z]+)'/.exec(cause instanceof Error ? cause.message : "") ?? [];
    const place = ownPlaceOf(cause, [address]);
    const message = cause instanceof Error ? cause.message : String(cause);
    const isTypeScript = /Unknown file extension "\.[cm]?tsx?"/.test(message);
    const reason = isTypeScript
      ? `this Node reads no TypeScript: build it to JavaScript, or run npx tsx ${process.argv[1] ?? "plimsoll"} with the same arguments`
      : missing === undefined
        ? `${message}${place === null ? "" : `, ${place}`}`
        : `it needs ${missing}, which is not published yet: put the file into examples/extension of a built clone of Plimsoll`;
    throw new PlimsollError("bad-input", `${name}: cannot be loaded (${reason})`, { file: name }, cause);
  }
}

/** A relative import with a literal path, in any of its forms. */
const RELATIVE_IMPORT = /\b(?:from|import)\s*\(?\s*["'](\.\.?\/[^"'\n]+)["']/g;

/** The text of a module and of the files that it imports by relative paths, each once. Packages count as unchanged. */
async function* textsOf(address: string, seen: Set<string>): AsyncGenerator<string> {
  if (seen.has(address)) return;
  seen.add(address);
  // Unreadable imports were found by the loader in another way, or are no imports at all but texts that look like one.
  const text = await readFile(fileURLToPath(address), "utf8").catch(() => "");
  yield text;
  for (const [, path = ""] of text.matchAll(RELATIVE_IMPORT)) yield* textsOf(new URL(path, address).href, seen);
}
