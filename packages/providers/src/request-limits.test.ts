import { describe, expect, test } from "vitest";
import { audio, type LoopMedia, pdf, png } from "../testing/made-media.ts";
import { type MediaLoop, playMediaLoop } from "../testing/media-loop.ts";

const STEPS = 60;
type Cell = Pick<MediaLoop, "wire" | "place" | "through">;
type Limits = Exclude<MediaLoop["media"], "off" | undefined>;
const KNOWN = { anthropic: "claude-test", "openai-chat": "gpt-test", "openai-responses": "gpt-test", gemini: "gemini-test" };
const CELLS: readonly Cell[] = (["anthropic", "openai-chat", "openai-responses", "gemini"] as const).flatMap((wire) =>
  (["said", "result"] as const).flatMap((place) =>
    (["drop-in", "proxy", "session"] as const)
      // There is no session on Gemini's wire.
      .filter((through) => wire !== "gemini" || through !== "session")
      .map((through) => ({ wire, place, through })),
  ),
);
/** Wires on which a call's output is no message of the person's. */
const SHOWN = CELLS.filter(({ wire, place }) => place === "result" && wire !== "openai-chat");

/** Each unit with media that exceed its limit within a session, and a server that takes so much. */
const UNITS: readonly (readonly [string, readonly Cell[], (step: number) => readonly LoopMedia[], Limits])[] = [
  ["images", CELLS, () => [png(100)], { images: 25 }],
  ["bytes", CELLS, () => [png(100, 20_000)], { bodyBytes: 500_000 }],
  ["pixels among many images", CELLS, () => [png(2100)], { manySidePx: 2000 }],
  ["bytes of an image", SHOWN, (step) => [png(100, step % 7 === 3 ? 90_000 : 500)], { imageBytes: 100_000 }],
  ["pixels", SHOWN, (step) => [png(step % 7 === 3 ? 3000 : 500)], { sidePx: 2500 }],
  ["documents", CELLS, () => [pdf(1)], { documents: 12 }],
  ["bytes of documents", CELLS, () => [pdf(1, 20_000)], { documentBytes: 300_000 }],
  ["sound", CELLS.filter(({ wire }) => wire === "openai-chat"), () => [audio(15_000)], { bodyBytes: 400_000 }],
];

const rows = UNITS.flatMap(([unit, cells, mediaAt, media]) =>
  cells.map((cell) => [unit, cell.wire, cell.place, cell.through, { mediaAt, media, cell }] as const),
);

describe("a limit that nobody knew", () => {
  test.each(rows)("%s, %s, %s, %s: named, it refuses once", async (_, _wire, _place, _through, { mediaAt, media, cell }) => {
    const end = await playMediaLoop({ ...cell, modelId: "m-test", steps: STEPS, mediaAt, media });
    expect([end.refused.length, end.answered]).toEqual([1, STEPS]);
  });

  // Numbers are read in one place: one wire and one way through it are enough.
  test.each(rows.filter(([, wire, , through]) => wire === "anthropic" && through === "drop-in"))(
    "%s, %s, %s, %s: without a number, too",
    async (_, _wire, _place, _through, { mediaAt, media, cell }) => {
      const end = await playMediaLoop({
        ...cell,
        modelId: "m-test",
        steps: STEPS,
        mediaAt,
        media: { ...media, words: "unnamed" },
      });
      expect([end.refused.length, end.answered]).toEqual([1, STEPS]);
    },
  );
});

const onWire = (wire: MediaLoop["wire"]) => CELLS.filter((cell) => cell.wire === wire);
const DOCUMENTED: readonly (readonly [string, readonly Cell[], Partial<MediaLoop> & Pick<MediaLoop, "mediaAt">])[] = [
  ["images", onWire("anthropic"), { mediaAt: () => [png(100), png(100)] }],
  ["pages", onWire("anthropic"), { mediaAt: () => [pdf(3)] }],
  ["pixels among many images", onWire("anthropic"), { mediaAt: () => [png(2500)] }],
  ["pixels", SHOWN.filter(({ wire }) => wire === "anthropic"), { mediaAt: (step) => [png(step % 9 === 4 ? 9000 : 100)] }],
  [
    "bytes of an image",
    SHOWN.filter(({ wire, through }) => wire === "anthropic" && through === "drop-in"),
    { steps: 6, mediaAt: (step) => [png(100, step === 2 ? 8_000_000 : 100)] },
  ],
  [
    "bytes",
    CELLS.filter(({ wire, place }) => (wire === "anthropic" || wire === "gemini") && place === "result"),
    { steps: 14, mediaAt: () => [png(100, 2_000_000)] },
  ],
  [
    "images",
    CELLS.filter(({ wire, place }) => wire === "openai-responses" && place === "result"),
    { windowTokens: 5_000_000, mediaAt: () => Array.from({ length: 26 }, () => png(100)) },
  ],
];

