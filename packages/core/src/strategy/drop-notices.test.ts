import { expect, test } from "vitest";
import { strategyInput } from "../../testing/strategy-input.ts";
import type { Message } from "../message/message.ts";
import { calling, human, reply, result, summaryMessage } from "../testing/builders.ts";
import { DROP_NOTICES } from "./drop-notices.ts";

const notice = { ...summaryMessage("n", "dropped"), origin: "notice" } as const;

test.each<[string, readonly Message[], readonly string[]]>([
  [
    "summaries and notices, of either role",
    [summaryMessage("s", "so far"), human("u", "go"), notice, { ...reply("t", "so far"), origin: "summary" }],
    ["s", "n", "t"],
  ],
  [
    "no more",
    [human("u", "go"), { ...human("i", "note"), origin: "injected" }, calling("a", ["c"]), result("r", "c", "done")],
    [],
  ],
])("drop-notices takes out %s, without another notice", (_, messages, ids) => {
  const answer = DROP_NOTICES.bind({ kind: "drop-notices" }).plan(strategyInput(messages));
  const spans = ids.map((id) => ({ from: id, through: id, promptId: null }));
  expect(answer.kind === "edits" ? answer.edits : []).toEqual(
    spans.length === 0 ? [] : [{ kind: "replace-spans", by: "nothing", spans }],
  );
});
