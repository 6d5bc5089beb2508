import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { markdownTable } from "@plimsoll/bench/extend";
import { CONTENT_KINDS } from "./exposures.ts";
import { aboveLength, areas } from "./outcomes.ts";
import { powerOfArea } from "./power.ts";
import { atAge, atLine, MASKED_AGE, maskedByUnmasked, PLACEBO_AGES } from "./price.ts";
import { type Effort, numbered, REPORTED, type Resampled, resampled } from "./resample.ts";
import type { RunRow } from "./run-row.ts";

/** The line that every table of figures begins with: the hash of the protocol by which they were made. */
export function protocolLine(): string {
  const text = readFileSync(new URL("../protocol.md", import.meta.url));
  return `Protocol: \`${createHash("sha256").update(text).digest("hex")}\``;
}

/** Rows of one side of the protocol. */
interface Side {
  readonly name: string;
  readonly rows: readonly RunRow[];
}

function sidesOf(rows: readonly RunRow[]): readonly Side[] {
  const of = (...datasets: readonly string[]) => rows.filter(({ dataset }) => datasets.includes(dataset));
  const sides = [
    { name: "held out", rows: of("lite") },
    { name: "fit", rows: of("java") },
    { name: "both", rows: of("lite", "java") },
    { name: "control", rows: of("terminal") },
    { name: "unmasked", rows: of("unmasked") },
  ];
  return sides.filter((side) => side.rows.length > 0);
}

/** The tables of outcomes: areas of each score, with their intervals over tasks and over repositories. */
export function outcomePage(rows: readonly RunRow[], effort: Effort = REPORTED): string {
  const { draws } = effort;
  const lines = sidesOf(rows).flatMap(({ name, rows: own }) => {
    const [byTask, byRepository] = [areas(own, "task", draws), areas(own, "repository", draws)];
    return byTask.map(({ score, within, pairs, area }, place) => [
      name,
      score,
      within,
      String(pairs),
      shown(area),
      shown(byRepository[place]?.area),
    ]);
  });
  const head = ["side", "score", "pairs within", "pairs", "area, by task", "by repository"];
  const summary = sidesOf(rows).map(({ name, rows: own }) => {
    const failed = own.filter(({ hasFailed }) => hasFailed).length;
    const needed = (measure: "edits" | "passages" | "fileInHand") => {
      const total = own.reduce((sum, { needs }) => sum + needs[measure].needed, 0);
      const missing = own.reduce((sum, { needs }) => sum + needs[measure].missing, 0);
      return `${missing}/${total}`;
    };
    return [
      name,
      `${own.length} (${failed})`,
      needed("passages"),
      needed("fileInHand"),
      needed("edits"),
      shown(aboveLength(own, "passages", { unit: "task", draws })),
      powerOfArea(own, { unit: "task" }, effort).toFixed(2),
    ];
  });
  const summaryHead = [
    "side",
    "runs (failed)",
    "passages missing",
    "files",
    "edits",
    "passages' area less length's",
    "power at 0.60",
  ];
  return [
    protocolLine(),
    "",
    markdownTable({ head: summaryHead, rows: summary }),
    "",
    markdownTable({ head, rows: lines }),
  ].join("\n");
}

/** The tables of the price of forgetting: rates on both sides of the line where content leaves, and of lines where nothing does. */
export function pricePage(rows: readonly RunRow[], { draws }: Effort = REPORTED): string {
  const lines = sidesOf(rows).flatMap(({ name, rows: own }) =>
    CONTENT_KINDS.flatMap((kind) =>
      [MASKED_AGE, ...PLACEBO_AGES].map((age) => {
        const byTask = atLine(own, { kind, age, unit: "task", draws });
        const byRepository = atLine(own, { kind, age, unit: "repository", draws });
        return [
          name,
          kind,
          String(age),
          `${byTask.againBefore}/${byTask.exposedBefore}`,
          `${byTask.againBehind}/${byTask.exposedBehind}`,
          shown(byTask.ratio),
          shown(byRepository.ratio),
          shown(byTask.excess, 3),
          shown(atAge(own, { kind, age, unit: "task", draws })),
        ];
      }),
    ),
  );
  const head = [
    "side",
    "content",
    "line at age",
    "before",
    "behind",
    "ratio, by task",
    "by repository",
    "fetches more",
    "step beyond age",
  ];
  const compared = rows.filter(({ dataset }) => dataset !== "terminal");
  const differences = CONTENT_KINDS.map((kind) => [
    kind,
    shown(maskedByUnmasked(compared, { kind, unit: "task", draws })),
    shown(maskedByUnmasked(compared, { kind, unit: "repository", draws })),
  ]);
  return [
    protocolLine(),
    "",
    markdownTable({ head, rows: lines }),
    "",
    markdownTable({ head: ["ratio at the mask, masked by unmasked", "by task", "by repository"], rows: differences }),
    "",
    editTable(rows, draws),
  ].join("\n");
}

/** Failed edits by whether the lines that they replace stood in the context. */
function editTable(rows: readonly RunRow[], draws: number): string {
  const lines = sidesOf(rows).map(({ name, rows: own }) => {
    const { of, count } = numbered(own.map(({ dataset, task }) => `${dataset} ${task}`));
    const ratio = resampled(
      count,
      (weights) => {
        const sum = (part: keyof RunRow["edits"]) =>
          own.reduce((total, { edits }, place) => total + (weights[of[place] ?? 0] ?? 0) * edits[part], 0);
        const [held, missing] = [sum("heldFailed") / sum("held"), sum("missingFailed") / sum("missing")];
        return sum("heldFailed") === 0 || sum("missing") === 0 ? null : missing / held;
      },
      draws,
    );
    const total = (part: keyof RunRow["edits"]) => own.reduce((sum, { edits }) => sum + edits[part], 0);
    return [name, `${total("heldFailed")}/${total("held")}`, `${total("missingFailed")}/${total("missing")}`, shown(ratio)];
  });
  return markdownTable({ head: ["side", "edits that fail, lines in context", "lines masked", "ratio"], rows: lines });
}

/** A figure with its interval. */
export function shown(figure: Resampled | undefined, digits = 2): string {
  if (figure?.value === null || figure === undefined) return "–";
  const { interval } = figure;
  const range = interval === null ? "" : ` [${interval.from.toFixed(digits)}, ${interval.through.toFixed(digits)}]`;
  return `${figure.value.toFixed(digits)}${range}`;
}
