/** The Lagrange basis: for each node the polynomial that is 1 there and 0 at the others. */
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
