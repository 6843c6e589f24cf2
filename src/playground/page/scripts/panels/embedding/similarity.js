/**
 * * @param {readonly (readonly number[])[]} vectors
 * @returns {number[][]} pairwise cosines, -1 to 1
 */
export function similarities(vectors) {
  const lengths = vectors.map((vector) => Math.sqrt(dot(vector, vector)) || 1);
  return vectors.map((a, row) =>
    // Rounding may push a vector's cosine with itself above 1.
    vectors.map((b, column) => clamped(dot(a, b) / ((lengths[row] ?? 1) * (lengths[column] ?? 1)))),
  );
}

/**
 * * @param {readonly number[]} scores of one text
 * @param {number} self its own index
 * @returns {number} index of the nearest neighbor; -1 without one
 */
export function nearestTo(scores, self) {
  let best = -1;
  for (const [index, score] of scores.entries()) {
    if (index !== self && (best === -1 || score > (scores[best] ?? 0))) best = index;
  }
  return best;
}

/** @param {number} cosine */
function clamped(cosine) {
  return Math.min(1, Math.max(-1, cosine));
}

/** @param {readonly number[]} a @param {readonly number[]} b */
function dot(a, b) {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
