import type { Architecture } from '../../contracts/architecture.ts';
import { kokoro } from './architectures/kokoro/architecture.ts';
import { vits } from './architectures/vits/architecture.ts';
import type { SpeechSettings } from './settings.ts';
import type { Synthesizer } from './synthesizer.ts';

export const synthesizers: readonly Architecture<Synthesizer, SpeechSettings>[] = [kokoro, vits];
