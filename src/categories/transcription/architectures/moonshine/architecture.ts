import type { Architecture } from '../../../../contracts/architecture.ts';
import type { Recognizer } from '../../recognizer.ts';
import { moonshineFiles, streamingFiles } from './files.ts';

/** Moonshine: an encoder of raw samples and a decoder. */
export const moonshine: Architecture<Recognizer> = {
  name: 'moonshine',
  modelTypes: ['moonshine'],
  files: moonshineFiles,
  open: async (spec, sessions) => (await import('./open-moonshine.ts')).openMoonshine(spec, sessions),
};

/** Moonshine's second generation, in its runtime's five graphs. */
export const moonshineStreaming: Architecture<Recognizer> = {
  name: 'moonshine-streaming',
  modelTypes: ['moonshine_streaming'],
  files: streamingFiles,
  open: async (spec, sessions) => (await import('./open-moonshine.ts')).openStreaming(spec, sessions),
};
