import type { ArtifactStore } from "@plimsoll/core";
import { artifactHandle } from "@plimsoll/core/extend";
import { type ContractCase, ruled, sameOrThrow } from "./contract.ts";

/** Test cases that every artifact store must pass, for tests of your own store. */
export const ARTIFACT_STORE_CONTRACT: readonly ContractCase<ArtifactStore>[] = [
  keepsText("gives a text back", "one\ntwo\n"),
  keepsText("keeps the empty text", ""),
  keepsText("keeps text beyond the basic plane and line ends as they are", "a\r\nb\u2028 🦊 \u0000"),
  keepsText("keeps lone surrogates", "x\ud800y\udc00"),
  keepsText("keeps a text of a million characters", "0123456789".repeat(100_000)),
  ruled("names a text by its content", async (store) => {
    sameOrThrow("handle", await store.put("text"), artifactHandle("text"));
  }),
  ruled("stores the same text twice without a change", async (store) => {
    const [first, second] = await Promise.all([store.put("text"), store.put("text")]);
    sameOrThrow("second handle", second, first);
    sameOrThrow("text", await store.get(first), "text");
  }),
  ...["artifact:", `artifact:${"0".repeat(64)}`, "../../etc/passwd", "artifact:../../etc/passwd", "message-id"].map(
    (handle): ContractCase<ArtifactStore> => ({
      rule: `knows no ${handle}`,
      run: async (make) => sameOrThrow("text", await (await make()).get(handle), null),
    }),
  ),
];

function keepsText(rule: string, text: string): ContractCase<ArtifactStore> {
  return {
    rule,
    run: async (make) => {
      const store = await make();
      if ((await store.get(await store.put(text))) !== text) throw new Error("another text came back");
    },
  };
}
