import { type Fields, stringAt } from "./fields.ts";
import { invalid, keyIn, type SimulatedWire, type WireError, type WireLimits, wireError } from "./wire.ts";

/** Keys, errors of the moment and error bodies, which both OpenAI wires have in common: platform.openai.com/docs/guides/error-codes. */
export const OPENAI_ERRORS: Pick<
  SimulatedWire,
  "keyOf" | "keyError" | "headerError" | "bodyError" | "countBody" | "faultError" | "errorBody"
> = {
  keyOf: (headers) => keyIn(headers, "authorization"),
  keyError: (key) =>
    key === null
      ? wireError(
          401,
          "invalid_request_error",
          "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
        )
      : wireError(
          401,
          "invalid_request_error",
          "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.",
          { code: "invalid_api_key" },
        ),
  headerError: () => null,
  countBody: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
  bodyError: () =>
    wireError(
      400,
      "invalid_request_error",
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
    ),
  faultError: (status) => wireError(status, ...(FAULTS[status] ?? SERVER_ERROR)),
  errorBody: (error) => ({ error: errorObject(error) }),
};

type FaultWords = readonly [type: string, message: string, facts?: { readonly code: string }];

const SERVER_ERROR: FaultWords = ["server_error", "The server had an error while processing your request. Sorry about that!"];

const FAULTS: Readonly<Record<number, FaultWords>> = {
  429: [
    "tokens",
    "Rate limit reached for gpt-4o in organization org-simulated on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000. Please try again in 8s.",
    { code: "rate_limit_exceeded" },
  ],
  503: ["server_error", "The engine is currently overloaded, please try again later"],
};

/** The object of an error, in bodies and in events. */
export function errorObject({ message, type, param, code }: WireError): Fields {
  return { message, type, param, code };
}

/** The model that the request names; throws the vendor's refusals. */
export function modelOf(body: unknown, { models }: WireLimits): string {
  const modelId = stringAt(body, "model");
  if (modelId === null) throw invalid("you must provide a model parameter");
  if (models === null || models.includes(modelId)) return modelId;
  const facts = { status: 404, code: "model_not_found" };
  throw invalid(`The model \`${modelId}\` does not exist or you do not have access to it.`, facts);
}

/** A call id that is longer than the wire takes is refused. */
export function checkCallId(callId: string, maximumChars: number, where: string): void {
  if (callId.length <= maximumChars) return;
  throw invalid(
    `Invalid '${where}': string too long. Expected a string with maximum length ${maximumChars}, but got a string with length ${callId.length} instead.`,
    { code: "string_above_max_length", param: where },
  );
}

/** Names of tools have only word characters and hyphens, on both wires. */
export function checkToolNames(names: readonly string[], where: (index: number) => string): void {
  for (const [index, name] of names.entries()) {
    if (/^[a-zA-Z0-9_-]+$/.test(name)) continue;
    throw invalid(
      `Invalid '${where(index)}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      { param: where(index), code: "invalid_value" },
    );
  }
}

/** Throws if an item's or message's parameter is missing. */
export function checkPresent(fields: Fields, key: string, where: string): void {
  if (stringAt(fields, key) !== null || Array.isArray(fields[key])) return;
  throw invalid(`Missing required parameter: '${where}.${key}'.`, {
    param: `${where}.${key}`,
    code: "missing_required_parameter",
  });
}
