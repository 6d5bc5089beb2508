import { shortHash } from "@plimsoll/core/extend";
import { type Fields, recordsAt, stringAt } from "../fields.ts";
import type { AnyCompactor } from "./any-compactor.ts";
import type { ProxyWire } from "./wires.ts";

/** Tells which messages in the user's role an agent put in, by what they do in its requests. In doubt a message is the person's. */
export interface PutIn {
  /** A compactor whose histories are looked at before it reads them. What was found of a text stays so, or its conversation would not be known again. */
  watched(compactor: AnyCompactor, wire: ProxyWire): AnyCompactor;
  /** True for a text of which that was seen. */
  isInjected(text: string): boolean;
}

/** Texts that are remembered; chosen. Only those that a tag encloses are. */
const MOST_TEXTS = 10_000;

/** Nothing seen yet. */
export function createPutIn(): PutIn {
  const known = new Map<string, boolean>();
  const learn = (items: readonly Fields[], wire: ProxyWire) => {
    for (const { text, isPutIn } of judged(items, wire)) {
      const key = shortHash(text);
      if (!known.has(key) && known.size < MOST_TEXTS) known.set(key, isPutIn);
    }
  };
  return {
    watched: (compactor, wire) => ({
      ...compactor,
      fit: (items, request) => {
        learn(items, wire);
        return compactor.fit(items, request);
      },
      logOf: (items, request) => {
        learn(items, wire);
        return compactor.logOf(items, request);
      },
    }),
    isInjected: (text) => /^\s*[<#]/.test(text) && known.get(shortHash(text)) === true,
  };
}

/**
 * How a text is made: `context`, of elements alone, one of them of context; `headed`, of a heading and an element behind it, as an agent shows a file of
 * instructions; `words` for anything else.
 */
type Form = "context" | "headed" | "words";

/** The texts in the user's role between two replies of the model, and whether results stand there. */
interface Run {
  readonly texts: { readonly text: string; readonly form: Form; readonly opens: boolean }[];
  hasResults: boolean;
}

/** The texts that an agent may have put in. A person's own words, or results, have to stand beside what it did. */
function judged(items: readonly Fields[], wire: ProxyWire): readonly { readonly text: string; readonly isPutIn: boolean }[] {
  return runsOf(items, wire).flatMap(({ texts, hasResults }) => {
    const has = (wanted: Form) => texts.some(({ form }) => form === wanted);
    return texts.flatMap(({ text, form, opens }) => {
      if (form === "words") return [];
      return [{ text, isPutIn: form === "context" ? hasResults || has("words") : opens && has("context") && has("words") }];
    });
  });
}

function runsOf(items: readonly Fields[], { isModels, isHistory }: ProxyWire): readonly Run[] {
  const runs: Run[] = [{ texts: [], hasResults: false }];
  let opens = true;
  for (const item of items) {
    const run = runs.at(-1);
    if (isModels(item) || run === undefined) runs.push({ texts: [], hasResults: false });
    else {
      run.hasResults ||= isHistory(item);
      const text = item.role === "user" ? textIn(item) : "";
      if (text === "") continue;
      run.texts.push({ text, form: formOf(text), opens });
      opens = false;
    }
  }
  return runs;
}

/** The text of an item, as it is read. */
function textIn(item: Fields): string {
  const parts = [...recordsAt(item, "content"), ...recordsAt(item, "parts")];
  const texts = [stringAt(item, "content"), ...parts.map((part) => stringAt(part, "text"))];
  return texts.filter((text) => text !== null && text.trim() !== "").join("\n");
}

const OPENING = /^<([A-Za-z][\w-]*(?: [\w-]+)*)>/;

/** A heading before the element that it is of. */
const HEADING = /^#{1,3} [^\n<]{1,300}\n\s*(?=<)/;

/** A name of several words that says that it is of context. Of other names, such as `user_query`, nobody knows who wrote what they enclose. */
const CONTEXT_NAME = /^[a-z]+(?:[-_ ][a-z]+)*[-_ ](?:context|details|environment|reminders?|state)$/;

/** Words with which agents hand on what a person said in the middle of a turn. */
const HANDED_ON = /\b(?:user|human|person)\b[^.\n]{0,60}\b(?:asked|said|says|sent|typed|wrote|message|prompt|request)/i;

/** Where they are looked for; chosen. */
const HANDED_ON_CHARS = 300;

function formOf(text: string): Form {
  let rest = text.trim();
  let form: Form = "words";
  while (rest !== "") {
    const heading = HEADING.exec(rest)?.[0] ?? "";
    const element = elementAt(rest.slice(heading.length));
    if (element === null || HANDED_ON.test(element.inside.slice(0, HANDED_ON_CHARS))) return "words";
    const isContext = heading === "" && CONTEXT_NAME.test(element.name);
    if (!isContext && heading === "") return "words";
    if (isContext || form === "words") form = isContext ? "context" : "headed";
    rest = rest.slice(heading.length + element.length).trim();
  }
  return form;
}

function elementAt(text: string): { readonly name: string; readonly inside: string; readonly length: number } | null {
  const [opening = "", name = ""] = OPENING.exec(text) ?? [];
  const closing = `</${name}>`;
  const end = opening === "" ? -1 : text.indexOf(closing, opening.length);
  return end < 0 ? null : { name, inside: text.slice(opening.length, end), length: end + closing.length };
}
