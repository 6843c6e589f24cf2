import type { Architecture } from '../../../../contracts/architecture.ts';
import { hasClass } from '../../../../folder/model-files.ts';
import type { Recognizer } from '../../recognizer.ts';
import type { TranscriptionSettings } from '../../settings.ts';
import { whisperFiles } from './files.ts';

/** Whisper, and Lite-Whisper, which has the same inputs and outputs. */
export const whisper: Architecture<Recognizer, TranscriptionSettings> = {
  name: 'whisper',
  modelTypes: ['whisper', 'lite-whisper'],
  recognize: ({ config }) => hasClass(config, /^Whisper/),
  files: whisperFiles,
  open: async (spec, sessions) => (await import('./open-whisper.ts')).openWhisper(spec, sessions),
};
