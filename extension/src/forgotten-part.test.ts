import { type BenchExtension, type Importer, type Metric, type Peer, partsWith } from "@plimsoll/bench";
import { expect, test } from "vitest";
import { MINUTES } from "./parts/importer.ts";
import { SPOKEN } from "./parts/metric.ts";
import { HASTY } from "./parts/peer.ts";

// Each line below would not compile without the directive above it: a part that is forgotten is a type error.

const { recognises: _recognises, ...unrecognised } = MINUTES;
// @ts-expect-error: an importer says what it recognises
const importer: Importer = unrecognised;

const { pool: _pool, ...unpooled } = SPOKEN;
// @ts-expect-error: a metric says how sessions are put together
const metric: Metric = unpooled;

const { caveat: _caveat, ...uncautious } = SPOKEN.figures.replies;
// @ts-expect-error: a figure says what it does not say
const figure: Metric = { ...SPOKEN, figures: { replies: uncautious } };

const { notExpressed: _notExpressed, ...complete } = HASTY;
// @ts-expect-error: a peer says what its policy cannot
const peer: Peer = complete;

// @ts-expect-error: an extension has importers, metrics and peers
const extension: BenchExtension = { importer: [MINUTES] };

test("parts that are whole are taken", () => {
  expect([importer, metric, figure, peer, extension]).toHaveLength(5);
  expect(partsWith([{ importers: [MINUTES], metrics: [SPOKEN], peers: [HASTY] }]).metrics).toContain(SPOKEN);
});
