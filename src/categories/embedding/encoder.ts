import { fieldError } from '../../errors.ts';
import type { VectorSizes } from '../../core/embedding/dimensions.ts';
import type { TextTokenizer } from '../../contracts/text-model.ts';
import type { SequenceEncoder } from '../../runtime/encoder/sequence-batcher.ts';

export interface TokenSequence {
  /** At least one. */
  readonly ids: readonly number[];
  /** Number of leading tokens that belong to a prompt. */
  readonly promptTokens: number;
}

/** For a model that embeds texts and images in the same space. */
export interface Picture {
  /** `[height × width × 3]`, red, green and blue from 0 to 255. */
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export interface Encoder extends SequenceEncoder<TokenSequence> {
  readonly tokenizer: TextTokenizer;
  /** Token ids are below it; default: the tokenizer's. */
  readonly vocabularySize?: number | undefined;
  /** Max tokens of a text, special tokens included. */
  readonly contextLength: number;
  readonly dimensions: number;
  /** Allowed truncated lengths of vectors; default: no truncation. */
  readonly matryoshkaDimensions?: VectorSizes['shorter'];
  /** Name → prefix of a text. */
  readonly prompts?: ReadonlyMap<string, string>;
  /** Name of the default prompt. */
  readonly defaultPrompt?: string | undefined;
  /** Unix time in seconds. */
  readonly created: number;
  /** Max pixels of an image's longer side; absent if the model embeds no images. */
  readonly maxSide?: number;
  /** @throws InferenceError `cancelled` */
  encodePicture?(picture: Picture, signal: AbortSignal | undefined): Promise<Float32Array>;
  release(): Promise<void>;
}

/** Clients that count with OpenAI's tokenizers send ids that would embed an unrelated text here. */
export function assertTexts(
  { inputs }: { readonly inputs: readonly unknown[] },
  { tokenIds = false }: { readonly tokenIds?: boolean | undefined },
): void {
  if (tokenIds || inputs.every((input) => typeof input === 'string')) return;
  const reason =
    "expected texts, got token ids, which differ between models; send texts (LangChain's OpenAIEmbeddings: check_embedding_ctx_length=False), or allow ids of the model's tokenizer with its setting tokenIds: true";
  throw fieldError('input', reason);
}
