import type { TextTokenizer, EncodedText } from '../../contracts/text-model.ts';
import type { SequenceEncoder } from '../../runtime/encoder/sequence-batcher.ts';

/** Returns a logit per pair of texts, higher for more relevant. */
export interface Scorer extends SequenceEncoder<EncodedText> {
  readonly tokenizer: TextTokenizer;
  /** Max tokens of a pair, special tokens included. */
  readonly contextLength: number;
  /** Unix time in seconds. */
  readonly created: number;
  release(): Promise<void>;
}
