/**
 * @param {readonly (readonly number[])[]} vectors
 * @returns {number[][]} cosine of each with each, from -1 to 1
 */
export function similarities(vectors) {
  const lengths = vectors.map((vector) => Math.sqrt(dot(vector, vector)) || 1);
  return vectors.map((a, row) =>
    // Rounding may take the cosine of a vector with itself beyond one.
    vectors.map((b, column) => clamped(dot(a, b) / ((lengths[row] ?? 1) * (lengths[column] ?? 1)))),
  );
}

/**
 * @param {readonly number[]} scores of one with each
 * @param {number} self its own place
 * @returns {number} the place of the nearest other one; -1 if there is none
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
