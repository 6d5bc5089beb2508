import { join } from "node:path";
import { type BenchParts, BUILT_IN_PARTS } from "@plimsoll/bench";
import { PLIMSOLL_POLICY, PlimsollError } from "@plimsoll/core";
import { readSmallFile } from "@plimsoll/stores";
import { type ConfigLayer, type ReadLayer, readFileLayer, readTextLayer } from "./config-layer.ts";
import { PERSONS_FILE } from "./project-may.ts";
import { type ChosenPolicy, type ConfigOwner, type EffectiveConfig, SETTING_KEYS, type SettingKey } from "./settings.ts";

/** Where configuration is looked for. */
export interface ConfigPlaces {
  readonly cwd: string;
  readonly homeFolder: string;
  readonly environment: { readonly [name: string]: string | undefined };
  /** Values of the command line, by the keys of the settings and `policy`. */
  readonly flags: { readonly [key: string]: string | undefined };
  /** Parts that a policy may name; those that come with plimsoll by default. */
  readonly parts?: BenchParts;
}

/**
 * Reads the settings that hold: each value from the strongest place that sets it. From weak to strong: plimsoll.yaml, .plimsoll/config.yaml, the user's
 * file, environment, flags.
 */
export function readConfig(places: ConfigPlaces): EffectiveConfig {
  const { cwd, parts = BUILT_IN_PARTS } = places;
  const read: ReadLayer[] = [
    ...configFiles(places).flatMap(({ path, displayName, owner }): readonly ReadLayer[] => {
      // A link of the person's own may lead wherever they keep their settings.
      const within = owner === "project" ? { within: cwd } : {};
      const file = readSmallFile(path, within);
      if (file.kind === "absent") return [];
      if (file.kind === "refused") return [{ problems: [`${displayName} ${file.why}`] }];
      return [readFileLayer(file.text, { displayName, owner, parts })];
    }),
    readTextLayer(fromEnvironment(places.environment), { nameOf: variableOf, cwd, parts }),
    readTextLayer(places.flags, { nameOf: flagOf, cwd, parts }),
  ];
  const problems = read.flatMap((each) => ("problems" in each ? each.problems : []));
  if (problems.length > 0) throw new PlimsollError("bad-input", problems.join("; "), { problems });
  const layers = read.flatMap((each) => ("layer" in each ? [each.layer] : []));
  const policy = layers.map((layer) => layer.policy).findLast((each) => each !== null);
  // A server is taken whole from the strongest place that names it: halves of two would be neither's.
  const mcpServers = new Map(layers.flatMap((layer) => [...layer.mcpServers]));
  return { settings: mergedSettings(layers), policy: policy ?? DEFAULT_POLICY, mcpServers };
}

const DEFAULT_POLICY: ChosenPolicy = {
  value: PLIMSOLL_POLICY,
  source: "default",
  originOf: () => `preset ${PLIMSOLL_POLICY.name}`,
};

/** The files, from weak to strong. */
export function configFiles({ cwd, homeFolder }: Pick<ConfigPlaces, "cwd" | "homeFolder">): readonly {
  readonly path: string;
  readonly displayName: string;
  readonly owner: ConfigOwner;
}[] {
  return [
    { path: join(cwd, "plimsoll.yaml"), displayName: "plimsoll.yaml", owner: "project" },
    { path: join(cwd, ".plimsoll/config.yaml"), displayName: ".plimsoll/config.yaml", owner: "project" },
    { path: join(homeFolder, ".config/plimsoll/config.yaml"), displayName: PERSONS_FILE, owner: "person" },
  ];
}

function mergedSettings(layers: readonly ConfigLayer[]): EffectiveConfig["settings"] {
  const merged = new Map<SettingKey, { readonly value: unknown; readonly source: string }>();
  for (const layer of layers) {
    for (const { key } of SETTING_KEYS) {
      const value = layer.settings[key];
      if (value !== undefined) merged.set(key, { value, source: layer.sourceOf(key) });
    }
  }
  return Object.fromEntries(merged);
}

function variableOf(key: string): string {
  return `PLIMSOLL_${key.toUpperCase()}`;
}

function flagOf(key: string): string {
  return key === "context_window" ? "--window" : `--${key.split("_").join("-")}`;
}

function fromEnvironment(environment: ConfigPlaces["environment"]): { readonly [key: string]: string | undefined } {
  const keys = [...SETTING_KEYS.map(({ key }) => key), "policy"];
  return Object.fromEntries(keys.map((key) => [key, environment[variableOf(key)]]));
}
