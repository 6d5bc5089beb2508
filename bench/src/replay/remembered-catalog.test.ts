import { MODEL_CATALOG } from "@plimsoll/providers";
import { expect, test } from "vitest";
import { rememberedCatalogs } from "./prepared-session.ts";

test("each model is looked up once, one without a price too, and each catalog has its own answers", () => {
  const asked: string[] = [];
  const watched = {
    ...MODEL_CATALOG,
    pricesOf: (modelId: string) => {
      asked.push(modelId);
      return MODEL_CATALOG.pricesOf(modelId);
    },
  };
  const remembered = rememberedCatalogs();
  const ids = ["claude-sonnet-4-5", "no-such-model", "claude-sonnet-4-5", "no-such-model"];
  for (const catalog of [remembered(watched), remembered(watched)])
    for (const id of ids) {
      expect(catalog.pricesOf(id)).toEqual(MODEL_CATALOG.pricesOf(id));
      expect(catalog.cacheRulesOf(id)).toEqual(MODEL_CATALOG.cacheRulesOf(id));
      expect(catalog.contextWindowOf(id)).toEqual(MODEL_CATALOG.contextWindowOf(id));
    }
  expect(asked).toEqual(ids.slice(0, 2));
  expect(remembered({ ...watched, pricesOf: () => null }).pricesOf("claude-sonnet-4-5")).toBeNull();
});
