/** Time of one piece. */
const pieceMs = 4;

/** Thrown out of a check that goes on in another turn of the event loop. */
const pause = new Error('The check goes on later.');

interface Progress {
  /** Results of items, by the schema that has checked them. */
  readonly known: Map<object, WeakMap<object, unknown>>;
  endsAt: number | undefined;
}

let progress: Progress | undefined;

/**
 * Does a check that may take long, in pieces between which others have the event loop: it is begun anew for each, and
 * `checkItem` knows those items again that were checked before.
 */
export async function inPieces<T>(check: () => T): Promise<Awaited<T>> {
  const own: Progress = { known: new Map(), endsAt: undefined };
  for (;;) {
    try {
      return await goOn(own, check);
    } catch (error) {
      if (error !== pause) throw error;
    }
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}

function goOn<T>(own: Progress, check: () => T): T {
  progress = own;
  own.endsAt = undefined;
  try {
    return check();
  } finally {
    progress = undefined;
  }
}

/**
 * The result of checking an item; within `inPieces` the one that it had before.
 *
 * @param schema by which the item is checked
 */
export function checkItem<T extends object>(schema: object, item: unknown, check: () => T): T {
  if (progress === undefined || typeof item !== 'object' || item === null) return check();
  const { known } = progress;
  const ofSchema = known.get(schema) ?? new WeakMap<object, unknown>();
  known.set(schema, ofSchema);
  const before = ofSchema.get(item) as T | undefined;
  if (before !== undefined) return before;
  progress.endsAt ??= performance.now() + pieceMs;
  const result = check();
  ofSchema.set(item, result);
  if (performance.now() > progress.endsAt) throw pause;
  return result;
}
