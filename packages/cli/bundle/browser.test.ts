import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { expect, test } from "vitest";

const providers = fileURLToPath(new URL("../../providers", import.meta.url));

/** Entries that a browser or a worker may load: all but the simulator, which is a server, and tokenizers, which load tables. */
const ENTRIES = [
  ".",
  "./anthropic",
  "./openai-chat",
  "./openai-responses",
  "./extend",
  "./drop-in/anthropic",
  "./drop-in/openai-chat",
  "./drop-in/openai-responses",
  "./drop-in/google-genai",
  "./drop-in/openai-agents",
  "./drop-in/ai-sdk",
  "./drop-in/langchain",
  "./drop-in/pi",
];

/** Packages that a caller brings: the vendors' SDKs, which have forms of their own for browsers. */
const PEERS = /^(@anthropic-ai\/|openai|@google\/|@langchain\/|langchain|@openai\/|ai$)/;

function sourceOf(entry: string): string {
  const manifest: { readonly exports: Readonly<Record<string, { readonly source?: string }>> } = JSON.parse(
    readFileSync(join(providers, "package.json"), "utf8"),
  );
  return join(providers, manifest.exports[entry]?.source ?? expect.fail(`no entry ${entry}`));
}

test.each(ENTRIES)(
  "@plimsoll/providers %s bundles for the browser with no Node module in it",
  { timeout: 60_000 },
  async (entry) => {
    const bundle = await rolldown({
      input: sourceOf(entry),
      platform: "browser",
      external: (id) => PEERS.test(id) || isBuiltin(id),
      resolve: { conditionNames: ["source", "browser", "import", "default"] },
      logLevel: "silent",
    });
    const { output } = await bundle.generate({ format: "esm" });
    await bundle.close();
    const chunks = output.filter((each) => each.type === "chunk");
    const imports = chunks.flatMap((chunk) => [...chunk.imports, ...chunk.dynamicImports]);
    const own = new Set(chunks.map(({ fileName }) => fileName));
    expect(imports.filter((id) => !own.has(id) && !PEERS.test(id))).toEqual([]);
    expect(chunks.reduce((sum, { code }) => sum + code.length, 0)).toBeGreaterThan(1_000);
    expect(chunks.flatMap(({ code }) => code.match(/\b(?:process\.[a-z]+\(|require\("node:)/g) ?? [])).toEqual([]);
  },
);
