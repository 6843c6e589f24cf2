const aLawTable = Float32Array.from({ length: 256 }, (_, code) => toALawSample(code) / 2 ** 15);
const muLawTable = Float32Array.from({ length: 256 }, (_, code) => toMuLawSample(code) / 2 ** 15);

/**
 * The sample of an A-law code.
 *
 * @param code 0 to 255
 * @returns within −1 to 1
 * @see ITU-T G.711
 *
 * @example
 * ```ts
 * expandALaw(0xd5); // 8 / 32768
 * ```
 */
export function expandALaw(code: number): number {
  return aLawTable[code] ?? 0;
}

/**
 * The sample of a µ-law code.
 *
 * @param code 0 to 255
 * @returns within −1 to 1
 * @see ITU-T G.711
 *
 * @example
 * ```ts
 * expandMuLaw(0xff); // 0
 * ```
 */
export function expandMuLaw(code: number): number {
  return muLawTable[code] ?? 0;
}

/** On the scale of 16 bits. */
function toALawSample(code: number): number {
  const bits = code ^ 0x55;
  const segment = (bits >> 4) & 7;
  const step = ((bits & 15) << 4) + 8;
  const magnitude = segment === 0 ? step : (step + 256) << (segment - 1);
  return bits & 0x80 ? magnitude : -magnitude;
}

/** On the scale of 16 bits. */
function toMuLawSample(code: number): number {
  const bits = ~code;
  const magnitude = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132;
  return bits & 0x80 ? -magnitude : magnitude;
}
