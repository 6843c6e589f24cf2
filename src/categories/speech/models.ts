import type { CategoryModels } from '../../contracts/category.ts';
import type { Architecture } from '../../contracts/architecture.ts';
import { kokoro } from './architectures/kokoro/architecture.ts';
import { vits } from './architectures/vits/architecture.ts';
import type { SpeechSettings } from './settings.ts';
import type { Synthesizer } from './synthesizer.ts';

const synthesizers: readonly Architecture<Synthesizer, SpeechSettings>[] = [kokoro, vits];

export const speechModels = {
  name: 'speech',
  architectures: synthesizers,
  isStateless: false,
} satisfies CategoryModels<'speech'>;
