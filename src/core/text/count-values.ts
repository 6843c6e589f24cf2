/** The size of a JSON text or value. */
export interface JsonCounts {
  readonly objects: number;
  readonly arrays: number;
  readonly members: number;
  /** Approximate number of all values: items and members, and empty arrays and objects. */
  readonly values: number;
  /** Maximum levels of arrays and objects; 1 for an array or object without nested ones. */
  readonly depth: number;
}

/**
 * Counts a parsed value like `JsonCounter` counts its text, and stops when `isEnough`: a list counts with its length
 * before its items are visited.
 */
export function countValues(value: unknown, isEnough: (counts: JsonCounts) => boolean): JsonCounts {
  const counts = { objects: 0, arrays: 0, members: 0, values: 0, depth: 0 };
  const open: { readonly container: object; readonly depth: number }[] = [];
  /** @returns whether the count is enough */
  const enter = (container: object, depth: number): boolean => {
    counts.depth = Math.max(counts.depth, depth);
    if (Array.isArray(container)) {
      counts.arrays++;
      counts.values += Math.max(1, container.length);
    } else {
      counts.objects++;
      counts.values++;
    }
    open.push({ container, depth });
    return isEnough(counts);
  };
  if (!isContainer(value) || enter(value, 1)) return counts;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { container, depth } = next;
    if (Array.isArray(container)) {
      for (const item of container) if (isContainer(item) && enter(item, depth + 1)) return counts;
      continue;
    }
    let isFirst = true;
    for (const name in container) {
      counts.members++;
      if (!isFirst) counts.values++;
      isFirst = false;
      const member = (container as Readonly<Record<string, unknown>>)[name];
      if (isContainer(member) ? enter(member, depth + 1) : isEnough(counts)) return counts;
    }
  }
  return counts;
}

/** Typed arrays are skipped: they have too many members to visit, and can't occur in JSON. */
function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
}
