import { normalizeInPlace } from '../../embedding/normalize.ts';
import { clusterByCentroids, renumber } from './cluster-by-centroids.ts';

/** One speaker of one window. */
export interface Voice {
  /** A vector of any length but 0; only its direction counts. */
  readonly embedding: Float32Array;
  /** Whether enough is heard of nobody else: others join a group, but make none. */
  readonly isClear: boolean;
}

/** The conditions under which voices are one speaker. */
export interface GroupingOptions {
  /** Distance of groups, as the chord between their directions, 0 to 2: at most so far apart they are one speaker. */
  readonly threshold: number;
  /** Voices that a group has at least, or a tenth of all, if that is fewer; smaller ones join the nearest. */
  readonly leastVoices: number;
  /** Most clear voices that are compared with each other: more of them are thinned out evenly. */
  readonly mostCompared: number;
}

/**
 * Tells which voices are those of one speaker: clear ones are clustered by centroid linkage, then each voice goes to the
 * nearest centroid by cosine. Where no voice is clear, all are clustered.
 * @see https://github.com/pyannote/pyannote-audio, `AgglomerativeClustering`, as version 3.1 of its pipeline uses it
 */
export function groupVoices(
  voices: readonly Voice[],
  { threshold, leastVoices, mostCompared }: GroupingOptions,
): Int32Array {
  const clear = voices.filter(({ isClear }) => isClear);
  const candidates = clear.length > 0 ? clear : voices;
  const share = Math.min(1, mostCompared / candidates.length);
  const compared = candidates.filter(
    (_, index) => Math.floor((index + 1) * share) > Math.floor(index * share),
  );
  const directions = compared.map(({ embedding }) => normalizeInPlace(embedding.slice()));
  const clusters = clusterByCentroids(directions, { threshold });

  const least = Math.min(leastVoices * share, Math.max(1, Math.round(0.1 * compared.length)));
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

/** @returns the mean vector of each cluster */
function meansOf(
  vectors: readonly Float32Array[],
  clusters: Int32Array,
  sizes: readonly number[],
): Float64Array[] {
  const means = sizes.map(() => new Float64Array(vectors[0]!.length));
  for (const [index, vector] of vectors.entries()) {
    const mean = means[clusters[index]!]!;
    for (let at = 0; at < vector.length; at++) mean[at]! += vector[at]! / sizes[clusters[index]!]!;
  }
  return means;
}

/** @returns the centroid with the highest cosine */
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
