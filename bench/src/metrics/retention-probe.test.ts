import type { Message, SessionEntry } from "@plimsoll/core";
import {
  assistant,
  compaction,
  human,
  logOf,
  replacedHistory,
  reply,
  result,
  summaryMessage,
  toolCall,
} from "@plimsoll/core/testing";
import { describe, expect, test } from "vitest";
import { prepareReferences } from "../needs/recorded-references.ts";
import { createRetentionProbe } from "./retention-probe.ts";

const FILLER = human("filler", "words ".repeat(14_000));
const STATED = result("r1", "c1", "alpha\nthe port is tcp_port = 4431\nomega");
const USE = reply("a9", "I set tcp_port as before.");

/** `uses recalled/evidenced/sourceEvidenced` of all and far uses, for the log's last message sent in the context given. */
function retained(history: readonly Message[], context: readonly Message[]): string {
  const last = history.at(-1) ?? USE;
  const probe = createRetentionProbe(prepareReferences(logOf(history)));
  probe.atCall(0, last, { removed: [], added: context });
  const { all, far } = probe.result();
  return [all, far].map((count) => `${count.uses} ${count.recalled}/${count.evidenced}/${count.sourceEvidenced}`).join(", ");
}

const NOT_FAR = "0 0/0/0";

describe("createRetentionProbe", () => {
  test.each([
    ["a visible statement counts in full", [STATED, USE], [STATED], `1 1/1/1, ${NOT_FAR}`],
    ["a missing statement counts nowhere", [STATED, USE], [], `1 0/0/0, ${NOT_FAR}`],
    ["a first mention is no use", [USE], [], `0 0/0/0, ${NOT_FAR}`],
    ["a use behind 20,000 tokens is far", [STATED, FILLER, USE], [STATED, FILLER], "1 1/1/1, 1 1/1/1"],
    ["a name in a summary is recalled", [STATED, USE], [summaryMessage("s", "- tcp_port set")], `1 1/0/0, ${NOT_FAR}`],
    [
      "a line in a summary is evidence",
      [STATED, USE],
      [summaryMessage("s", "Tool said: the port is tcp_port = 4431 (kept)")],
      `1 1/1/1, ${NOT_FAR}`,
    ],
    ["a longer word is not the name", [STATED, USE], [summaryMessage("s", "tcp_ports and my_tcp_port")], `1 0/0/0, ${NOT_FAR}`],
    [
      "a shortened result holds what is left of it",
      [STATED, USE],
      [result("r1", "c1", "alpha\n[… cut]")],
      `1 0/0/0, ${NOT_FAR}`,
    ],
    [
      "an equal copy of a recorded message is as good",
      [STATED, USE],
      [{ ...STATED, parts: [...STATED.parts] }],
      `1 1/1/1, ${NOT_FAR}`,
    ],
    [
      "an older line is evidence, but not the latest source",
      [human("u1", "use tcp_port"), STATED, USE],
      [human("u1", "use tcp_port")],
      `1 1/1/0, ${NOT_FAR}`,
    ],
    [
      "the agent's own words are no source",
      [STATED, reply("a1", "so tcp_port it is"), USE],
      [reply("a1", "so tcp_port it is")],
      `1 1/1/0, ${NOT_FAR}`,
    ],
    [
      "what the agent coined has its own latest line as source",
      [reply("a1", "call it tcp_port"), USE],
      [reply("a1", "call it tcp_port")],
      `1 1/1/1, ${NOT_FAR}`,
    ],
    [
      "arguments are uses, and are read unescaped",
      [result("r1", "c1", "def tcp_port"), toolCall("a1", "c2", { name: "t", argumentsJson: '{"q":"x\\ntcp_port\\n"}' })],
      [result("r1", "c1", "def tcp_port")],
      `1 1/1/1, ${NOT_FAR}`,
    ],
    [
      "reasoning is neither use nor statement",
      [STATED, assistant("a1", [{ type: "reasoning", text: "tcp_port 4431", opaque: null }])],
      [STATED],
      `0 0/0/0, ${NOT_FAR}`,
    ],
  ])("%s", (_rule, history, context, expected) => {
    expect(retained(history, context)).toBe(expected);
  });

  test("a lost call counts its uses and finds none", () => {
    const probe = createRetentionProbe(prepareReferences(logOf([STATED, USE])));
    probe.lost(USE);
    expect(probe.result().all).toEqual({ uses: 1, recalled: 0, evidenced: 0, sourceEvidenced: 0, behindHandle: 0 });
  });

  test.each([
    [
      "a stub that names its handle",
      [result("r1", "c1", "[text cleared: 44 characters; handle r1]")],
      { recalled: 0, behindHandle: 1 },
    ],
    ["a stub that names none", [result("r1", "c1", "[text cleared]")], { recalled: 0, behindHandle: 0 }],
    [
      "a stub and a readable line",
      [result("r1", "c1", "[handle r1]"), human("u", "tcp_port")],
      { recalled: 1, behindHandle: 0 },
    ],
  ])("what is behind a handle alone is counted apart: %s", (_rule, context, expected) => {
    const probe = createRetentionProbe(prepareReferences(logOf([STATED, human("u", "tcp_port"), USE])));
    probe.atCall(0, USE, { removed: [], added: context });
    expect(probe.result().all).toMatchObject(expected);
  });

  test("uses that the recorded agent knew from its summary alone are shown apart", () => {
    const kept = human("u2", "go on with udp_port");
    const last = reply("a9", "tcp_port and udp_port");
    const entries: readonly SessionEntry[] = [
      ...logOf([STATED, kept]),
      compaction("k1", [replacedHistory([summaryMessage("s", "tcp_port is 4431"), kept])]),
      { type: "message", message: last },
    ];
    const probe = createRetentionProbe(prepareReferences(entries));
    probe.atCall(0, last, { removed: [], added: [kept] });
    expect(probe.result()).toMatchObject({
      all: { uses: 2, recalled: 1, evidenced: 1, sourceEvidenced: 1 },
      compactedAway: { uses: 1, recalled: 0, evidenced: 0, sourceEvidenced: 0 },
    });
  });
});
