import { createHash } from "node:crypto";
import { z } from "zod";

/** The origin of a page's figures: the definitions and the rule, and the owners of each side. */
export interface Protocol {
  /** docs/evidence.md. */
  readonly text: string;
  /** lab/research/protocol-split.json. */
  readonly split: string;
}

/** Characters of the hash that are shown: enough to distinguish versions of one page. */
const SHOWN_CHARS = 16;

/**
 * The protocol's version: the date of its newest change, and a hash of its definitions and split. The table of changes, the figures
 * behind it and white space are no part of the hash.
 */
export function protocolVersion({ text, split }: Protocol): string {
  const [definitions = "", later = ""] = text.split("\n## Changes");
  const [changes = ""] = later.split("\n## ");
  const dates = changes.match(/^\| \d{4}-\d{2}-\d{2}/gm) ?? [];
  const newest =
    dates
      .map((line) => line.slice(2))
      .toSorted()
      .at(-1) ?? "without a date";
  const plain = [definitions, split].map((each) => each.replace(/\s+/g, " ").trim()).join("\n");
  return `${newest} ${createHash("sha256").update(plain).digest("hex").slice(0, SHOWN_CHARS)}`;
}

const STAMP = /^Protocol: `([^`\n]+)`/m;

/** The line of a page that says by which protocol its figures were made. */
export function stampLine(protocol: Protocol): string {
  return `Protocol: \`${protocolVersion(protocol)}\` (the date of [its](docs/evidence.md) newest change, and a hash of its definitions and split). \`pnpm results --check\` refuses this page if they change.`;
}

/** Why a page of results is refused; `null` if its figures were made by the present protocol, and it names the losses first. */
export function pageProblem(page: string, protocol: Protocol): string | null {
  const stamp = STAMP.exec(page)?.[1] ?? null;
  const holds = protocolVersion(protocol);
  if (stamp === null) return "the page does not say by which protocol its figures were made: make it anew with pnpm results";
  if (stamp !== holds)
    return `the page's figures are of the protocol ${stamp}, and ${holds} holds: make it anew with pnpm results`;
  const [losing, table] = [page.indexOf("### Losing cases first"), page.indexOf("\n| policy | fired")];
  if (losing < 0 || (table >= 0 && table < losing))
    return "the page does not say first what is lost: make it anew with pnpm results";
  return null;
}

/** Which side of the split (lab/research/protocol-split.json, as text) an owner's sessions are on. */
export function sideOf(owner: string, split: string): "fit" | "choose" | "report" {
  const { fit, choose } = splitSchema.parse(JSON.parse(split));
  if (fit.includes(owner)) return "fit";
  return choose.includes(owner) ? "choose" : "report";
}

const splitSchema = z.object({ fit: z.array(z.string()), choose: z.array(z.string()) });

/** Which side of the split each owner's sessions are on, in words, with how many there are. */
export function sidesLine(owners: readonly string[], split: string): string {
  const counts = (["fit", "choose", "report"] as const).map((side) => {
    const own = owners.filter((owner) => sideOf(owner, split) === side);
    const owned = new Set(own).size;
    return `${side} ${own.length} of ${owned} ${owned === 1 ? "owner" : "owners"}`;
  });
  return `Sessions by side of the split: ${counts.join(", ")}. They are in one table, and [apart](#by-side-of-the-split) below it; figures of policies that were made while they were looked at are exploratory.`;
}
