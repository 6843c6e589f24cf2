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

export function temperature(distribution: Distribution, t: number): Distribution {
  if (t <= 0) return topK(distribution, 1);
  return distribution.map(([token, logit]) => [token, logit / t]);
}
