import { createBlockCutter } from '../../core/audio/block-cutter.ts';
import { writeFlacHead } from '../../core/audio/containers/flac.ts';
import { createFlacEncoder, flacBlockLength } from '../../core/audio/flac/flac-encoder.ts';
import { breathe } from '../audio/breathe.ts';
import type { AudioEncoder } from './contract.ts';
import { toPcm } from './pcm.ts';

/** FLAC with 16 bits. Where the length is not known yet, the header leaves it open. */
export const flacEncoder: AudioEncoder = {
  format: 'flac',
  mediaType: 'audio/flac',
  async *encode(pieces, { sampleRateHz, isWhole, signal }) {
    const encode = createFlacEncoder({ sampleRateHz });
    const cutter = createBlockCutter(flacBlockLength);
    let isFirst = true;
    for await (const piece of pieces) {
      if (isFirst) {
        const samples = isWhole ? piece.length : undefined;
        yield writeFlacHead({ sampleRateHz, blockLength: flacBlockLength, samples });
      }
      isFirst = false;
      for (const block of cutter.push(piece)) {
        yield encode(toPcm(block));
        await breathe(signal);
      }
    }
    const rest = cutter.rest();
    if (rest.length > 0) yield encode(toPcm(rest));
  },
};
