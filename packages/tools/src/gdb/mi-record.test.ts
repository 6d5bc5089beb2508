import { expect, test } from "vitest";
import { heardOn } from "./gdb-session.ts";

const NOTHING = { text: null, program: null, result: null };

test.each([
  ["(gdb) ", NOTHING],
  ['~"a \\"b\\"\\n"', { ...NOTHING, text: 'a "b"\n' }],
  ['&"log\\n"', NOTHING],
  ['~"caf\\303\\251"', { ...NOTHING, text: "café" }],
  ["12^done", { ...NOTHING, result: { token: 12, state: "done" } }],
  ["7^running", { ...NOTHING, program: "runs", result: { token: 7, state: "running" } }],
  ['3^error,msg="No symbol \\"x\\"."', { ...NOTHING, text: 'No symbol "x".\n', result: { token: 3, state: "error" } }],
  ['*running,thread-id="all"', { ...NOTHING, program: "runs" }],
  ['=thread-created,id="1"', NOTHING],
  ['*stopped,reason="exited-normally"', { ...NOTHING, program: "stands", text: "[exited-normally]\n" }],
  [
    '*stopped,frame={addr="0x1"},reason="exited",exit-code="07"',
    { ...NOTHING, program: "stands", text: "[exited, exit code 7]\n" },
  ],
  ["hello from the program", { ...NOTHING, text: "hello from the program\n" }],
  ["~ not a stream", { ...NOTHING, text: "~ not a stream\n" }],
])("%s", (line, heard) => {
  expect(heardOn(line)).toEqual(heard);
});
