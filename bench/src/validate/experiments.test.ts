import { human, logOf, reply } from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { compactedSession, editing, reading } from "../../testing/made-deeds.ts";
import { type PreparedSession, prepareSession } from "../replay/prepared-session.ts";
import { deedsOf } from "./calls.ts";
import { compactionPlaces, type Experiment, experimentsOf, matchedPairs } from "./experiments.ts";

function found(session: PreparedSession): readonly Experiment[] {
  const deeds = deedsOf(session.entries);
  return experimentsOf(session, { deeds, compactions: compactionPlaces(session, deeds) });
}

const quiet = (calls: number) => {
  const replies = Array.from({ length: calls }, (_, place) => reply(`a${place}`, "ok"));
  const entries = logOf([human("u", "go"), ...replies]);
  return prepareSession({ ...compacted(0, 1).transcript, name: "q", entries });
};

function compacted(before: number, after: number): PreparedSession {
  const calls = (id: string, count: number) => Array.from({ length: count }, (_, place) => reply(`${id}${place}`, "ok"));
  return compactedSession("s", { before: calls("b", before), summary: "so far", after: calls("a", after) });
}

describe("experimentsOf", () => {
  test("counts up to the compaction and from it on", () => {
    const before = Array.from({ length: 8 }, (_, place) => reading(`b${place}`, `src/${place}.ts`)).flat();
    const after = Array.from({ length: 4 }, (_, place) => [
      ...reading(`c${place}`, "src/0.ts"),
      ...editing(`d${place}`, "Error: no match"),
    ]).flat();
    const [experiment, ...others] = found(compactedSession("s", { before, summary: "so far", after }));
    expect(others).toEqual([]);
    expect(experiment).toMatchObject({
      kind: "compaction",
      before: { calls: 8, rereadings: 0, failedEdits: 0 },
      after: { calls: 8, rereadings: 4, edits: 4, failedEdits: 4 },
    });
  });

  test.each<[string, PreparedSession, readonly string[]]>([
    ["a session without compactions has control places a window from its ends", quiet(121), ["control 30", "control 90"]],
    ["a short one has none", quiet(59), []],
    ["beside a compaction there is room for its window", compacted(90, 90), ["control 30", "compaction 90", "control 150"]],
    ["and none where there is not", compacted(89, 89), ["compaction 89"]],
    ["a compaction without calls enough says nothing", compacted(90, 4), ["control 30"]],
  ])("%s", (_, session, expected) => {
    expect(found(session).map(({ kind, reply: at }) => `${kind} ${at}`)).toEqual(expected);
  });
});

describe("matchedPairs", () => {
  const none = { calls: 0, rereadings: 0, edits: 0, failedEdits: 0, commands: 0, repeatedCommands: 0 };
  const at = (kind: Experiment["kind"], place: number, agent = "agent"): Experiment => {
    return { session: "s", agent, kind, reply: place, before: none, after: none };
  };
  const cut = (place: number) => at("compaction", place);
  const control = (place: number, agent?: string) => at("control", place, agent);
  test.each<[string, readonly Experiment[], readonly string[]]>([
    ["controls are as far in a session, to a factor of two", [cut(100), control(30), control(70), control(130)], ["100 70"]],
    ["and of the same agent", [cut(100), control(100, "other")], []],
    [
      "several are spread over those that there are",
      [cut(70), cut(120), control(65), control(66), control(125)],
      ["70 65", "120 125"],
    ],
    ["one stands for several", [cut(70), cut(120), control(80)], ["70 80", "120 80"]],
  ])("%s", (_, experiments, expected) => {
    expect(matchedPairs(experiments).map(({ compaction, control: by }) => `${compaction.reply} ${by.reply}`)).toEqual(expected);
  });
});
