import { PLIMSOLL_POLICY } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { ALL_DOORS, type Call, chatAnswer, type OpenDoor, refusal } from "../testing/doors.ts";

const LIMITS = { contextWindowTokens: 200_000, maxOutputTokens: 1000 };
const TURNS = 16;

/** Refusals of too much media in unknown words. */
const WORDS: readonly (readonly [string, number, unknown])[] = [
  ["pictures in German", 400, { message: "Zu viele Bilder in dieser Anfrage" }],
  ["pictures in French", 422, { message: "le nombre d'images autorisé est dépassé" }],
  ["images in Japanese", 400, { message: "画像が多すぎます" }],
  ["a count of frames", 400, { message: "frame budget spent: 9 of 8" }],
  ["one word", 400, { message: "overexposed" }],
  ["attachments that are no place", 400, { message: "The gallery holds no further attachments today" }],
  ["sheets", 400, { message: "sheaf of 9 leaves where the binder takes 8" }],
  ["bytes in other words", 400, { message: "payload weighs 612 stone" }],
  ["megapixels", 500, { message: "vision tower: 41 Mpx beyond the sensor" }],
  ["a code", 400, { message: "E-VIS-0041" }],
  ["nothing", 400, ""],
  ["an empty object", 500, {}],
  ["another medium", 400, { message: "the file is too large" }],
  ["documents", 400, { message: "document limit exceeded" }],
  ["sides that nobody knows", 400, { message: "image resolution exceeds the maximum" }],
  ["a status that is not usual", 406, { message: "not to our taste" }],
];

const imageOf = (turn: number, bytes: number) => `iVBORw0KGgo${String(turn).padStart(3, "A")}`.padEnd(bytes, "A");

/** Whether a server takes a body. */
type Taken = (body: string) => boolean;
const imagesIn = (body: string) => body.split("data:image").length - 1;

async function played(
  open: OpenDoor,
  error: () => Error,
  { takes, bytesAt = () => 400 }: { takes: Taken; bytesAt?: (turn: number) => number },
) {
  const seen = { refused: 0, dead: 0, images: [] as number[] };
  let newest = "";
  const door = await open(PLIMSOLL_POLICY, LIMITS);
  const call: Call = async ({ messages }) => {
    const body = JSON.stringify(messages);
    if (!takes(body)) {
      // A client's own repetition counts once.
      seen.refused += body === newest ? 0 : 1;
      newest = body;
      throw error();
    }
    seen.images.push(imagesIn(body));
    const textChars = body.replace(/data:image[^"]*/g, "").length;
    return chatAnswer(`r${seen.images.length}`, Math.ceil(textChars / 4) + 300 * imagesIn(body));
  };
  for (let turn = 0; turn < TURNS; turn += 1) {
    door.say(`${turn}: ${"some words of a person ".repeat(20)}`, [imageOf(turn, bytesAt(turn))]);
    await door.send(call).catch(() => {
      seen.dead += 1;
    });
  }
  return seen;
}

describe.each(ALL_DOORS)("%s", (_, open) => {
  test.each(WORDS)("learns how many images are taken from words that nobody knows: %s", async (__, status, body) => {
    const { refused, dead, images } = await played(open, () => refusal(status, body), { takes: (sent) => imagesIn(sent) <= 8 });
    expect([refused, dead, images.length]).toEqual([1, 0, TURNS]);
    expect(Math.min(...images.slice(8))).toBeGreaterThanOrEqual(5);
  });

  test("learns how many bytes are taken where images differ", async () => {
    const seen = await played(open, () => refusal(400, { message: "overexposed" }), {
      takes: (sent) => sent.length <= 60_000,
      bytesAt: (turn) => 3000 + ((turn * 7919) % 9) * 1000,
    });
    expect(seen.dead).toBe(0);
    expect(seen.refused).toBeLessThanOrEqual(2);
  });

  test("cuts text where less media does not help, and puts the media back", async () => {
    const seen = await played(open, () => refusal(400, { message: "overladen" }), {
      takes: (sent) => sent.replace(/data:image[^"]*/g, "").length <= 6_000,
    });
    expect(seen.dead).toBe(0);
    expect(seen.refused).toBeLessThanOrEqual(6);
  });
});
