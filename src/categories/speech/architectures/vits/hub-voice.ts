import { join } from 'node:path';
import type { ModelSpec } from '../../../../contracts/model.ts';
import { describeValue } from '../../../../core/text/quote.ts';
import { localFiles } from '../../../../folder/graph-files.ts';
import { singleGraph, sourceError } from '../../../../folder/model-files.ts';
import { readJson } from '../../../../folder/model-folder.ts';
import { locateModel } from '../../../../folder/source.ts';
import { createTextTokenizer } from '../../../../folder/tokenizer.ts';
import { preparationOf } from '../../pipeline/readers.ts';
import type { SpeechSettings } from '../../settings.ts';
import type { VitsVoice } from './vits-voice.ts';

/** Reads a VITS in Hugging Face's layout, whose symbols are the characters of a text. */
export async function openHubVoice({ source, dtype }: ModelSpec<SpeechSettings>): Promise<VitsVoice> {
  const path = locateModel(source);
  const config = await readJson(path, 'config.json');
  const tokenizerConfig = await readJson(path, 'tokenizer_config.json', {});
  const { encode } = createTextTokenizer({
    tokenizer: await readJson(path, 'tokenizer.json'),
    tokenizerConfig,
  });
  for (const name of ['phonemize', 'is_uroman']) {
    if (tokenizerConfig[name] === true) {
      throw sourceError(`expected characters as symbols, got "${name}": true in tokenizer_config.json`);
    }
  }
  const { sampling_rate: sampleRateHz, num_speakers: speakers = 1 } = config;
  if (typeof sampleRateHz !== 'number' || !(sampleRateHz > 0)) {
    throw sourceError(`sampling_rate in config.json: expected hertz, got ${describeValue(sampleRateHz)}`);
  }
  if (speakers !== 1)
    throw sourceError(`num_speakers in config.json: expected 1, got ${describeValue(speakers)}`);
  const language = toLanguage(tokenizerConfig['language']);
  return {
    graph: join(path, singleGraph(localFiles(path), dtype)),
    sampleRateHz,
    voices: [{ id: 'default', name: 'default', language }],
    speakers: new Map(),
    scales: { noise: 0, length: 1, durationNoise: 0 },
    prepare: preparationOf(language),
    pronounce: (sentence) => sentence,
    knows: (symbol) => encode(symbol).length > 0,
    hasPlaces: false,
    toIds: (symbols) => ({ ids: encode(symbols) }),
  };
}

/** ISO 639-3, such as `eng`, in BCP 47; undetermined where it is none. */
function toLanguage(code: unknown): string {
  return /^[a-z]{2,3}$/.test(String(code)) ? Intl.getCanonicalLocales(String(code))[0]! : 'und';
}
