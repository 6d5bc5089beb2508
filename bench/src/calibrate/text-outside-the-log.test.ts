import { describe, expect, test } from "vitest";
import { importObjects } from "../../testing/describe-log.ts";
import { CALIBRATED_METHODS } from "./methods.ts";

// Claude Code puts the text of a slash command, and a file named by @, into the context. Older versions log neither; newer ones log an
// attachment. The lines are made in its form, the sizes by four characters a token.
const FILE = "export const answer = question(1, 2, 3);\n".repeat(400);
const OVERHEAD_TOKENS = 15_000;
const WARM_CALLS = 12;

const base = { isSidechain: false, sessionId: "s", version: "2.1.0", timestamp: "2026-01-01T00:00:00Z", cwd: "/w" };
const tokensOf = (text: string) => Math.round(text.length / 4);

interface Lines {
  readonly lines: object[];
  promptTokens: number;
  last: string | null;
}

function add(session: Lines, fields: object): void {
  const uuid = `l${session.lines.length}`;
  session.lines.push({ uuid, parentUuid: session.last, ...base, ...fields });
  session.last = uuid;
}

/** Adds a message that the person typed, and the tokens that the request has of it. */
function ask(session: Lines, content: string, tokens = tokensOf(content)): void {
  add(session, { type: "user", message: { role: "user", content } });
  session.promptTokens += tokens;
}

function answer(session: Lines, text: string): void {
  const id = `m${session.lines.length}`;
  const usage = { input_tokens: 2, cache_read_input_tokens: session.promptTokens - 2, cache_creation_input_tokens: 0 };
  const message = { id, role: "assistant", model: "claude-sonnet-4-5", content: [{ type: "text", text }] };
  add(session, {
    type: "assistant",
    requestId: id,
    message: { ...message, usage: { ...usage, output_tokens: tokensOf(text) } },
  });
  session.promptTokens += tokensOf(text);
}

/** Predictions of a session that has said enough for its prices to be known. */
async function predictedIn(asked: (session: Lines) => void) {
  const session: Lines = { lines: [], promptTokens: OVERHEAD_TOKENS, last: null };
  for (let call = 0; call < WARM_CALLS; call++) {
    ask(session, `Question ${call}: ${"what does this part do? ".repeat(20)}`);
    answer(session, `Answer ${call}: ${"it adds the numbers and gives them back. ".repeat(20)}`);
  }
  asked(session);
  const [transcript] = await importObjects(session.lines);
  if (transcript === undefined) throw new Error("nothing was read");
  return CALIBRATED_METHODS.at(-1)?.predict(transcript) ?? [];
}

/** Whether the bound held for the call after the request, and for the one after that. */
async function predictedAfter(asked: (session: Lines) => void) {
  const calls = await predictedIn((session) => {
    asked(session);
    answer(session, "Seen.");
    ask(session, "Go on.");
    answer(session, "Done.");
  });
  const [first, second] = calls.slice(-2);
  const isBound = (call: typeof first) => call !== undefined && call.prediction.upperTokens >= call.reportedTokens;
  return { first: isBound(first), second: isBound(second) };
}

const COMMAND = "<command-message>review</command-message>\n<command-name>/review</command-name>";
const MENTION = "What is wrong in @src/a.ts?";
const ATTACHED = { attachment: { type: "file", content: { type: "text", file: { filePath: "a.ts", content: FILE } } } };

describe("the bound of a call whose prompt has text that the log does not hold", () => {
  test("a plain question, and a file that the log holds as an attachment, are within it", async () => {
    expect(await predictedAfter((session) => ask(session, "What is wrong?"))).toEqual({ first: true, second: true });
    const attached = await predictedAfter((session) => {
      ask(session, MENTION);
      add(session, { type: "attachment", ...ATTACHED });
      session.promptTokens += tokensOf(FILE);
    });
    expect(attached).toEqual({ first: true, second: true });
  });

  // These two fail: the ledger does not widen its bound for a command or a mention. It would have to know where such text can come from.
  test.fails.each([
    ["a slash command", COMMAND],
    ["a file named by @", MENTION],
  ])("%s is within it at the first call", async (_, typed) => {
    expect(await predictedAfter((session) => ask(session, typed, tokensOf(typed) + tokensOf(FILE)))).toMatchObject({
      first: true,
    });
  });

  test.each([
    ["a slash command", COMMAND],
    ["a file named by @", MENTION],
  ])("%s is known from the next call on", async (_, typed) => {
    const predicted = await predictedAfter((session) => ask(session, typed, tokensOf(typed) + tokensOf(FILE)));
    expect(predicted.second).toBe(true);
  });
});

describe("files that are put back after a compaction", () => {
  const SUMMARY = "The work so far: the answer is computed in two files. ".repeat(40);

  test("are expected in the first prompt after it, and the bound holds", async () => {
    const [first, second] = (
      await predictedIn((session) => {
        const files = ["/w/a.ts", "/w/b.ts"].map((filePath) => ({ filePath, content: FILE.slice(0, 8000) }));
        for (const file of files) add(session, { type: "user", toolUseResult: file, message: { role: "user", content: "ok" } });
        add(session, { type: "system", subtype: "compact_boundary", compactMetadata: { trigger: "auto" } });
        add(session, { type: "user", isCompactSummary: true, message: { role: "user", content: SUMMARY } });
        session.promptTokens = OVERHEAD_TOKENS + tokensOf(SUMMARY) + files.length * tokensOf(FILE.slice(0, 8000));
        answer(session, "Going on.");
        ask(session, "Good.");
        answer(session, "Done.");
      })
    ).slice(-2);
    expect(first?.reportedTokens).toBeLessThanOrEqual(first?.prediction.upperTokens ?? 0);
    // Two files are a fifth of this prompt; their form there costs more than their text.
    expect(Math.abs((first?.prediction.expectedTokens ?? 0) / (first?.reportedTokens ?? 1) - 1)).toBeLessThan(0.12);
    expect(Math.abs((second?.prediction.expectedTokens ?? 0) / (second?.reportedTokens ?? 1) - 1)).toBeLessThan(0.01);
  });
});
