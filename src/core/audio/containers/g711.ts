const aLawTable = Float32Array.from({ length: 256 }, (_, code) => toALawSample(code) / 2 ** 15);
const muLawTable = Float32Array.from({ length: 256 }, (_, code) => toMuLawSample(code) / 2 ** 15);

/** The sample of an A-law code. */
export function expandALaw(code: number): number {
  return aLawTable[code] ?? 0;
}

/** The sample of a µ-law code. */
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
