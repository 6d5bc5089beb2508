import { describe, expect, test } from "vitest";
import { withCacheMarks, withoutCacheMarks } from "./cache-marks.ts";

const mark = { type: "ephemeral", ttl: "1h" };
const said = (text: string, cache_control?: unknown) => ({
  role: "user",
  content: [{ type: "text", text, ...(cache_control === undefined ? {} : { cache_control }) }],
});
const thinking = { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: "y" }] };

describe("a breakpoint", () => {
  const [first, last] = [said("first"), said("last", mark)];
  test("that is still there is the only one", () => {
    const sent = [said("summary"), last];
    expect(withCacheMarks([first, last], sent)).toBe(sent);
  });
  test("is not invented", () => {
    const sent = [said("summary")];
    expect(withCacheMarks([first, first], sent)).toBe(sent);
  });
  test("that was cut is placed at the end, with its time to live", () => {
    expect(withCacheMarks([first, last], [first, said("summary")])).toEqual([first, said("summary", mark)]);
  });
  test("is placed on text that is no block yet", () => {
    expect(withCacheMarks([last], [{ role: "user", content: "summary" }])).toEqual([said("summary", mark)]);
  });
  test("is never placed on reasoning", () => {
    expect(withCacheMarks([last], [said("summary"), thinking])).toEqual([said("summary", mark), thinking]);
  });
});

describe("what is said", () => {
  test("does not depend on breakpoints, in results either", () => {
    const result = {
      type: "tool_result",
      tool_use_id: "a",
      cache_control: mark,
      content: [{ type: "text", text: "x", cache_control: mark }],
    };
    const plain = { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "x" }] };
    expect(withoutCacheMarks({ role: "user", content: [result] })).toEqual({ role: "user", content: [plain] });
  });
  test("keeps its bytes: a breakpoint that moves on changes nothing before it", () => {
    const result = (own: object) => ({
      role: "user",
      content: [{ type: "tool_result", content: "x", is_error: false, ...own }],
    });
    expect(JSON.stringify(withoutCacheMarks(result({ cache_control: mark })))).toBe(JSON.stringify(result({})));
  });
  test("keeps what a tool was called with", () => {
    const call = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "t", input: { cache_control: 1 } }] };
    expect(withoutCacheMarks(call)).toBe(call);
  });
});
