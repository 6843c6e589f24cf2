/** In CI the tests take all of their random cases, rounds and someRows rows, elsewhere fewer. */
export const isThorough = process.env['CI'] !== undefined && process.env['CI'] !== '';

const share = 4;

/** Random cases of a property, a quarter of them outside of CI. */
export function runs(count: number): number {
  return isThorough ? count : Math.ceil(count / share);
}

/** Rows of a long table, every n-th outside of CI. */
export function someRows<T>(rows: readonly T[], every = share): T[] {
  return isThorough ? [...rows] : rows.filter((_, index) => index % every === 0);
}
