import type { Architecture } from '../../contracts/architecture.ts';
import { groundingDino, owl } from './detection/architectures.ts';
import { clip, jinaClip, siglip } from './embedding/architectures.ts';
import { speechT5, supertonic, vits } from './speech/architectures.ts';
import { ctc, encoderDecoder } from './transcription/architectures.ts';

/** The architectures that the package opens, by category. */
export const transformersArchitectures: Readonly<Record<string, readonly Architecture[]>> = {
  transcription: [ctc, encoderDecoder],
  speech: [vits, speechT5, supertonic],
  detection: [owl, groundingDino],
  embedding: [clip, siglip, jinaClip],
};
