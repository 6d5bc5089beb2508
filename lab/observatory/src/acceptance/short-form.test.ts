import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { root } from "../namespace.ts";
import { play } from "../play.ts";
import { problemsOf } from "./facts.ts";
import { LIBRARIES, libraryCase } from "./library-cases.ts";
import { runCase } from "./run-case.ts";

const STEPS = 60;
const LOADER = pathToFileURL(join(root, "scripts/typescript-loader.mjs")).href;

/** The short form of `pnpm acceptance`: from the sources, without a registry and without programs. The others' examples run in the drop-ins' own tests. */
test.each(LIBRARIES.filter(({ name }) => ["anthropic", "chat", "gemini"].includes(name)))(
  "$title: a session from the sources is accepted",
  async (library) => {
    const folder = mkdtempSync(join(tmpdir(), "plimsoll-acceptance-"));
    const row = libraryCase(library, STEPS);
    const providers = join(root, "packages/providers");
    const places = {
      project: providers,
      installed: providers,
      node22: "",
      folder: join(folder, "run"),
      processes: "together",
    } as const;
    const facts = await runCase(row, places, {
      recorded: "2026-01-01",
      play: (program, request, where) => {
        const launch: typeof program.launch = (setup) => {
          const launched = program.launch(setup);
          return { ...launched, env: { ...launched.env, NODE_OPTIONS: `--conditions=source --import ${LOADER}` } };
        };
        return play({ ...program, launch }, request, where);
      },
    });
    expect(problemsOf(facts)).toEqual([]);
    expect(facts).toMatchObject({ requests: STEPS + 1, told: "answer", title: library.title });
  },
  120_000,
);
