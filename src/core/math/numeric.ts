/** Rounds like numerical libraries: 0.5 → 0, 1.5 → 2, 2.5 → 2. */
export function roundHalfToEven(value: number): number {
  const nearest = Math.round(value);
  return nearest - value === 0.5 && nearest % 2 !== 0 ? nearest - 1 : nearest;
}

export function rounded(value: number, decimals: number): number {
  return Math.round(value * 10 ** decimals) / 10 ** decimals;
}

/** ∫ p(u) eᵘ du between two bounds, by parts. */
export function exponentialIntegral(polynomial: readonly number[], from: number, to: number): number {
  // The polynomial q of the antiderivative q(u) eᵘ: q + q′ = p.
  const parts = [...polynomial];
  for (let power = parts.length - 2; power >= 0; power--) parts[power]! -= (power + 1) * parts[power + 1]!;
  const at = (u: number): number => Math.exp(u) * parts.reduceRight((sum, part) => sum * u + part, 0);
  return at(to) - at(from);
}

/** The Lagrange basis: for each node, the polynomial that is 1 there and 0 at the remaining nodes. */
export function lagrangeBasis(nodes: readonly number[]): number[][] {
  return nodes.map((node, index) => {
    let polynomial = [1];
    for (const other of nodes.toSpliced(index, 1)) {
      const [scale, lower] = [1 / (node - other), polynomial];
      polynomial = [0, ...lower].map((raised, power) => scale * (raised - other * (lower[power] ?? 0)));
    }
    return polynomial;
  });
}

/** sin(πx) / πx */
export function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** A quantile with linear interpolation; `undefined` without values. */
export function quantile(values: ArrayLike<number>, share: number): number | undefined {
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  return below === undefined || above === undefined ? undefined : below + (above - below) * (place % 1);
}
