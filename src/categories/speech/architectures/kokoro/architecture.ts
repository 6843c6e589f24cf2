import type { Architecture } from '../../../../contracts/architecture.ts';
import { singleGraph, singleStems } from '../../../../folder/model-files.ts';
import type { SpeechSettings } from '../../settings.ts';
import type { Synthesizer } from '../../synthesizer.ts';

/** Kokoro: phonemes and a table of styles for each voice. */
export const kokoro: Architecture<Synthesizer, SpeechSettings> = {
  name: 'kokoro',
  modelTypes: ['style_text_to_speech_2'],
  recognize: ({ files }) => files.some(({ path }) => /^voices\/.+\.bin$/.test(path)),
  files: {
    small: ['config.json', 'tokenizer.json', 'voices/*.bin'],
    stems: singleStems,
    graphs: (files, dtype) => [singleGraph(files, dtype)],
  },
  open: async (spec, sessions) => (await import('./open-kokoro.ts')).openKokoro(spec, sessions),
};
