import { fieldError } from '../../../errors.ts';
import { openModelFolder, type ModelFolder } from '../../../models/model-folder.ts';
import { locateModel } from '../../../models/source.ts';
import { createTextTokenizer } from '../../../models/tokenizer.ts';
import type { ModelSpec } from '../../../categories/contract.ts';
import type { ChatSettings } from '../../../categories/chat/settings.ts';
import type { TextModel } from '../../contract.ts';
import { loadPart, toLoadOptions } from '../load-options.ts';
import { loadTransformersPackage } from '../load-package.ts';
import type { TransformersBackend } from '../settings.ts';
import { createCausalDecoder } from './causal-decoder.ts';
import { createSeq2SeqDecoder } from './seq2seq-decoder.ts';

/** Names of the context length in configs. */
const lengthNames = ['max_position_embeddings', 'n_positions', 'max_seq_len', 'seq_length', 'n_ctx'];

/**
 * Opens the language model of a folder; its decoder is loaded when it is asked for.
 *
 * @throws InferenceError `invalid_request` where the package doesn't know its architecture or can't load its files
 */
export async function openTextModel(spec: ModelSpec<ChatSettings>): Promise<TextModel> {
  const transformers = await loadTransformersPackage();
  const path = locateModel(spec.source);
  const folder = await openModelFolder(path);
  const options = toLoadOptions(path, spec);
  const tokenizer = createTextTokenizer(folder);
  const { decoderPrompt = '' } = spec.backend as TransformersBackend;
  return {
    folder,
    tokenizer,
    contextLength: spec.contextLength ?? readContextLength(folder),
    mostRows: 1,
    openDecoder: () =>
      loadPart(async () => {
        if (folder.config['is_encoder_decoder'] === true) {
          const model = await transformers.AutoModelForSeq2SeqLM.from_pretrained(path, options);
          const prompt = tokenizer.encode(decoderPrompt);
          return createSeq2SeqDecoder(model, transformers, { frame: tokenizer.frame, prompt });
        }
        const model = await transformers.AutoModelForCausalLM.from_pretrained(path, options);
        return createCausalDecoder(model, transformers);
      }),
    openEncoder: () => {
      throw fieldError('backend', 'the backend transformers() makes no vectors by language models');
    },
    release: async () => {},
  };
}

function readContextLength({ config }: ModelFolder): number {
  const text = (config['text_config'] ?? config) as Readonly<Record<string, unknown>>;
  const length = lengthNames
    .map((name) => text[name])
    .find((value) => typeof value === 'number' && value > 0);
  if (typeof length === 'number') return length;
  throw fieldError(
    'contextLength',
    `config.json has none of ${lengthNames.join(', ')}, so it has to be given`,
  );
}
