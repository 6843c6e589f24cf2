/** In log noise: a shorter step has no significant digits left. */
const smallestStep = 1e-6;

/** Merges the ends of steps of length 0, since their last bits decide whether the step goes up or down. */
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

/** A model output at a noise level. */
export interface KnownOutput<Level> {
  readonly level: Level;
  readonly output: Float32Array;
}

/**
 * Prepends the newest output to the last ones, at most one per level, since a curve through two outputs of one level
 * has no slope.
 */
export function rememberOutput<Level>(
  known: readonly KnownOutput<Level>[],
  newest: KnownOutput<Level>,
  max: number,
): KnownOutput<Level>[] {
  const others = known.filter(({ level }) => level !== newest.level);
  return [{ ...newest, output: newest.output.slice() }, ...others].slice(0, max);
}
