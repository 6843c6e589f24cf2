/**
 * The Lagrange basis: for each node the polynomial that is 1 there and 0 at the others.
 *
 * @param nodes different numbers, at least one
 * @returns by node, the coefficients of its polynomial from the constant up
 *
 * @example
 * ```ts
 * lagrangeBasis([0, 2]); // [[1, -0.5], [0, 0.5]]
 * ```
 */
export function lagrangeBasis(nodes: readonly number[]): number[][] {
  return nodes.map((node, index) =>
    nodes
      .filter((_, at) => at !== index)
      .reduce<number[]>(
        (polynomial, other) => {
          const scale = 1 / (node - other);
          return [0]
            .concat(polynomial)
            .map((raised, power) => scale * (raised - other * (polynomial[power] ?? 0)));
        },
        [1],
      ),
  );
}
