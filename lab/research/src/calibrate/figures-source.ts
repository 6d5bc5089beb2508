import type { MeasuredFigures } from "./fit-figures.ts";

/** A source file to write: where in the repository, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The source files that hold the fitted figures. */
export function figuresSources(fitted: { figures: MeasuredFigures; pooledWeights: readonly number[] }): readonly SourceFile[] {
  return [
    { path: "packages/core/src/tokens/pooled-weights.ts", text: pooledSource(fitted.pooledWeights, fitted.figures.asOf) },
    { path: "packages/providers/src/priors/measured-figures.ts", text: figuresSource(fitted.figures) },
  ];
}

function pooledSource(weights: readonly number[], asOf: string): string {
  return lines([
    "/**",
    " * Tokens of one of each character class, pooled over all models of the recorded sessions. Written by `pnpm calibrate --refit`:",
    ` * robust least squares on the differences of consecutive reports (docs/evidence.md), ${asOf}.`,
    " */",
    "// biome-ignore format: a row of eight is read next to the classes",
    "export const POOLED_WEIGHTS: readonly number[] = [",
    ...rowsOf(weights, "  "),
    "];",
  ]);
}

function figuresSource({ asOf, weights, lines: families }: MeasuredFigures): string {
  const weightLines = Object.entries(weights).flatMap(([name, { values, pooledRatio }]) => [
    `    ${name}: {`,
    `      pooledRatio: ${pooledRatio},`,
    "      // biome-ignore format: a row of eight is read next to the classes",
    "      values: [",
    ...rowsOf(values, "        "),
    "      ],",
    "    },",
  ]);
  const familyLines = Object.entries(families).map(
    ([name, line]) =>
      `    ${/^\w+$/.test(name) ? name : JSON.stringify(name)}: { weights: "${line.weights}", slopeRatio: ${line.slopeRatio}, messageTokens: ${line.messageTokens}, sessions: ${line.sessions} },`,
  );
  return lines([
    'import type { MeasuredFigures } from "./figures.ts";',
    "",
    "/** Fitted on recorded sessions by `pnpm calibrate --refit` (method and errors: docs/evidence.md). */",
    "export const MEASURED_FIGURES: MeasuredFigures = {",
    `  asOf: "${asOf}",`,
    "  weights: {",
    ...weightLines,
    "  },",
    "  lines: {",
    ...familyLines,
    "  },",
    "};",
  ]);
}

function rowsOf(values: readonly number[], indent: string): readonly string[] {
  const rows: string[] = [];
  for (let start = 0; start < values.length; start += 8) rows.push(`${indent}${values.slice(start, start + 8).join(", ")},`);
  return rows;
}

function lines(text: readonly string[]): string {
  return `${text.join("\n")}\n`;
}
