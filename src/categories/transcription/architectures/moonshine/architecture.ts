import type { Architecture } from '../../../../contracts/architecture.ts';
import type { Recognizer } from '../../recognizer.ts';
import { moonshineFiles } from './files.ts';

/** Moonshine: an encoder that reads samples, and a decoder. */
export const moonshine: Architecture<Recognizer> = {
  name: 'moonshine',
  modelTypes: ['moonshine'],
  files: moonshineFiles,
  open: async (spec, sessions) => (await import('./open-moonshine.ts')).openMoonshine(spec, sessions),
};
