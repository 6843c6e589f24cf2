/**
 * Cuts a stream of mono samples into blocks of equal length, for encoders that take a fixed number of samples.
 * @param length samples per block
 */
export function createBlockCutter(length: number) {
  let block = new Float32Array(length);
  let filled = 0;
  return {
    /** @param samples the next samples, any number; not kept */
    *push(samples: Float32Array) {
      for (let at = 0; at < samples.length;) {
        const part = samples.subarray(at, at + length - filled);
        block.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled < length) return;
        yield block;
        block = new Float32Array(length);
        filled = 0;
      }
    },
    /** The samples after the last full block: zero or more, newly allocated. */
    rest: () => block.slice(0, filled),
  };
}
