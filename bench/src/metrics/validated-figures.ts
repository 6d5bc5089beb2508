import type { ValidatedFigures } from "./validated.ts";

/** The figures of real compactions, with date and data. Written by `pnpm validated` over recorded sessions that are not part of the project. */
export const VALIDATED: ValidatedFigures = {
  date: "2026-11-22",
  sessions: 47,
  compactedSessions: 32,
  repositories: 12,
  owners: 9,
  predictions: [
    {
      outcome: "the edit fails",
      measure: "replaced texts",
      cases: 1426,
      area: 0.5238145224498937,
      verdict: "predicts nothing",
    },
    {
      outcome: "the edit fails",
      measure: "file in hand",
      cases: 1250,
      area: 0.5417363433667781,
      verdict: "unknown",
    },
    {
      outcome: "the edit fails",
      measure: "passages",
      cases: 1528,
      area: 0.5239423851732474,
      verdict: "predicts nothing",
    },
    {
      outcome: "the file is read again",
      measure: "file in hand",
      cases: 415,
      area: 0.5014164305949008,
      verdict: "unknown",
    },
    {
      outcome: "the file is read again",
      measure: "path named",
      cases: 415,
      area: 0.4129123640683542,
      verdict: "unknown",
    },
    {
      outcome: "the file is read again",
      measure: "the file's lines",
      cases: 415,
      area: 0.5383806999908617,
      verdict: "unknown",
    },
  ],
};
