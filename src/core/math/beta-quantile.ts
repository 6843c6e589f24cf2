export function symmetricBetaQuantile(share: number, shape: number): number {
  if (share > 0.5) return 1 - symmetricBetaQuantile(1 - share, shape);
  // Half of the distribution is below 0.5, which yields its constant.
  const goal = 2 * share * massBelow(0.5, shape);
  let low = 0;
  let high = 0.5;
  while (high - low > 1e-17) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (massBelow(middle, shape) < goal) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The incomplete beta function of equal parameters up to a constant, for x of at most one half, by its continued
 * fraction: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.5.8.
 */
function massBelow(x: number, shape: number): number {
  let fraction = 1;
  for (let m = fractionTerms; m >= 1; m--) {
    const even = (m * (shape - m) * x) / ((shape + 2 * m - 1) * (shape + 2 * m));
    const odd = (-(shape + m - 1) * (2 * shape + m - 1) * x) / ((shape + 2 * m - 2) * (shape + 2 * m - 1));
    fraction = 1 + odd / (1 + even / fraction);
  }
  return (x ** shape * (1 - x) ** shape) / fraction;
}

const fractionTerms = 40;
