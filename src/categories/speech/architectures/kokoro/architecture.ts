import type { Architecture } from '../../../../contracts/architecture.ts';
import { oneGraph } from '../../../../folder/model-files.ts';
import type { SpeechSettings } from '../../settings.ts';
import type { Synthesizer } from '../../synthesizer.ts';

/** Kokoro: phonemes and a table of styles per voice. */
export const kokoro: Architecture<Synthesizer, SpeechSettings> = {
  name: 'kokoro',
  modelTypes: ['style_text_to_speech_2'],
  recognize: ({ files }) => files.some(({ path }) => /^voices\/.+\.bin$/.test(path)),
  files: oneGraph(['config.json', 'tokenizer.json', 'voices/*.bin']),
  open: async (spec, sessions) => (await import('./open-kokoro.ts')).openKokoro(spec, sessions),
};
