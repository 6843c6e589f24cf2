const float32OfBits = createTable();

/**
 * Converts IEEE 754 half-precision bits to single precision.
 *
 * @param bits one half-precision number per element
 * @param out receives the values; at least as long as `bits`
 * @returns `out`
 *
 * @example
 * ```ts
 * float16ToFloat32Into(new Float32Array(1), Uint16Array.of(0x3c00))[0]; // 1
 * ```
 */
export function float16ToFloat32Into(out: Float32Array, bits: Uint16Array): Float32Array {
  for (let index = 0; index < bits.length; index++) out[index] = float32OfBits[bits[index]!]!;
  return out;
}

function createTable(): Float32Array {
  const table = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits++) {
    const sign = bits & 0x8000 ? -1 : 1;
    const exponent = (bits >> 10) & 31;
    const fraction = bits & 1023;
    if (exponent === 31) table[bits] = fraction === 0 ? sign * Infinity : NaN;
    else if (exponent === 0) table[bits] = sign * fraction * 2 ** -24;
    else table[bits] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return table;
}