test.each(
  DOCUMENTED.flatMap(([unit, cells, loop]) =>
    cells.map((cell) => [unit, cell.wire, cell.place, cell.through, { loop, cell }] as const),
  ),
)("%s as %s documents them, %s, %s: nothing is refused", async (_, wire, _place, _through, { loop, cell }) => {
  const end = await playMediaLoop({ steps: STEPS, ...cell, modelId: KNOWN[wire], media: undefined, ...loop });
  expect([end.refused, end.answered]).toEqual([[], loop.steps ?? STEPS]);
  expect(end.violations).toEqual([]);
  expect(end.compactions.length).toBeGreaterThan(0);
  expect(end.compactions.every(({ edits }) => edits.every(({ kind }) => kind === "replace-part"))).toBe(true);
});

test.each(CELLS.filter(({ place }) => place === "said"))(
  "an image of the newest message that is too large alone is named, and taken once the person goes on: $wire, $through",
  async (cell) => {
    const mediaAt = (step: number) => [png(100, step === 3 ? 90_000 : 500)];
    const end = await playMediaLoop({ ...cell, modelId: "m-test", steps: 8, mediaAt, media: { imageBytes: 100_000 } });
    expect([end.refused.length, end.answered]).toEqual([1, 7]);
    const [told, ...others] = end.irreducible;
    expect(others).toEqual([]);
    const over = { unit: "imageBytes", size: png(100, 90_000).base64.length, limit: 100_000 };
    expect(told?.parts).toEqual([{ what: "last-human-message", tokens: 0, over }]);
    expect(end.compactions).toHaveLength(1);
  },
);

const MIXED = CELLS.filter(({ through }) => through !== "session");
test.each(MIXED)("the oldest go, what stands beside them stays as it came: $wire, $place, $through", async (cell) => {
  const sound = cell.wire === "openai-chat" ? [audio(900)] : [];
  const mediaAt = (step: number) => [png(100 + step), ...sound];
  const end = await playMediaLoop({ ...cell, modelId: "m-test", steps: 20, mediaAt, media: { images: 10 } });
  const last = JSON.stringify(end.bodies.at(-1));
  const kept = Array.from({ length: 20 }, (_, step) => last.includes(png(100 + step).base64));
  // From some step on all are there, and before it none.
  expect(kept).toEqual(kept.map((_, step) => step >= kept.indexOf(true)));
  expect(kept.filter(Boolean).length).toBeGreaterThanOrEqual(6);
  expect(last.match(/cleared: 0 characters; handle/g)?.length).toBe(kept.indexOf(true) - (cell.place === "result" ? 1 : 0));
  if (sound.length > 0) expect(last.split(audio(900).base64).length - 1).toBe(cell.place === "result" ? 19 : 20);
});

const DROP_IN = { wire: "anthropic", place: "result", through: "drop-in", steps: STEPS } as const;
test.each<
  [string, Partial<MediaLoop> & Pick<MediaLoop, "mediaAt">, { readonly refused: number; readonly cuts: "some" | "none" }]
>([
  [
    "images at an address count as images",
    { modelId: "claude-test", mediaAt: () => [png(9), png(9)].map((each) => ({ ...each, url: "https://a.test/b.png" })) },
    { refused: 0, cuts: "some" },
  ],
  [
    "but have no bytes",
    { media: { bodyBytes: 60_000 }, mediaAt: () => [{ ...png(9, 9_000), url: "https://a.test/b.png" }] },
    { refused: 0, cuts: "none" },
  ],
  [
    "documents whose pages the server alone can count",
    { modelId: "claude-test", mediaAt: () => [pdf(8, 0, "packed")] },
    { refused: 1, cuts: "some" },
  ],
  [
    "a gateway that takes less than the catalogue says",
    { modelId: "claude-test", mediaAt: () => [png(100, 20_000)], media: { bodyBytes: 500_000 } },
    { refused: 1, cuts: "some" },
  ],
  [
    "a gateway that takes less than the text measures",
    { place: "said", mediaAt: () => [], text: "a word of many ".repeat(600), media: { bodyBytes: 300_000, words: "unnamed" } },
    { refused: 1, cuts: "some" },
  ],
])("%s", async (_, loop, { refused, cuts }) => {
  const end = await playMediaLoop({ ...DROP_IN, modelId: "m-test", media: undefined, ...loop });
  expect([end.refused.length, end.answered]).toEqual([refused, STEPS]);
  expect(end.compactions.length > 0 ? "some" : "none").toBe(cuts);
});
