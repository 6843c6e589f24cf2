import { toInt16, type AdpcmCodec } from './sample-layout.ts';

/** Each step is 1.1 times the previous one. The table is the standard's: no formula reproduces its rounding. */
const steps = Int16Array.from(
  [
    [7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88],
    [97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658],
    [724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660],
    [4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10_442, 11_487, 12_635, 13_899, 15_289],
    [16_818, 18_500, 20_350, 22_385, 24_623, 27_086, 29_794, 32_767],
  ].flat(),
);
const indexChanges = [-1, -1, -1, -1, 2, 4, 6, 8];
/** Consecutive samples of one channel. */
const groupFrames = 8;

/**
 * IMA ADPCM in the layout of WAV files: the first sample and its step, then eight samples per channel in turn.
 * @see Microsoft, Multimedia Data Standards Update (1994), DVI ADPCM Wave Type
 */
export function imaAdpcm(channels: number, blockBytes: number): AdpcmCodec {
  const headerBytes = 4 * channels;
  return {
    channels,
    blockBytes,
    headerBytes,
    framesOf: (bytes) => 1 + groupFrames * Math.floor(bytes / headerBytes),
    decodeBlock(block, outputs) {
      outputs.forEach((output, channel) => {
        let sample = block.getInt16(4 * channel, true);
        let index = Math.min(block.getUint8(4 * channel + 2), steps.length - 1);
        output[0] = sample;
        for (let frame = 1; frame < output.length; frame++) {
          const group = Math.floor((frame - 1) / groupFrames);
          const place = (frame - 1) % groupFrames;
          const byte = block.getUint8(headerBytes * (group + 1) + 4 * channel + (place >> 1));
          const code = place % 2 === 0 ? byte & 15 : byte >> 4;
          const step = steps[index]!;
          let change = step >> 3;
          if (code & 1) change += step >> 2;
          if (code & 2) change += step >> 1;
          if (code & 4) change += step;
          sample = toInt16(code & 8 ? sample - change : sample + change);
          index = Math.max(0, Math.min(steps.length - 1, index + indexChanges[code & 7]!));
          output[frame] = sample;
        }
      });
    },
  };
}

const adaptation = [230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230];
const minDelta = 16;
/** Weights of the two previous samples, in 256ths. */
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
 * Microsoft ADPCM: the two previous samples predict a sample, and its error has 4 bits.
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
          delta = Math.max(minDelta, ((adaptation[code]! * delta) << 8) >> 16);
          [before, last] = [last, sample];
          output[frame] = sample;
        }
      });
    },
  };
}
