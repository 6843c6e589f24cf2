/** In CI the tests take all of their random cases and rounds, elsewhere fewer. */
export const isThorough = process.env['CI'] !== undefined && process.env['CI'] !== '';

/** Random cases of a property, half of them outside of CI. */
export function runs(count: number): number {
  return isThorough ? count : Math.ceil(count / 2);
}
