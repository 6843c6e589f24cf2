import { disposerOf } from '../load-options.ts';
import type { PreTrainedModel, PreTrainedTokenizer, Processor, Tensor } from '@huggingface/transformers';
import type { TransformersPackage } from '../load-package.ts';
import { decodeCtc, type CtcToken } from '../../../core/audio/ctc.ts';
import {
  sampleRateHz,
  type RecognizedStretch,
  type StretchRecognizer,
} from '../../../categories/transcription/recognizer.ts';

export interface RecognizerParts {
  readonly model: PreTrainedModel;
  readonly processor: Processor;
  /** Creates the model's inputs. */
  readonly extract: (samples: Float32Array) => Promise<Readonly<Record<string, Tensor>>>;
  readonly tokenizer: PreTrainedTokenizer;
  readonly transformers: TransformersPackage;
}

/** Maximum duration in the training of these models. */
export const maxSeconds = 28;

/** Recognizes with CTC: wav2vec 2.0, HuBERT, WavLM, Parakeet and the like. */
export function createCtcRecognizer({ model, extract, tokenizer }: RecognizerParts): StretchRecognizer {
  const config = model.config as unknown as Readonly<Record<string, unknown>>;
  const blank = Number(config['pad_token_id'] ?? 0);
  const [delimiter] = tokenizer.convert_tokens_to_ids(['|']);
  const hasWordTimes = typeof delimiter === 'number' && delimiter !== tokenizer.unk_token_id;
  const special = new Set(tokenizer.all_special_ids);
  const decode = (ids: readonly number[]): string =>
    tokenizer.decode([...ids], { skip_special_tokens: true });

  return {
    maxSeconds,
    contextLength: 0,
    languages: [],
    abilities: new Set(hasWordTimes ? ['wordTimestamps'] : []),
    async recognize(samples) {
      const { logits } = (await model(await extract(samples))) as { readonly logits: Tensor };
      const [, frames = 0, vocabularySize = 0] = logits.dims;
      const path = decodeCtc(logits.to('float32').data as Float32Array, { frames, vocabularySize, blank });
      const tokens = path.tokens.filter(({ id }) => !special.has(id));
      const ids = tokens.map(({ id }) => id);
      const { averageLogprob } = path;
      // Their decoder would merge repeated letters, as in "hello".
      if (!hasWordTimes) return { text: decode(ids).trim(), tokens: ids, averageLogprob };
      const secondsPerFrame = frames === 0 ? 0 : samples.length / sampleRateHz / frames;
      const words = findWords(tokens, { delimiter, decode, secondsPerFrame });
      return { text: words.map(({ word }) => word).join(' '), tokens: ids, averageLogprob, words };
    },
    release: disposerOf(model),
  };
}

interface WordOptions {
  /** The token between words. */
  readonly delimiter: number;
  readonly decode: (ids: readonly number[]) => string;
  readonly secondsPerFrame: number;
}

function findWords(
  tokens: readonly CtcToken[],
  { delimiter, decode, secondsPerFrame }: WordOptions,
): NonNullable<RecognizedStretch['words']> {
  const groups: CtcToken[][] = [[]];
  for (const token of tokens) {
    if (token.id === delimiter) groups.push([]);
    else groups.at(-1)!.push(token);
  }
  return groups
    .filter((group) => group.length > 0)
    .map((group) => ({
      word: group.map(({ id }) => decode([id])).join(''),
      startSeconds: group[0]!.startFrame * secondsPerFrame,
      endSeconds: group.at(-1)!.endFrame * secondsPerFrame,
    }))
    .filter(({ word }) => word !== '');
}
