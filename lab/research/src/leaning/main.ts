import { readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { runBench } from "@plimsoll/bench";
import { chooseSetting, type FiledRow, knobsOf, type SettingPoint } from "@plimsoll/bench/internal";
import { NONE_POLICY } from "@plimsoll/core";

/**
 * How often a setting that few sessions of Codex lean to holds on the sessions that were not asked: every set of three to seven of the sessions in
 * the folders that are given. Prints a table, docs/decisions/advise.md.
 */
const folders = process.argv.slice(2);
const files = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => ({ path: join(folder, name), displayName: name })),
);
const knobs = knobsOf("codex", null);
const replay = knobs?.replay;
if (replay === null || replay === undefined || files.length === 0) throw new Error("give folders with rollouts of Codex");

const now: SettingPoint = { values: new Map(), policy: replay.likeness(new Map()) };
const points = replay.grid(258_000).map((values): SettingPoint => ({ values, policy: replay.likeness(values) }));
const { rows, sessions } = await runBench({
  files,
  policies: [NONE_POLICY, now.policy, ...points.map(({ policy }) => policy)],
  windows: [{ kind: "real" }],
  plimsollVersion: "leaning",
  calibrates: false,
});
const fileOf = new Map(sessions.map(({ session, file, lineage }) => [session, lineage ?? file]));
const filed: readonly FiledRow[] = rows.map((row) => ({ file: fileOf.get(row.session) ?? row.session, row }));

const LOST_POINT = 1;
const names = files.map(({ displayName }) => displayName);
const counts = new Map<number, { sets: number; leaning: number; cheaper: number; atNoLoss: number }>();
for (let set = 0; set < 2 ** names.length; set++) {
  const asked = new Set(names.filter((_, place) => ((set >> place) & 1) === 1));
  if (asked.size < 3 || asked.size > 7) continue;
  const count = counts.get(asked.size) ?? { sets: 0, leaning: 0, cheaper: 0, atNoLoss: 0 };
  counts.set(asked.size, count);
  count.sets += 1;
  const { verdict } = chooseSetting(
    now,
    points,
    filed.filter(({ file }) => asked.has(file)),
  );
  const leaning = verdict.kind === "too-few" ? verdict.leaning : null;
  if (leaning === null) continue;
  count.leaning += 1;
  const others = filed.filter(({ file }) => !asked.has(file));
  const [, there] = chooseSetting(now, [leaning], others).figures;
  if (there === undefined) continue;
  if (there.costRatio < 1) count.cheaper += 1;
  if (there.costRatio < 1 && there.losses.every(({ points: lost }) => lost < LOST_POINT)) count.atNoLoss += 1;
}
console.log(
  "| sessions | sets | lean to a setting | cheaper on the others | and no measure a point lower there |\n|---|---|---|---|---|",
);
for (const [size, { sets, leaning, cheaper, atNoLoss }] of [...counts].toSorted(([a], [b]) => a - b))
  console.log(`| ${size} | ${sets} | ${leaning} | ${cheaper} | ${atNoLoss} |`);
