import { getOrCreate } from '../../get-or-create.ts';

/**
 * Merges the two clusters with the nearest centroids, until no pair is within the threshold.
 * @see D. Müllner, Modern hierarchical, agglomerative clustering algorithms (2011), section 3.3
 */
export function clusterByCentroids(
  vectors: readonly Float32Array[],
  { threshold }: { threshold: number },
): Int32Array {
  const count = vectors.length;
  const distances = new Float64Array((count * (count - 1)) / 2);
  /** Index of the squared distance between two clusters. */
  const placeOf = (a: number, b: number): number => {
    const [low, high] = a < b ? [a, b] : [b, a];
    return low * count - (low * (low + 3)) / 2 + high - 1;
  };
  const sizes = new Int32Array(count).fill(1);
  /** For each cluster, the nearest cluster with a higher number. */
  const nearest = new Int32Array(count).fill(-1);
  const least = new Float64Array(count).fill(Infinity);
  const labels = Int32Array.from(vectors, (_, index) => index);

  const findNearest = (of: number): void => {
    nearest[of] = -1;
    least[of] = Infinity;
    for (let other = of + 1; other < count; other++) {
      if (sizes[other] === 0) continue;
      const distance = distances[placeOf(of, other)]!;
      if (distance < least[of]!) [nearest[of], least[of]] = [other, distance];
    }
  };

  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) distances[placeOf(a, b)] = squaredDistance(vectors[a]!, vectors[b]!);
  }
  for (let index = 0; index < count; index++) findNearest(index);

  for (;;) {
    let gone = -1;
    for (let index = 0; index < count; index++) {
      if (nearest[index]! >= 0 && (gone < 0 || least[index]! < least[gone]!)) gone = index;
    }
    if (gone < 0 || Math.sqrt(least[gone]!) > threshold) break;
    const kept = nearest[gone]!;
    const between = least[gone]!;
    const [goneSize, keptSize] = [sizes[gone]!, sizes[kept]!];
    const size = goneSize + keptSize;
    sizes[gone] = 0;
    sizes[kept] = size;
    nearest[gone] = -1;
    for (let index = 0; index < count; index++) if (labels[index] === gone) labels[index] = kept;
    for (let other = 0; other < count; other++) {
      if (sizes[other] === 0 || other === kept) continue;
      const place = placeOf(kept, other);
      distances[place] =
        (goneSize * distances[placeOf(gone, other)]! + keptSize * distances[place]!) / size -
        (goneSize * keptSize * between) / size ** 2;
    }
    for (let other = 0; other <= kept; other++) {
      if (sizes[other] === 0) continue;
      if (other === kept || nearest[other] === gone || nearest[other] === kept) findNearest(other);
      else if (distances[placeOf(other, kept)]! < least[other]!) {
        nearest[other] = kept;
        least[other] = distances[placeOf(other, kept)]!;
      }
    }
  }
  return renumber(labels);
}

/** Renumbers labels from 0, in order of first appearance. */
export function renumber(labels: Int32Array): Int32Array {
  const order = new Map<number, number>();
  return labels.map((label) => getOrCreate(order, label, () => order.size));
}

function squaredDistance(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index]! - b[index]!) ** 2;
  return sum;
}
