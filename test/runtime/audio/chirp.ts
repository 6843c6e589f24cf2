/** Of the files in `media/`. */
export const chirpSeconds = 1.2;

/** The chirp that the files in `media/` hold: from 300 Hz up to 3.3 kHz, getting louder and softer. */
export function chirp(sampleRateHz: number): Float32Array {
  return Float32Array.from({ length: Math.round(chirpSeconds * sampleRateHz) }, (_, index) => {
    const time = index / sampleRateHz;
    const loudness = 0.1 + 0.5 * Math.sin(2.5 * Math.PI * time) ** 2;
    return loudness * Math.sin(2 * Math.PI * (300 * time + 1250 * time * time));
  });
}

/** How alike two signals are, whatever their loudness: 1 for equal ones. */
export function correlation(a: Float32Array, b: Float32Array, lag = 0, step = 1): number {
  let [product, squaresA, squaresB] = [0, 0, 0];
  for (let index = 0; index < a.length; index += step) {
    const [x, y] = [a[index]!, b[index + lag] ?? 0];
    product += x * y;
    squaresA += x * x;
    squaresB += y * y;
  }
  return product / Math.sqrt(squaresA * squaresB);
}

/** By how many samples `b` is late against `a`: where they are most alike. */
export function delay(a: Float32Array, b: Float32Array, maxLag = 400): number {
  let [best, found] = [-Infinity, 0];
  for (let lag = -maxLag; lag <= maxLag; lag++) {
    const alike = correlation(a, b, lag, 5);
    if (alike > best) [best, found] = [alike, lag];
  }
  return found;
}
