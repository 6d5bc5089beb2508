import { describe, expect, test } from "vitest";
import { SMALL_POLICY, smallSession, turns, words } from "../../testing/small-session.ts";
import type { MessageSpan } from "../entry.ts";
import { spanHandle } from "../message/handle.ts";
import type { Policy } from "../policy/policy.ts";
import { calling, human, reply, result } from "../testing/builders.ts";

describe("what was taken away is found again by its handle", () => {
  const range = { startChar: 0, maximumChars: 30 };
  const history = [
    human("u", "go"),
    ...Array.from({ length: 8 }, (_, index) => [
      calling(`a${index}`, [`c${index}`], words(400)),
      result(`r${index}`, `c${index}`, `result ${index}: ${words(600)}`),
    ]).flat(),
    reply("end", "done"),
  ];
  const compacted = async (strategies: Policy["strategies"], more: Partial<Policy> = {}) => {
    const made = smallSession(history, { policy: { ...SMALL_POLICY, strategies, ...more } });
    const outcome = await made.fit();
    const edits = outcome.kind === "compacted" ? outcome.entry.edits : [];
    return { ...made, edits };
  };

  test("a cleared result", async () => {
    const { edits, manager, ids } = await compacted([{ kind: "clear-tool-results", keepResults: 2, clearAtLeastTokens: 0 }]);
    const handles = edits.flatMap((edit) => (edit.kind === "replace-part" ? [edit.handle] : []));
    expect(handles).toEqual(["r0", "r1", "r2", "r3", "r4", "r5"]);
    const found = await Promise.all(handles.map((handle) => manager.recall(handle, range)));
    expect(found.map((each) => each?.text.slice(0, 9))).toEqual(handles.map((_, at) => `result ${at}:`));
    expect(ids()).toHaveLength(history.length);
  });

  test("a shortened result, also from its middle", async () => {
    const { edits, manager } = await compacted([{ kind: "cut-oversized", to: "stubs" }]);
    expect(edits.length).toBeGreaterThan(8);
    expect(await manager.recall("r3", { startChar: 2002, maximumChars: 8 })).toEqual({
      text: "wordword",
      startChar: 2002,
      totalChars: 2410,
    });
  });

  test.each<[string, Policy["strategies"]]>([
    [
      "dropped messages, under the handle that the notice names",
      [{ kind: "drop-oldest", amount: "all-but-keep", notice: "count" }],
    ],
    ["summarised messages, by their span", SMALL_POLICY.strategies],
  ])("%s", async (_, strategies) => {
    const { edits, manager } = await compacted(strategies);
    const spans = edits.flatMap((edit): readonly MessageSpan[] => (edit.kind === "replace-spans" ? edit.spans : []));
    expect(spans.map(spanHandle)).toEqual(["a0..r4"]);
    const found = await manager.recall("a0..r4", { startChar: 0, maximumChars: 1_000_000 });
    expect([found?.text.slice(0, 14), found?.text.length]).toEqual(["[assistant a0]", 16_000]);
    expect(found?.totalChars).toBeGreaterThan(5 * 4000);
  });

  test("a notice names the handle of everything that it counts, of an earlier notice too", async () => {
    const drop = { kind: "drop-oldest", amount: "all-but-keep", notice: "count" } as const;
    const { fit, append, manager, written } = await compacted([drop]);
    append(...turns(8, 30));
    await fit();
    const handle = /handle (\S+)\. /.exec(written())?.[1] ?? "";
    expect((await manager.recall(handle, { startChar: 0, maximumChars: 14 }))?.text).toBe("[user u]\ngo\n\n[");
  });
});
