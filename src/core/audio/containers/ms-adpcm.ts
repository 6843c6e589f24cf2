import { toInt16, type AdpcmCodec } from './sample-layout.ts';

const adaptation = [230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230];
const leastDelta = 16;
/** Weights of the two samples before, in 256ths. */
const predictors = [
  [256, 0],
  [512, -256],
  [0, 0],
  [192, 64],
  [240, 0],
  [460, -208],
  [392, -232],
] as const;

/**
 * Microsoft ADPCM: a sample is predicted by the two before it, and its error has 4 bits.
 * @see Microsoft, Multimedia Data Standards Update (1994), ADPCM Wave Type
 */
export function msAdpcm(channels: number, blockBytes: number): AdpcmCodec {
  const headerBytes = 7 * channels;
  return {
    channels,
    blockBytes,
    headerBytes,
    framesOf: (bytes) => 2 + Math.floor((2 * bytes) / channels),
    decodeBlock(block, outputs) {
      outputs.forEach((output, channel) => {
        const [first, second] = predictors[block.getUint8(channel)] ?? [0, 0];
        const wordAt = (place: number): number =>
          block.getInt16(channels * (1 + 2 * place) + 2 * channel, true);
        let [delta, last, before] = [wordAt(0), wordAt(1), wordAt(2)];
        output.set([before, last].slice(0, output.length));
        for (let frame = 2; frame < output.length; frame++) {
          const place = (frame - 2) * channels + channel;
          const byte = block.getUint8(headerBytes + (place >> 1));
          const code = place % 2 === 0 ? byte >> 4 : byte & 15;
          const error = code < 8 ? code : code - 16;
          const sample = toInt16(((last * first + before * second) >> 8) + error * delta);
          // The state has 16 bits, as in the header of a block.
          delta = Math.max(leastDelta, ((adaptation[code]! * delta) << 8) >> 16);
          [before, last] = [last, sample];
          output[frame] = sample;
        }
      });
    },
  };
}
