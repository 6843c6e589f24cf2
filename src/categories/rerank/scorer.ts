import type { TextTokenizer, EncodedText } from '../../contracts/text-model.ts';
import type { SequenceEncoder } from '../../runtime/encoder/sequence-batcher.ts';

/** A loaded model that reads pairs of texts and gives each a logit, higher for more relevant: everything that the pipeline needs of it. */
export interface Scorer extends SequenceEncoder<EncodedText> {
  readonly tokenizer: TextTokenizer;
  /** Most tokens of a pair, special ones included. */
  readonly contextLength: number;
  /** Unix time in seconds of its files. */
  readonly created: number;
  release(): Promise<void>;
}
