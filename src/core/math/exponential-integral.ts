/** ∫ p(u) eᵘ du between two bounds, by parts. */
export function exponentialIntegral(polynomial: readonly number[], from: number, to: number): number {
  // The polynomial q of the antiderivative q(u) eᵘ: q + q′ = p.
  const parts = [...polynomial];
  for (let power = parts.length - 2; power >= 0; power--) parts[power]! -= (power + 1) * parts[power + 1]!;
  const at = (u: number): number => Math.exp(u) * parts.reduceRight((sum, part) => sum * u + part, 0);
  return at(to) - at(from);
}
