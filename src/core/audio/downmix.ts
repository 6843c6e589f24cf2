import { assertList } from '../assert-values.ts';
import { assertSamples } from './assert.ts';

/**
 * Mixes channels down to one: the mean over the channels for each sample.
 *
 * @param channels at least one, all of equal length: `channels[c][i]` is sample `i` of channel `c`
 * @returns one channel of that length, newly allocated
 * @throws TypeError for a channel that isn't a `Float32Array`
 * @throws RangeError without channels, and for channels of different lengths
 *
 * @example
 * ```ts
 * downmix([Float32Array.of(1, 0), Float32Array.of(0, -1)]); // [0.5, -0.5]
 * ```
 */
export function downmix(channels: readonly Float32Array[]): Float32Array {
  assertList('channels', channels);
  const [first, ...others] = channels;
  if (first === undefined) throw new RangeError('channels: expected at least one, got none');
  channels.forEach((channel, index) => {
    assertSamples(`channels[${index}]`, channel);
    if (channel.length !== first.length)
      throw new RangeError(`channels[${index}]: expected ${first.length} samples, got ${channel.length}`);
  });
  const mono = first.slice();
  if (others.length === 0) return mono;
  // Every sample is summed in double precision, with any number of channels.
  for (let index = 0; index < mono.length; index++) {
    let sum = first[index]!;
    for (const channel of others) sum += channel[index]!;
    mono[index] = sum / channels.length;
  }
  return mono;
}
