import type { ModelRequest, ToolSpec } from "@plimsoll/core";
import type { WireRules } from "@plimsoll/core/internal";
import { isRecord } from "@plimsoll/core/internal";
import { emptyReply } from "../client/failure.ts";
import type { DecodedReply } from "../client/wire-driver.ts";
import type { Fields } from "../fields.ts";
import { recordAt, stringAt } from "../fields.ts";

/** One vendor's side of a session: the fixed parameters of its requests, and how they and its answers are written. */
export interface SessionWire<Request> {
  /** `host/model`, as the catalogue reads it. */
  readonly modelReference: string;
  readonly modelId: string;
  /** The largest reply that a request asks for; `null` if it does not say. */
  readonly maxOutputTokens: number | null;
  readonly tools: readonly ToolSpec[];
  readonly rules: WireRules;
  /** Longest name of a tool that the wire takes. */
  readonly maximumToolNameChars: number;
  /** Writes a request whose messages the wire takes. Its tools are the wire's own. */
  encode(request: ModelRequest): Request;
  decode(answer: Fields): DecodedReply;
}

/** A tool as its vendor's SDK describes it, in our terms. One that runs at the vendor is known by what was said of it. */
export function toolSpecOf(tool: unknown): ToolSpec {
  const said = recordAt(tool, "function") ?? recordAt(tool, "custom") ?? tool;
  const parameters = recordAt(said, "input_schema") ?? recordAt(said, "parameters") ?? said;
  return {
    name: stringAt(said, "name") ?? stringAt(said, "type") ?? "",
    description: stringAt(said, "description") ?? "",
    parametersJson: JSON.stringify(parameters),
  };
}

/** An answer's reply. Throws for an answer that is none, or that failed. */
export function decodedBy(wire: Pick<SessionWire<unknown>, "decode">, answer: unknown): DecodedReply {
  if (!isRecord(answer)) throw emptyReply();
  return wire.decode(answer);
}
