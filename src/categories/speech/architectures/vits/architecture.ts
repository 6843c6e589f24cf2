import type { Architecture } from '../../../../contracts/architecture.ts';
import { oneGraph, singleGraph } from '../../../../folder/model-files.ts';
import { isVoiceConfig } from '../../../../folder/source.ts';
import type { SpeechSettings } from '../../settings.ts';
import type { Synthesizer } from '../../synthesizer.ts';
import { piperGraph } from './files.ts';

/** VITS: Piper's voices, and MMS voices in Hugging Face's layout. */
export const vits: Architecture<Synthesizer, SpeechSettings> = {
  name: 'vits',
  modelTypes: ['vits'],
  recognize: ({ files }) => files.some(({ path }) => isVoiceConfig(path)),
  files: oneGraph(
    ['config.json', 'tokenizer.json', 'tokenizer_config.json', '*.onnx.json'],
    (files, dtype) => piperGraph(files) ?? singleGraph(files, dtype),
  ),
  open: async (spec, sessions) => (await import('./open-vits.ts')).openVits(spec, sessions),
};
