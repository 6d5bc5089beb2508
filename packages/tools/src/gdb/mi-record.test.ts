import { expect, test } from "vitest";
import { miField, miRecord } from "./gdb-session.ts";

test.each([
  ["(gdb) ", { kind: "prompt" }],
  ['~"a \\"b\\"\\n"', { kind: "console", text: 'a "b"\n' }],
  ['&"log\\n"', { kind: "log", text: "log\n" }],
  ['~"caf\\303\\251"', { kind: "console", text: "café" }],
  ["12^done", { kind: "result", token: 12, class: "done", rest: "" }],
  ['3^error,msg="No symbol \\"x\\"."', { kind: "result", token: 3, class: "error", rest: 'msg="No symbol \\"x\\"."' }],
  ['*stopped,reason="exited-normally"', { kind: "async", class: "stopped", rest: 'reason="exited-normally"' }],
  ["hello from the program", { kind: "program", text: "hello from the program" }],
  ["~ not a stream", { kind: "program", text: "~ not a stream" }],
])("%s", (line, record) => {
  expect(miRecord(line)).toEqual(record);
});

test.each([
  ['reason="x",frame={addr="0x1"}', "reason", "x"],
  ['a="1",reason="x"', "reason", "x"],
  ['a="1"', "reason", null],
])("field of %s", (rest, name, value) => {
  expect(miField(rest, name)).toBe(value);
});
