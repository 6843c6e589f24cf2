const float32OfBits = createTable();

/**
 * Converts IEEE 754 half-precision bits to single precision.
 * @param bits one half-precision number per element
 * @param out receives the values; at least as long as `bits`
 */
export function float16ToFloat32Into(out: Float32Array, bits: Uint16Array): Float32Array {
  for (let index = 0; index < bits.length; index++) out[index] = float32OfBits[bits[index]!]!;
  return out;
}

/**
 * Converts single precision to IEEE 754 half-precision bits, to nearest, ties to even.
 * @param out receives the bits; at least as long as `values`
 */
export function float32ToFloat16Into(out: Uint16Array, values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let index = 0; index < values.length; index++) out[index] = toHalf(bits[index]!);
  return out;
}

function toHalf(single: number): number {
  const sign = (single >>> 16) & 0x8000;
  const magnitude = single & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // 65520, half-way between the largest number and its successor.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  const exponent = magnitude >>> 23;
  if (exponent >= 113) {
    const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
    return sign | ((rounded - (112 << 23)) >>> 13);
  }
  // Subnormal: in units of 2⁻²⁴.
  if (exponent < 102) return sign;
  const fraction = (magnitude & 0x7fffff) | 0x800000;
  const shift = 126 - exponent;
  const half = 1 << (shift - 1);
  return sign | ((fraction + half - 1 + ((fraction >>> shift) & 1)) >>> shift);
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
