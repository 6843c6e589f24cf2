import { describeValue } from '../../../../core/text/quote.ts';
import type { ModelFolder } from '../../../../contracts/text-model.ts';
import { readCount } from '../../../../folder/model-folder.ts';
import { sourceError } from '../../../../folder/model-files.ts';
import { createTextTokenizer } from '../../../../folder/tokenizer.ts';
import { decodeGreedily, maxTokensOf } from '../../../../runtime/decode-greedily.ts';
import { sampleRateHz, type RecognizedStretch } from '../../recognizer.ts';

/** Trained on shorter audio; longer audio yields repetitive text. */
const maxSeconds = 28;

export function createWriter(folder: ModelFolder) {
  const { config, generationConfig } = folder;
  const tokenizer = createTextTokenizer(folder);
  const setting = (name: string): unknown => generationConfig[name] ?? config[name];
  const start = setting('decoder_start_token_id') ?? setting('bos_token_id');
  if (typeof start !== 'number')
    throw sourceError(`config.json has decoder_start_token_id ${describeValue(start)}, expected a token`);
  const ends = new Set([setting('eos_token_id')].flat());
  const contextLength = readCount(config, 'max_position_embeddings');
  return {
    /** Properties of both kinds of recognizers. */
    traits: { maxSeconds, contextLength, languages: [], abilities: new Set<never>() },
    /** @param options.samples of the stretch */
    async write(
      next: (token: number) => Promise<Float32Array>,
      { samples, signal }: { readonly samples: number; readonly signal?: AbortSignal | undefined },
    ): Promise<RecognizedStretch> {
      const maxTokens = Math.min(contextLength, maxTokensOf(samples / sampleRateHz));
      const written = await decodeGreedily((token = start) => next(token), { ends, maxTokens, signal });
      const text = tokenizer.decode(written.tokens.filter((id) => !tokenizer.isSpecial(id))).trim();
      return { ...written, text };
    },
  };
}
