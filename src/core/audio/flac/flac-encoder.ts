import { crc16, crc8 } from '../containers/crc.ts';
import { BitWriter } from './bit-writer.ts';
import { coefficientBits, createLinearPrediction } from './linear-prediction.ts';
import { fixedPredictions, type Prediction, residualInto } from './prediction.ts';
import { createRicePlan, createRicePlanner, type RicePlan, writeRice } from './rice-coding.ts';

/** Samples of every block but the last, which may have fewer. */
export const flacBlockLength = 4096;

/** Most bytes of a frame beside its samples. */
const maxOverheadBytes = 24;
const maxRateHz = 2 ** 20 - 1;
/** Higher rates are only in the beginning of the file. */
const maxFrameRateHz = 2 ** 16 - 1;
const sampleBits = 16;
/** Bits that describe a linear prediction, beside its coefficients. */
const precisionBits = 4;
const shiftBits = 5;

/** How a block may be written. */
interface Candidate {
  prediction: Prediction;
  readonly residual: Int32Array;
  readonly plan: RicePlan;
}

/**
 * Makes an encoder of mono FLAC with 16 bits, which takes a recording block by block. Of each block it writes one value, or what a
 * prediction misses, by fixed polynomials or a linear one, in partitioned Rice codes; or the samples as they are, where that is shorter.
 *
 * @returns a function from a block of 1 to 4,096 samples to its frame, newly allocated; only the last block may have fewer than 4,096.
 * It throws `RangeError` for blocks of other lengths
 * @throws RangeError unless the rate is an integer from 1 to 1,048,575
 * @see RFC 9639 §9; `writeFlacHead` writes the beginning of the file
 *
 * @example
 * ```ts
 * const encode = createFlacEncoder({ sampleRateHz: 24_000 });
 * encode(new Int16Array(4096)).length; // 13
 * ```
 */
export function createFlacEncoder({
  sampleRateHz,
}: {
  readonly sampleRateHz: number;
}): (samples: Int16Array) => Uint8Array {
  if (!Number.isInteger(sampleRateHz) || sampleRateHz < 1 || sampleRateHz > maxRateHz) {
    throw new RangeError(`sampleRateHz: expected an integer from 1 to ${maxRateHz}, got ${sampleRateHz}`);
  }
  const hasRate = sampleRateHz <= maxFrameRateHz;
  const writer = new BitWriter(flacBlockLength * (sampleBits / 8) + maxOverheadBytes);
  const findLinear = createLinearPrediction(flacBlockLength);
  const planInto = createRicePlanner();
  const createCandidate = (): Candidate => ({
    prediction: fixedPredictions[0]!,
    residual: new Int32Array(flacBlockLength),
    plan: createRicePlan(),
  });
  let tried = createCandidate();
  let best = createCandidate();
  let frames = 0;

  const writeHeader = (length: number): void => {
    const isFull = length === flacBlockLength;
    // The sync code of files whose blocks have one length, and that length, or that it follows.
    writer.write(0xfff8, 16);
    writer.write(isFull ? 12 : 7, 4);
    // The rate follows in Hz, or doesn't; one channel, 16 bits.
    writer.write(hasRate ? 0xd : 0, 4);
    writer.write(0x08, 8);
    writeFrameNumber(writer, frames);
    if (!isFull) writer.write(length - 1, 16);
    if (hasRate) writer.write(sampleRateHz, 16);
    writer.write(crc8(writer.finish()), 8);
  };

  /** Leaves in `best` what takes the fewest bits. @returns whether that is fewer than the samples take as they are */
  const choose = (samples: Int16Array): boolean => {
    let fewest = samples.length * sampleBits;
    const linear = findLinear(samples);
    for (const prediction of linear ? [...fixedPredictions, linear] : fixedPredictions) {
      const order = prediction.coefficients.length;
      if (order >= samples.length) continue;
      residualInto(tried.residual, samples, prediction);
      planInto(tried.plan, tried.residual.subarray(0, samples.length), order);
      const ofCoefficients = prediction === linear ? precisionBits + shiftBits + order * coefficientBits : 0;
      const bits = order * sampleBits + ofCoefficients + tried.plan.bits;
      if (bits >= fewest) continue;
      fewest = bits;
      tried.prediction = prediction;
      [tried, best] = [best, tried];
    }
    return fewest < samples.length * sampleBits;
  };

  const writeBest = (samples: Int16Array): void => {
    const { coefficients, shift } = best.prediction;
    const order = coefficients.length;
    const isFixed = fixedPredictions.includes(best.prediction);
    writeSubframeType(writer, isFixed ? 8 + order : 32 + order - 1);
    writeSamples(writer, samples, order);
    if (!isFixed) {
      writer.write(coefficientBits - 1, precisionBits);
      writer.write(shift, shiftBits);
      for (let at = 0; at < order; at++) writer.write(coefficients[at]!, coefficientBits);
    }
    writeRice(writer, best.residual.subarray(0, samples.length), order, best.plan);
  };

  return (samples) => {
    const { length } = samples;
    if (length < 1 || length > flacBlockLength) {
      throw new RangeError(`samples: expected 1 to ${flacBlockLength} of them, got ${length}`);
    }
    writer.clear();
    writeHeader(length);
    if (samples.every((sample) => sample === samples[0])) {
      writeSubframeType(writer, 0);
      writeSamples(writer, samples, 1);
    } else if (choose(samples)) {
      writeBest(samples);
    } else {
      writeSubframeType(writer, 1);
      writeSamples(writer, samples, length);
    }
    writer.write(crc16(writer.finish()), 16);
    frames++;
    return writer.finish().slice();
  };
}

function writeSubframeType(writer: BitWriter, type: number): void {
  writer.write(type << 1, 8);
}

function writeSamples(writer: BitWriter, samples: Int16Array, length: number): void {
  for (let at = 0; at < length; at++) writer.write(samples[at]!, sampleBits);
}

/** Writes a number as UTF-8 would, which goes on to 31 bits here. */
function writeFrameNumber(writer: BitWriter, frame: number): void {
  if (frame < 0x80) return writer.write(frame, 8);
  let following = 1;
  while (frame >= 2 ** (5 * following + 6)) following++;
  writer.write(((0xff << (7 - following)) & 0xff) | (frame >> (6 * following)), 8);
  for (let at = following - 1; at >= 0; at--) writer.write(0x80 | ((frame >> (6 * at)) & 0x3f), 8);
}
