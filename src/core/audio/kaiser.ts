/**
 * The shape parameter β of a Kaiser window whose filter attenuates by `attenuationDb` beyond its transition.
 * @see J. F. Kaiser, Nonrecursive digital filter design using the I0-sinh window function (1974)
 */
export function kaiserBeta(attenuationDb: number): number {
  return 0.1102 * (attenuationDb - 8.7);
}

/** Length of that filter in samples; `transition` is the width of its transition divided by the sample rate. */
export function kaiserLength(attenuationDb: number, { transition }: { transition: number }): number {
  return (attenuationDb - 7.95) / (2.285 * 2 * Math.PI * transition);
}

/** The Kaiser window as a function of −1 to 1, 1 in the middle; 0 outside. */
export function kaiserWindow(beta: number): (place: number) => number {
  const scale = 1 / besselI0(beta);
  return (place) => (Math.abs(place) > 1 ? 0 : besselI0(beta * Math.sqrt(1 - place * place)) * scale);
}

/** The modified Bessel function of the first kind of order 0, by its power series. */
function besselI0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let index = 1; term > sum * 1e-17; index++) {
    term *= (x / (2 * index)) ** 2;
    sum += term;
  }
  return sum;
}
