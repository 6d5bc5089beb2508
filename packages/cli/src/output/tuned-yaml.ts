import type { TunedPolicy } from "@plimsoll/bench";
import { settingWords } from "@plimsoll/bench/extend";
import { type Policy, presetNamed } from "@plimsoll/core";
import { isKnobPath, isRecord, withKnob } from "@plimsoll/core/extend";
import { policyOf, readDocument, SESSION_KEYS, withoutSettings } from "@plimsoll/core/node";
import { Document, isMap, parseDocument } from "yaml";

interface TunedFile {
  /** The file's text so far; empty for a new one. */
  readonly text: string;
  /** The policy as it was. */
  readonly current: Policy;
  /** The best setting; `null` if nothing can be recommended. */
  readonly best: TunedPolicy | null;
}

/** Lines are not folded. */
const NO_FOLDING = 0;

/**
 * A policy file with the setting that was found, or with the policy as it is if that is best. A session's settings in the file and its comments stay. A file
 * that changes the same preset gets the knobs next to what it has; otherwise a preset's changes or a whole policy take the place of what was chosen.
 */
export function tunedYaml({ text, current, best }: TunedFile): string {
  const knobs = (best?.settings ?? []).map(settingWords).filter(({ path }) => isKnobPath(path));
  const wanted = best?.policy ?? current;
  const turned = knobs.reduce((policy, { path, value }) => withKnob(policy, path, value), current);
  const others = changesBetween(turned, wanted);
  const put = (document: Document): void => {
    const prefix = isMap(document.get("policy")) ? ["policy"] : [];
    const isList = knobs.some(({ path }) => path.startsWith("keep.")) && !isMap(document.getIn([...prefix, "keep"]));
    if (isList) document.deleteIn([...prefix, "keep"]);
    for (const { path, value } of knobs) document.setIn([...prefix, ...path.split(".")], value);
    for (const [key, value] of Object.entries(isRecord(others) ? others : {}))
      document.setIn([...prefix, key], document.createNode(value));
  };
  const forms: readonly (() => Document)[] = [
    () => edited(text, put),
    () =>
      edited(withoutPolicy(text), (document) => {
        document.set("extends", current.name);
        put(document);
      }),
  ];
  for (const form of forms) {
    const made = form().toString({ lineWidth: NO_FOLDING });
    if (isSame(made, wanted)) return made;
  }
  const named = presetNamed(current.name) === undefined ? current.name : `${current.name} tuned`;
  const whole = edited(withoutPolicy(text), (document) =>
    document.set("policy", document.createNode({ ...wanted, name: named })),
  );
  return whole.toString({ lineWidth: NO_FOLDING });
}

function edited(text: string, edit: (document: Document) => void): Document {
  const parsed = parseDocument(text);
  const document: Document = isMap(parsed.contents) ? parsed : new Document({});
  edit(document);
  return document;
}

/** The file's text without what chooses a policy: a session's settings, with their comments. */
function withoutPolicy(text: string): string {
  const document = parseDocument(text);
  const { contents } = document;
  if (!isMap(contents)) return "";
  contents.items = contents.items.filter(({ key }) => SESSION_KEYS.includes(String(key)));
  return contents.items.length === 0 ? "" : document.toString({ lineWidth: NO_FOLDING });
}

/** True if the text is read as the policy, whatever its name. */
function isSame(text: string, policy: Policy): boolean {
  const read = readDocument(text);
  if ("problems" in read) return false;
  const found = policyOf(withoutSettings(read.document), "plimsoll.yaml");
  return "found" in found && changesBetween(found.found.policy, policy) === undefined;
}

/** The parts of the second that differ, without the name; lists whole. `undefined` if nothing does. */
function changesBetween(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return JSON.stringify(before) === JSON.stringify(after) ? undefined : after;
  const changed = Object.entries(after).flatMap(([key, value]) => {
    const change = key === "name" ? undefined : changesBetween(before[key], value);
    return change === undefined ? [] : [[key, change] as const];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}
