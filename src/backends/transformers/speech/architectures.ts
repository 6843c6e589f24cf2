import type { Synthesizer } from '../../../categories/speech/synthesizer.ts';
import type { Architecture } from '../../../contracts/architecture.ts';
import { transformersFiles } from '../files.ts';

/** VITS and the voices of MMS. */
export const vits = architecture('vits', 'loadVits');

/** SpeechT5 with its vocoder. */
export const speechT5 = architecture('speecht5', 'loadSpeechT5');

/** Supertonic. */
export const supertonic = architecture('supertonic', 'loadSupertonic');

function architecture(
  name: string,
  load: 'loadVits' | 'loadSpeechT5' | 'loadSupertonic',
): Architecture<Synthesizer> {
  return {
    name,
    modelTypes: [name],
    files: transformersFiles,
    async open(spec) {
      const loaders = await import('./open-synthesizer.ts');
      return loaders.openSynthesizer(spec, loaders[load]);
    },
  };
}
