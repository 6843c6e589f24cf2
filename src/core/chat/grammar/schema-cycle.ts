/** A reference by which one schema stands for another, whole value for whole value. */
export interface HeadReference {
  readonly target: unknown;
  readonly path: string;
}

/**
 * Finds a schema that stands for itself, which says nothing.
 *
 * @param references by the schema that they are in
 * @returns the path of the reference that closes the circle; `undefined` if there is none
 */
export function findCycle(references: ReadonlyMap<unknown, readonly HeadReference[]>): string | undefined {
  const settled = new Set<unknown>();
  for (const start of references.keys()) {
    const open = new Set([start]);
    const trail = [{ schema: start, next: 0 }];
    for (let here = trail.at(-1); here; here = trail.at(-1)) {
      const reference = references.get(here.schema)?.[here.next++];
      if (!reference) {
        settled.add(here.schema);
        open.delete(here.schema);
        trail.pop();
      } else if (open.has(reference.target)) {
        return reference.path;
      } else if (!settled.has(reference.target)) {
        open.add(reference.target);
        trail.push({ schema: reference.target, next: 0 });
      }
    }
  }
  return undefined;
}
