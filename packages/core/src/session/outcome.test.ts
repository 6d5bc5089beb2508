import { expect, test } from "vitest";
import { type EndedReply, outcomeOfReply } from "./recovery.ts";

const CUT: EndedReply = { stopReason: "length", isWindowFull: false, saidChars: 8, promptTokens: 9_000, outputTokens: 2 };
const ASKED = { askedTokens: 1000, windowTokens: 100_000 };

test.each<[string, Partial<EndedReply>, { readonly askedTokens?: number | null; readonly windowTokens?: number }, string]>([
  ["two tokens of a thousand, far below the window that is believed", {}, {}, "window-ended"],
  ["a word, without usage", { promptTokens: null, outputTokens: null }, {}, "window-ended"],
  ["nothing, for its length", { saidChars: 0, outputTokens: 0 }, {}, "window-ended"],
  [
    "a third of what was asked for, with the window half full",
    { saidChars: 1500, outputTokens: 330 },
    { windowTokens: 18_000 },
    "window-ended",
  ],
  [
    "to the window's end, with nothing asked for",
    { saidChars: 4000, outputTokens: 1000 },
    { askedTokens: null, windowTokens: 10_000 },
    "window-ended",
  ],
  ["the vendor says so, whatever was said", { isWindowFull: true, saidChars: 4000, outputTokens: 1000 }, {}, "window-ended"],
  ["nothing, and an end", { stopReason: "end", saidChars: 0 }, {}, "unknown"],
  ["a short answer", { stopReason: "end", saidChars: 3 }, {}, "answered"],
  ["a refusal", { stopReason: "refusal", saidChars: 0 }, {}, "answered"],
  ["calls", { stopReason: "tool-calls", saidChars: null }, {}, "answered"],
  ["a pause for a tool of the server", { stopReason: "other", saidChars: 0 }, {}, "answered"],
  ["all that was asked for", { saidChars: 4000, outputTokens: 1000 }, {}, "answered"],
  ["one token, as asked for", { saidChars: 1, outputTokens: 1 }, { askedTokens: 1 }, "answered"],
  ["all that was asked for, in thought", { saidChars: 0, outputTokens: 1000 }, {}, "answered"],
  ["a long text, whatever is reported of it", { saidChars: 4200, outputTokens: 20 }, {}, "answered"],
  ["a third of what was asked for, in an empty window", { saidChars: 1500, outputTokens: 330 }, {}, "answered"],
  [
    "a text that a server's own limit cut, with nothing asked for",
    { saidChars: 400, outputTokens: 100 },
    { askedTokens: null },
    "answered",
  ],
])("%s", (_, said, given, kind) => {
  expect(outcomeOfReply({ ...CUT, ...said }, { ...ASKED, ...given }).kind).toBe(kind);
});
