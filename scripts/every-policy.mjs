import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./tool.mjs";

/**
 * Options that name every preset and every peer; read from the built packages.
 * @returns {Promise<string[]>}
 */
export async function everyPolicy() {
  /** @type {{ PRESETS: readonly { name: string }[] }} */
  const { PRESETS } = await import(pathToFileURL(join(root, "packages/core/dist/index.js")).href);
  /** @type {{ PEERS: readonly { policy: { name: string } }[] }} */
  const { PEERS } = await import(pathToFileURL(join(root, "bench/dist/index.js")).href);
  return [...PRESETS, ...PEERS.map(({ policy }) => policy)].flatMap(({ name }) => ["--policy", name]);
}
