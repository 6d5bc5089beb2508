import { createHash } from "node:crypto";
import { type Fields, parseRecord, recordAt, stringAt } from "../fields.ts";
import { signatureOf } from "./wire.ts";

/** A signature of the simulator, read: who gave the thinking, and, where the model binds it, under which prefix and after which thinking. */
export interface Seal {
  readonly id: string;
  readonly modelId: string;
  readonly bound: Bound | null;
}

/** The prefix and the thinking that some thinking was bound to when it was given. */
export interface Bound {
  readonly prefix: string;
  /** The thinking before it that was valid when it was given; `null` for none. */
  readonly previous: string | null;
  /** Thinking that its model could not read. It is no gap: nobody left it out. */
  readonly unread: readonly string[];
}

/** A hash of plain data. */
export function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64url");
}

/** Length of what tells one thinking from another. */
const ID_CHARS = 16;

/** The signature of a thinking text. It holds all that it is checked by, so that a simulator reads what another one gave. */
export function signed(text: string, facts: Omit<Seal, "id">): string {
  const id = hashOf([text, facts]).slice(0, ID_CHARS);
  const seal = { ...facts, id, proof: proofOf(text, { ...facts, id }) };
  return Buffer.from(JSON.stringify(seal)).toString("base64");
}

function proofOf(text: string, { id, modelId, bound }: Seal): string {
  return signatureOf(JSON.stringify([text, id, modelId, bound === null ? null : [bound.prefix, bound.previous, bound.unread]]));
}

/** Reads a block's signature; `null` for one that says nothing and is right all the same, as recorded sessions have it. */
export function sealOf(block: Fields): Seal | null {
  const fields = parseRecord(Buffer.from(stringAt(block, "signature") ?? stringAt(block, "data") ?? "", "base64").toString());
  const id = stringAt(fields, "id");
  const modelId = stringAt(fields, "modelId");
  if (id === null || modelId === null) return null;
  const bound = recordAt(fields, "bound");
  const prefix = stringAt(bound, "prefix");
  if (bound === null || prefix === null) return { id, modelId, bound: null };
  const unread = Array.isArray(bound.unread) ? bound.unread.filter((each) => typeof each === "string") : [];
  return { id, modelId, bound: { prefix, previous: stringAt(bound, "previous"), unread } };
}

/** True for a signature that the simulator gave, whatever it was bound to. */
export function isSigned(block: Fields): boolean {
  const text = stringAt(block, "thinking") ?? "";
  const signature = stringAt(block, "signature") ?? stringAt(block, "data");
  if (signature === signatureOf(text)) return true;
  const seal = sealOf(block);
  return (
    seal !== null && stringAt(parseRecord(Buffer.from(signature ?? "", "base64").toString()), "proof") === proofOf(text, seal)
  );
}
