/** In the logarithm of the noise: a shorter step has no digits left for its length. */
const smallestStep = 1e-6;

/** Makes the ends of a step that has no length one level, since their last bits decide whether it leads up or down. */
export function joinEqualLevels<Level>(
  levels: readonly Level[],
  logarithmOf: (level: Level) => number,
): Level[] {
  let last = levels[0] as Level;
  let logarithm = logarithmOf(last);
  return levels.map((level) => {
    const own = logarithmOf(level);
    if (own !== logarithm && !(Math.abs(own - logarithm) < smallestStep)) [last, logarithm] = [level, own];
    return last;
  });
}

/** The output of a model at a noise level. */
export interface KnownOutput<Level> {
  readonly level: Level;
  readonly output: Float32Array;
}

/** The last outputs, newest first, with a copy of one more: each level has one, since a curve through two has no slope. */
export function rememberOutput<Level>(
  known: readonly KnownOutput<Level>[],
  newest: KnownOutput<Level>,
  max: number,
): KnownOutput<Level>[] {
  const others = known.filter(({ level }) => level !== newest.level);
  return [{ ...newest, output: newest.output.slice() }, ...others].slice(0, max);
}
