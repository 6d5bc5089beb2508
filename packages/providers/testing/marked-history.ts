import type { ContractTurn } from "../src/testing/index.ts";

/** Options of a made history. */
export interface MarkedHistoryOptions {
  /** In every text of the history and in no other history's. */
  readonly marker: string;
  readonly turns: number;
  /** Characters of the largest result, about. */
  readonly resultChars: number;
  /** A person speaks each so many turns; 12 if it is left out. */
  readonly humanEvery?: number;
}

/** A history in which every text, path and call id holds the marker. The same options give the same history. */
export function markedHistory({
  marker,
  turns,
  resultChars,
  humanEvery = 12,
}: MarkedHistoryOptions): readonly [ContractTurn, ...ContractTurn[]] {
  const first: ContractTurn = { kind: "human", text: `${marker}: read all files.`, before: null };
  const rest = Array.from({ length: turns - 1 }, (_, offset): ContractTurn => {
    const index = offset + 1;
    if (index % humanEvery === 0)
      return { kind: "human", text: `${marker} asks number ${index}.`, before: `${marker} is done with part ${index}.` };
    const line = `${marker} line of result ${index};\n`;
    const lines = Math.max(1, Math.floor((resultChars * (1 + ((index * 7) % 5))) / (5 * line.length)));
    const path = `src/${marker}/${index % 9}.ts`;
    return { kind: "step", callId: `${marker}_${index}`, path, said: `${marker} step ${index}.`, result: line.repeat(lines) };
  });
  return [first, ...rest];
}
