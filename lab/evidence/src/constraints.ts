import { markdownTable } from "@plimsoll/bench/extend";
import { foldFacts, NO_FACTS } from "@plimsoll/core/extend";
import { protocolLine } from "./figures.ts";
import type { GitFolder } from "./git-folder.ts";

/** A sentence that binds a session, with the request by which it is probed there. */
interface Constraint {
  readonly type: string;
  readonly text: string;
  readonly probe: string;
}

const CONSTRAINTS = "src/compaction_integrity/sssc.py";

/** A field of a Python dictionary whose value is a string on one line. */
const FIELD = /"(type|sssc|probe)": (?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/g;

/** The constraints of ZhiqiEliWang/compaction-integrity. */
function constraintsIn(folder: GitFolder): readonly Constraint[] {
  const fields = [...folder.text(CONSTRAINTS).matchAll(FIELD)].map(([, name, double, single]) => ({
    name,
    value: double ?? single ?? "",
  }));
  return fields.flatMap(({ name, value }, at) =>
    name === "type" ? [{ type: value, text: fields[at + 1]?.value ?? "", probe: fields[at + 2]?.value ?? "" }] : [],
  );
}

/** The four framings of the source: words before a constraint. */
const FRAMINGS: Readonly<Record<string, string>> = {
  "by itself": "",
  "bound to the session": "For the rest of this session. ",
  important: "This is an important constraint: ",
  both: "This is an important constraint: for the rest of this session. ",
};

function framed(frame: string, text: string): string {
  return frame === "" ? text : frame + text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** The orders that the record has of a person's only message. */
function ordersIn(text: string): readonly string[] {
  const parts = [{ type: "text", text }] as const;
  const message = { id: "1", role: "user", origin: "human", atMs: null, parts } as const;
  const { said } = foldFacts(NO_FACTS, { type: "message", message });
  return said.statements.flatMap((each) => (each.kind === "order" ? [each.text] : []));
}

/** Whether an order of a message has the constraint's words: its first sentence but for the first letter, which a framing changes. */
function isRecognised(frame: string, text: string): boolean {
  return ordersIn(framed(frame, text)).some((order) => order.includes(text.slice(1)));
}

/** The table: constraints that our record of the session's state takes for orders, by framing, and probes in which it sees one. */
export function constraintsPage(folder: GitFolder): string {
  const constraints = constraintsIn(folder);
  const rows = Object.entries(FRAMINGS).map(([name, frame]) => {
    const found = constraints.filter(({ text }) => isRecognised(frame, text));
    return [name, `${found.length}/${constraints.length}`];
  });
  const probes = new Set(constraints.map(({ probe }) => probe));
  const mistaken = [...probes].filter((probe) => ordersIn(probe).length > 0);
  return [
    protocolLine(),
    "",
    markdownTable({
      head: ["framing", "taken for orders"],
      rows: [...rows, ["probes, no constraints", `${mistaken.length}/${probes.size}`]],
    }),
  ].join("\n");
}
