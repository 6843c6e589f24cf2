/*
 * Every sampler once more, as the definitions read: sort, walk, cut. Slow and simple; the tests compare with it.
 * A distribution is a list of [token, logit].
 */
export type Distribution = readonly (readonly [token: number, logit: number])[];

const tolerance = 1e-6;

const descending = (distribution: Distribution): Distribution =>
  [...distribution].sort(([a, x], [b, y]) => y - x || a - b);

const ascending = (distribution: Distribution): Distribution => [...distribution].sort(([a], [b]) => a - b);

export function softmax(logits: readonly number[]): number[] {
  const largest = Math.max(...logits);
  const weights = logits.map((logit) => Math.exp(logit - largest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

const softmaxOf = (distribution: Distribution): number[] => softmax(distribution.map(([, logit]) => logit));

/** The prefix that reaches the share, one entry at least. */
function prefix(order: Distribution, weights: readonly number[], share: number): Distribution {
  let sum = 0;
  const end = weights.findIndex((weight) => (sum += weight) >= share);
  return ascending(end < 0 ? order : order.slice(0, end + 1));
}

export function topK(distribution: Distribution, k: number): Distribution {
  return k <= 0 ? distribution : ascending(descending(distribution).slice(0, k));
}

export function topP(distribution: Distribution, p: number): Distribution {
  if (p >= 1) return distribution;
  const order = descending(distribution);
  return prefix(order, softmaxOf(order), p * (1 - tolerance));
}

export function minP(distribution: Distribution, p: number): Distribution {
  if (p <= 0) return distribution;
  const bound = Math.max(...distribution.map(([, logit]) => logit)) + Math.log(p);
  const kept = distribution.filter(([, logit]) => logit >= bound);
  return kept.length > 0 ? kept : topK(distribution, 1);
}

export function typicalP(distribution: Distribution, p: number): Distribution {
  if (p >= 1) return distribution;
  const probabilities = softmaxOf(distribution);
  const surprises = probabilities.map((probability) => -Math.log(probability));
  const entropy = probabilities.reduce(
    (sum, probability, i) => sum + (probability > 0 ? probability * surprises[i]! : 0),
    0,
  );
  const order = distribution
    .map((entry, i) => ({ entry, score: Math.abs(surprises[i]! - entropy), probability: probabilities[i]! }))
    .sort((a, b) => a.score - b.score || a.entry[0] - b.entry[0]);
  return prefix(
    order.map(({ entry }) => entry),
    order.map(({ probability }) => probability),
    p * (1 + tolerance),
  );
}

export function tailFree(distribution: Distribution, z: number): Distribution {
  const n = distribution.length;
  if (z >= 1 || n <= 2) return distribution;
  const order = descending(distribution);
  const probabilities = softmaxOf(order);
  const first = probabilities.slice(0, -1).map((probability, i) => probability - probabilities[i + 1]!);
  const second = first.slice(0, -1).map((difference, i) => Math.abs(difference - first[i + 1]!));
  const total = second.reduce((sum, value) => sum + value, 0);
  let sum = 0;
  const cut = second.findIndex((value, i) => {
    sum += total > 1e-6 ? value / total : 1 / (n - 2);
    return sum > z * (1 + tolerance) && i >= 1;
  });
  return cut < 0 ? distribution : ascending(order.slice(0, cut));
}

export function penalties(
  distribution: Distribution,
  history: readonly number[],
  { repeat = 1, frequency = 0, presence = 0 },
): Distribution {
  const recent = history.slice(-64);
  return distribution.map(([token, logit]) => {
    const count = recent.filter((other) => other === token).length;
    if (count === 0) return [token, logit];
    return [token, (logit > 0 ? logit / repeat : logit * repeat) - count * frequency - presence];
  });
}

export function topNSigma(distribution: Distribution, n: number): Distribution {
  if (n <= 0) return distribution;
  const logits = distribution.map(([, logit]) => logit);
  const mean = logits.reduce((sum, logit) => sum + logit, 0) / logits.length;
  const variance = logits.reduce((sum, logit) => sum + (logit - mean) ** 2, 0) / logits.length;
  const bound = Math.max(...logits) - n * Math.sqrt(variance);
  return distribution.filter(([, logit]) => logit >= bound);
}

/** Of equals, a higher token counts as less likely. */
export function xtc(distribution: Distribution, threshold: number): Distribution {
  if (threshold > 0.5) return distribution;
  const order = descending(distribution);
  const top = softmaxOf(order).filter((probability) => probability >= threshold * (1 - tolerance)).length;
  return top < 2 ? distribution : ascending(order.slice(top - 1));
}

export function dynamicTemperature(
  distribution: Distribution,
  t: number,
  { range, exponent }: { readonly range: number; readonly exponent: number },
): Distribution {
  if (distribution.length <= 1) return distribution;
  const entropy = softmaxOf(distribution).reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);
  const lowest = Math.max(0, t - range);
  const share = entropy / Math.log(distribution.length);
  return temperature(distribution, lowest + (t + range - lowest) * share ** exponent);
}

/** Looks at every place of the history by itself. */
export function dry(
  distribution: Distribution,
  history: readonly number[],
  given: {
    readonly multiplier: number;
    readonly base: number;
    readonly allowedLength: number;
    readonly lastN: number;
    readonly breakers: readonly (readonly number[])[];
  },
): Distribution {
  const { multiplier, base, allowedLength, lastN, breakers } = given;
  const recent = lastN < 0 ? history : history.slice(Math.max(0, history.length - lastN));
  const { length } = recent;
  const endsWith = (end: number, sequence: readonly number[]): boolean =>
    end >= sequence.length && sequence.every((token, i) => recent[end - sequence.length + i] === token);
  // The sequence that begins last, and of those the longest.
  let reach = length;
  for (let start = length - 1; start >= 0 && reach === length; start--) {
    const ends = breakers
      .filter((breaker) => start + breaker.length <= length && endsWith(start + breaker.length, breaker))
      .map((breaker) => start + breaker.length);
    if (ends.length > 0) {
      reach = length - Math.max(...ends);
      break;
    }
  }
  const longest = new Map<number, number>();
  if (length > allowedLength && reach >= allowedLength) {
    for (let place = 1; place < length; place++) {
      let repeat = 0;
      while (repeat < place && recent[place - 1 - repeat] === recent[length - 1 - repeat]) repeat++;
      const counted = Math.min(repeat, reach);
      const token = recent[place]!;
      if (counted >= allowedLength) longest.set(token, Math.max(counted, longest.get(token) ?? 0));
    }
  }
  return distribution.map(([token, logit]) => {
    const repeat = longest.get(token);
    const isBreaker = breakers.some((breaker) => breaker.length === 1 && breaker[0] === token);
    if (repeat === undefined || isBreaker) return [token, logit];
    return [token, logit - multiplier * base ** (repeat - allowedLength)];
  });
}

export function temperature(distribution: Distribution, t: number): Distribution {
  if (t <= 0) return topK(distribution, 1);
  return distribution.map(([token, logit]) => [token, logit / t]);
}
