import type { Message } from "@plimsoll/core";
import { assistant, compaction, human, logOf, replacedHistory, reply, result, summaryMessage } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { prepareSession } from "../replay/prepared-session.ts";
import { deedsOf } from "./calls.ts";
import { experimentsOf } from "./experiments.ts";
import { findingsOf, repositoryOf } from "./validate-sessions.ts";
import { validationOf } from "./validation.ts";
import { validationMarkdown } from "./validation-markdown.ts";

const callOf = (callId: string, args: unknown, paths: readonly { path: string; access: "read" | "modify" }[] = []) =>
  ({ type: "tool-call", callId, toolName: "tool", argumentsJson: JSON.stringify(args), paths }) as const;

const reading = (id: string, path: string): readonly Message[] => [
  assistant(`a-${id}`, [callOf(id, { path }, [{ path, access: "read" }])]),
  result(`r-${id}`, id, `text of ${path}, line by line`),
];
const editing = (id: string, answer: string): readonly Message[] => [
  assistant(`a-${id}`, [
    callOf(id, { old_string: "text of src/a.ts, line", new_string: "" }, [{ path: "src/a.ts", access: "modify" }]),
  ]),
  result(`r-${id}`, id, answer),
];
const running = (id: string, command: string): readonly Message[] => [
  assistant(`a-${id}`, [callOf(id, { command })]),
  result(`r-${id}`, id, "done"),
];

describe("deedsOf", () => {
  const sum = (messages: readonly Message[]) => {
    const deeds = deedsOf(logOf(messages)).map((each) => each.deeds);
    const of = (key: "readings" | "rereadings" | "edits" | "failedEdits" | "commands" | "repeatedCommands") =>
      deeds.reduce((total, each) => total + each[key], 0);
    return `${of("rereadings")}/${of("readings")} ${of("failedEdits")}/${of("edits")} ${of("repeatedCommands")}/${of("commands")}`;
  };
  test.each<[string, readonly Message[], string]>([
    ["a first reading is none again", reading("1", "a"), "0/1 0/0 0/0"],
    ["a second one is", [...reading("1", "a"), ...reading("2", "a"), ...reading("3", "b")], "1/3 0/0 0/0"],
    [
      "a shell that shows a file reads it",
      [...running("1", "cat src/a.ts"), ...running("2", "sed -n '1,20p' src/a.ts")],
      "1/2 0/0 0/2",
    ],
    ["an edit that is refused has failed", [...editing("1", "ok"), ...editing("2", "Error: no match")], "0/0 1/2 0/0"],
    [
      "a patch that was not verified, too",
      editing("1", "apply_patch verification failed: Failed to find expected lines"),
      "0/0 1/1 0/0",
    ],
    ["a result that tells of errors has not", editing("1", "updated; 0 errors found"), "0/0 0/1 0/0"],
    [
      "the same command is repeated",
      [...running("1", "make"), ...running("2", "make"), ...running("3", "make x")],
      "0/0 0/0 1/3",
    ],
  ])("%s", (_, messages, expected) => {
    expect(sum(messages)).toBe(expected);
  });
});

/** Eight calls, a compaction, and eight calls that read the same file again and fail to edit. */
function session(name: string) {
  const before = Array.from({ length: 8 }, (_, place) => reading(`b${place}`, `src/${place}.ts`)).flat();
  const after = Array.from({ length: 8 }, (_, place) =>
    place % 2 === 0 ? reading(`c${place}`, "src/0.ts") : editing(`c${place}`, "Error: no match"),
  ).flat();
  const log = logOf([human("u", "go"), ...before]);
  const cut = compaction("cut", [replacedHistory([summaryMessage("s", "so far: src/0.ts")])]);
  const recorded = { ...cut, record: { ...cut.record, reason: "recorded" } } as const;
  const entries = [...log, recorded, ...logOf(after).slice(1)];
  return prepareSession({ name, file: name, format: "agent", entries, parentName: null, hasUsage: false, notes: [] });
}

describe("experimentsOf", () => {
  test("counts up to the compaction and from it on", () => {
    const [experiment, ...others] = experimentsOf(session("s"));
    expect(others).toEqual([]);
    expect(experiment).toMatchObject({
      kind: "compaction",
      before: { calls: 8, rereadings: 0, failedEdits: 0 },
      after: { calls: 8, rereadings: 4, edits: 4, failedEdits: 4 },
    });
  });

  test("a session without compactions has control places in its middle alone", () => {
    const calls = Array.from({ length: 121 }, (_, place) => reply(`a${place}`, "ok"));
    const quiet = { ...session("q").transcript, entries: logOf([human("u", "go"), ...calls]) };
    expect(experimentsOf(prepareSession(quiet)).map(({ kind, reply: at }) => `${kind} ${at}`)).toEqual(["control 60"]);
  });
});

describe("validationOf", () => {
  const found = Array.from({ length: 8 }, (_, place) => findingsOf(session(`own${place}__repo${place}__s.jsonl`)));
  const validation = validationOf(
    found.flatMap(({ experiments }) => experiments),
    found.flatMap(({ cases }) => cases),
    repositoryOf,
  );

  test("says what came about more often after compactions", () => {
    const again = validation.rates.find(({ rate, agent }) => rate === "readings again a call" && agent === "all");
    expect(again).toMatchObject({ compactions: 8, before: 0, after: 0.5 });
  });

  test("says of each measure how often the outcome came about with and without it", () => {
    const named = validation.predictions.find(
      ({ outcome, measure }) => outcome === "the file is read again" && measure === "path named",
    );
    expect(named).toMatchObject({
      cases: 64,
      happened: 8,
      held: { cases: 8, happened: 8 },
      missing: { cases: 56, happened: 0 },
      predicts: false,
    });
    expect(named?.area.value).toBe(0);
  });

  test("is written with what predicts nothing said so", () => {
    const page = validationMarkdown(validation);
    expect(page).toContain(
      "| the file is read again | path named | 64 | 8 of 8 | 0 of 56 | 0.00 [0.00, 0.00] | 0.00 [0.00, 0.00] | **predicts nothing** |",
    );
  });
});

test.each([
  ["a/b/own__repo__file.jsonl#2", "own/repo"],
  ["work/project/session.jsonl", "work/project"],
])("the repository of %s is %s", (name, repository) => {
  expect(repositoryOf(name)).toBe(repository);
});
