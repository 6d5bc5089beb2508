import type { ModelLimits } from "@plimsoll/core";
import type { Rejection } from "@plimsoll/core/extend";
import { expect, test } from "vitest";
import { withLoweredOutput } from "./carry-out.ts";

type Counted = Pick<Rejection, "limitTokens" | "promptTokens" | "requestedTokens">;
const LARGE: ModelLimits = { contextWindowTokens: 1_000_000, maxOutputTokens: 128_000 };

function rejection(limitTokens: number | null, promptTokens: number | null): Counted {
  return { limitTokens, promptTokens, requestedTokens: promptTokens };
}

test.each<[string, ModelLimits, Counted, ModelLimits | null]>([
  [
    "a limit that is named gives a quarter to the reply",
    LARGE,
    rejection(32_000, 1_839),
    { contextWindowTokens: 32_000, maxOutputTokens: 8_000 },
  ],
  ["and no more than usual", LARGE, rejection(200_000, 100_000), { contextWindowTokens: 200_000, maxOutputTokens: 8_192 }],
  [
    "a limit above the window that is known leaves the window",
    { contextWindowTokens: 150_000, maxOutputTokens: 64_000 },
    rejection(200_000, 140_000),
    { contextWindowTokens: 150_000, maxOutputTokens: 8_192 },
  ],
  [
    "without a named limit a usual reply is asked for",
    LARGE,
    rejection(null, null),
    { contextWindowTokens: 1_000_000, maxOutputTokens: 8_192 },
  ],
  [
    "an unknown window stays unknown if no limit is named",
    { contextWindowTokens: null, maxOutputTokens: 32_000 },
    rejection(null, null),
    { contextWindowTokens: null, maxOutputTokens: 8_192 },
  ],
  [
    "a prompt that leaves less than the shorter reply is sent as long as 1,024 tokens fit",
    LARGE,
    rejection(32_000, 30_976),
    { contextWindowTokens: 32_000, maxOutputTokens: 8_000 },
  ],
  ["a prompt that leaves less has to shrink", LARGE, rejection(32_000, 30_977), null],
  ["a reply that is under 1,024 stays", { ...LARGE, maxOutputTokens: 600 }, rejection(32_000, 31_500), null],
  ["so has one of a size that is only expected", LARGE, rejection(8_000, null), null],
  ["a reply that is short already is not what does not fit", { ...LARGE, maxOutputTokens: 8_192 }, rejection(null, null), null],
  [
    "half of it is asked for, if no count says how much is too much",
    { ...LARGE, maxOutputTokens: 8_000 },
    rejection(32_000, null),
    { contextWindowTokens: 32_000, maxOutputTokens: 4_000 },
  ],
  ["nor can one of a quarter of the limit", { ...LARGE, maxOutputTokens: 8_000 }, rejection(32_000, 1_000), null],
])("%s", (_rule, limits, refused, lowered) => {
  expect(withLoweredOutput(limits, refused, 7_000)).toEqual(lowered);
});
