import { expect, test } from "vitest";
import { chatLine } from "./slash-command.ts";

test.each([
  ["hello there", { kind: "message", text: "hello there" }],
  ["  ", { kind: "empty" }],
  ["//etc is a folder", { kind: "message", text: "/etc is a folder" }],
  ["/compact", { kind: "compact", keepTokens: null, focus: null }],
  ["/compact the parser bug", { kind: "compact", keepTokens: null, focus: "the parser bug" }],
  ["/compact --keep 8k", { kind: "compact", keepTokens: 8000, focus: null }],
  ["/compact --keep 500 the bug", { kind: "compact", keepTokens: 500, focus: "the bug" }],
  ["/compact --keep lots", { kind: "wrong", why: "/compact --keep takes a number of tokens, such as 8000 or 8k." }],
  ["/undo", { kind: "undo" }],
  ["/exit", { kind: "quit" }],
  ["/model", { kind: "model", argument: null }],
  ["/model openai/gpt-5.5", { kind: "model", argument: "openai/gpt-5.5" }],
  ["/compact --kepe 8k", { kind: "wrong", why: "/compact knows only --keep, not --kepe." }],
  ["/policy sven", { kind: "policy", argument: "sven" }],
  ["/mode", { kind: "mode", argument: null }],
  ["/mode read-only", { kind: "mode", argument: "read-only" }],
  ["/allow  command:grep  'a  b' ", { kind: "allow", argument: "command:grep  'a  b'" }],
  ["/contxt", { kind: "wrong", why: "There is no /contxt. Did you mean /context?" }],
  [
    "/usr/bin/env is gone",
    { kind: "wrong", why: "There is no /usr/bin/env. /help lists the commands; // begins a message with a slash." },
  ],
])("%s", (line, expected) => {
  expect(chatLine(line)).toEqual(expected);
});
