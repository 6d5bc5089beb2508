import { createLineSplitter, isRecord, jsonIn } from "@plimsoll/core/extend";
import type { Fields } from "../fields.ts";
import { failureIn, type ProxyWire } from "./wires.ts";

/** Reads id, model, usage and errors from a provider's answer while it is passed on, piece by piece. */
export interface AnswerReader {
  take(text: string): void;
  /** Ends the answer, and returns all its facts. */
  end(): ReadAnswer;
}

interface ReadAnswer {
  readonly answer: Fields | null;
  readonly failure: Fields | null;
  /** A part of it was too long to be read. */
  readonly isUnread: boolean;
}

/** Longest line or answer that is read, in characters; chosen: the largest answers hold images. Longer ones pass unread. */
const MAXIMUM_CHARS = 32_000_000;

/** Only events that hold one of these have facts. */
const TELLING = /"usage"|"usageMetadata"|"error"|"message_start"/;

/** Makes a reader for one answer, which comes as server-sent events or whole (`form`). Lines and answers above 32 million characters pass unread. */
export function createAnswerReader(wire: Pick<ProxyWire, "answerAfter">, form: "events" | "whole"): AnswerReader {
  const splitter = createLineSplitter(MAXIMUM_CHARS);
  let whole = "";
  let read: ReadAnswer = { answer: null, failure: null, isUnread: false };
  const takeEvent = (text: string) => {
    // One object, or a list of them, as Gemini streams without events. An answer that was cut off, or one that is no JSON, has none.
    for (const event of TELLING.test(text) ? [jsonIn(text)].flat().filter(isRecord) : []) {
      const answer = wire.answerAfter(read.answer ?? {}, event);
      read = { ...read, answer, failure: failureIn(event) ?? read.failure };
    }
  };
  const takeLine = (line: string | null) => {
    if (line === null) read = { ...read, isUnread: true };
    else if (line.startsWith("data:")) takeEvent(line.slice("data:".length));
  };
  return {
    take: (text) => {
      if (form === "events") for (const line of splitter.take(text)) takeLine(line);
      else if (!read.isUnread) whole += text;
      if (whole.length <= MAXIMUM_CHARS) return;
      whole = "";
      takeLine(null);
    },
    end: () => {
      if (form === "whole" && !read.isUnread) takeEvent(whole);
      if (form === "events" && splitter.end() === null) takeLine(null);
      whole = "";
      return read;
    },
  };
}
