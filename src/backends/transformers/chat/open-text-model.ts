import { openModelFolder } from '../../../folder/model-folder.ts';
import { locateModel } from '../../../folder/source.ts';
import { createTextTokenizer } from '../../../folder/tokenizer.ts';
import type { ModelSpec } from '../../../contracts/model.ts';
import type { ChatSettings } from '../../../categories/chat/settings.ts';
import type { TextModel } from '../../../contracts/sessions.ts';
import { loadPart, toLoadOptions } from '../load-options.ts';
import { loadTransformersPackage } from '../load-package.ts';
import type { TransformersBackend } from '../settings.ts';
import { createCausalDecoder } from './causal-decoder.ts';
import { createSeq2SeqDecoder } from './seq2seq-decoder.ts';

/** Opens the language model of a folder; its decoder is loaded when it is asked for. */
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
  };
}
