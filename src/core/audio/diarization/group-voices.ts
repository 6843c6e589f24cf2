import { normalizeInPlace } from '../../embedding/normalize.ts';
import { clusterByCentroids, renumber } from './cluster-by-centroids.ts';

/** One speaker of one window. */
export interface Voice {
  /** A vector of any length except 0; only its direction matters. */
  readonly embedding: Float32Array;
  /** Whether enough speech without overlap was heard: only clear voices form groups, the rest join one. */
  readonly isClear: boolean;
}

export interface GroupingOptions {
  /** Maximum distance between groups of one speaker, as the chord between their directions, 0 to 2. */
  readonly threshold: number;
  /** Minimum voices of a group, or a tenth of all if that is fewer; voices of smaller groups join the nearest group. */
  readonly minVoices: number;
  /** Maximum clear voices to compare; beyond it, they are thinned out evenly. */
  readonly maxCompared: number;
}

/**
 * Groups voices by speaker: clear voices are clustered by centroid linkage, then each voice joins the nearest centroid
 * by cosine. If no voice is clear, all are clustered.
 * @see https://github.com/pyannote/pyannote-audio, `AgglomerativeClustering`, as used by version 3.1 of its pipeline
 */
export function groupVoices(
  voices: readonly Voice[],
  { threshold, minVoices, maxCompared }: GroupingOptions,
): Int32Array {
  const clear = voices.filter(({ isClear }) => isClear);
  const candidates = clear.length > 0 ? clear : voices;
  const share = Math.min(1, maxCompared / candidates.length);
  const compared = candidates.filter(
    (_, index) => Math.floor((index + 1) * share) > Math.floor(index * share),
  );
  const directions = compared.map(({ embedding }) => normalizeInPlace(embedding.slice()));
  const clusters = clusterByCentroids(directions, { threshold });

  const least = Math.min(minVoices * share, Math.max(1, Math.round(0.1 * compared.length)));
  const sizes: number[] = [];
  for (const cluster of clusters) sizes[cluster] = (sizes[cluster] ?? 0) + 1;
  const isLarge = sizes.map((size) => size >= least);
  if (!isLarge.includes(true)) return new Int32Array(voices.length);

  const means = meansOf(directions, clusters, sizes);
  const large = means.filter((_, cluster) => isLarge[cluster]);
  const joined = means.map((mean) => nearest(mean, large));
  const groups = clusters.map((cluster) => joined[cluster]!);
  const counts = large.map((_, group) => groups.reduce((sum, one) => sum + Number(one === group), 0));
  const centroids = meansOf(
    compared.map(({ embedding }) => embedding),
    groups,
    counts,
  );
  return renumber(Int32Array.from(voices, ({ embedding }) => nearest(embedding, centroids)));
}

function meansOf(vectors: readonly Float32Array[], clusters: Int32Array, sizes: readonly number[]) {
  const means = sizes.map(() => new Float64Array(vectors[0]!.length));
  for (const [index, vector] of vectors.entries()) {
    const mean = means[clusters[index]!]!;
    for (let at = 0; at < vector.length; at++) mean[at]! += vector[at]! / sizes[clusters[index]!]!;
  }
  return means;
}

/** @returns the index of the centroid with the highest cosine */
function nearest(vector: Float32Array | Float64Array, centroids: readonly Float64Array[]): number {
  let best = 0;
  let highest = -Infinity;
  for (const [index, centroid] of centroids.entries()) {
    let product = 0;
    let squares = 0;
    for (let at = 0; at < centroid.length; at++) {
      product += centroid[at]! * vector[at]!;
      squares += centroid[at]! ** 2;
    }
    const cosine = product / Math.sqrt(squares);
    if (cosine > highest) [best, highest] = [index, cosine];
  }
  return best;
}
