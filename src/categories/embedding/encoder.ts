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

/** A picture for a model whose texts and pictures have vectors that can be compared. */
export interface Picture {
  /** `[height × width × 3]`, red, green and blue from 0 to 255. */
  readonly pixels: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A loaded model that makes vectors: everything that the pipeline needs of it. */
export interface Encoder extends SequenceEncoder<TokenSequence> {
  readonly tokenizer: TextTokenizer;
  /** Ids below it exist; default: those of the tokenizer. */
  readonly vocabularySize?: number | undefined;
  /** Most tokens of one text, special ones included. */
  readonly contextLength: number;
  /** Numbers of one vector. */
  readonly dimensions: number;
  /** Lengths that its files allow vectors to be cut to; default none. */
  readonly matryoshkaDimensions?: VectorSizes['shorter'];
  /** Name → prefix of a text; default none. */
  readonly prompts?: ReadonlyMap<string, string>;
  /** Name of the prompt for requests that choose none. */
  readonly defaultPrompt?: string | undefined;
  /** Unix time in seconds of its files. */
  readonly created: number;
  /** Most pixels of a picture's longer side; left out by models that embed no pictures. */
  readonly maxSide?: number;
  /** @throws InferenceError `cancelled` */
  encodePicture?(picture: Picture, signal: AbortSignal | undefined): Promise<Float32Array>;
  release(): Promise<void>;
}

/**
 * Refuses token ids, unless the model takes them. Ids of another tokenizer look like any other and give vectors of a text that
 * nobody wrote: clients that count with OpenAI's vocabularies send such ids.
 */
export function assertTexts(
  { inputs }: { readonly inputs: readonly unknown[] },
  { tokenIds = false }: { readonly tokenIds?: boolean | undefined },
): void {
  if (tokenIds || inputs.every((input) => typeof input === 'string')) return;
  const reason =
    "expected texts, got token ids, which differ from model to model; send texts (LangChain's OpenAIEmbeddings: check_embedding_ctx_length=False), or let the model take ids of its own tokenizer by its setting tokenIds: true";
  throw fieldError('input', reason);
}
