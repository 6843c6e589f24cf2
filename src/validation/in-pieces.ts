const defaultPieceMs = 4;

/** Thrown to suspend a check until a later turn of the event loop. */
const pause = new Error('The check continues later.');

interface ListProgress {
  readonly results: unknown[];
  isFaulty: boolean;
}

/** Lists within one item, in the order of the check. */
interface Level {
  readonly lists: ListProgress[];
  next: number;
}

interface Progress {
  /** One level per nesting depth: body, current item, item within it, … */
  readonly levels: Level[];
  readonly pieceMs: number;
  depth: number;
  endsAt: number | undefined;
}

let progress: Progress | undefined;

/** Chunk size and the pause between chunks. */
export interface PieceOptions {
  /** Resolves when the next piece may begin. Its error ends the check. */
  readonly pause?: (() => Promise<void>) | undefined;
  /** A piece processes at least one item; default 4. */
  readonly pieceMs?: number | undefined;
}

export type Pieces = <T>(check: () => T) => Promise<Awaited<T>>;

/**
 * Yields to the event loop between pieces. Each piece restarts the check, and `checkEach` skips finished items by position, so
 * the check must visit the same lists in the same order.
 */
export async function inPieces<T>(
  check: () => T,
  { pause: nextTurn = nextImmediate, pieceMs = defaultPieceMs }: PieceOptions = {},
): Promise<Awaited<T>> {
  const own: Progress = { levels: [], pieceMs, depth: 0, endsAt: undefined };
  for (;;) {
    try {
      return await goOn(own, check);
    } catch (error) {
      if (error !== pause) throw error;
    }
    await nextTurn();
  }
}

const nextImmediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function goOn<T>(own: Progress, check: () => T): T {
  progress = own;
  Object.assign(own, { depth: 0, endsAt: undefined });
  if (own.levels[0]) own.levels[0].next = 0;
  try {
    return check();
  } finally {
    progress = undefined;
  }
}

type ItemResult<T> = { readonly success: true; readonly data: T } | { readonly success: false };

/** Checks items up to the first invalid item, whose index is `faulty`. */
export function checkEach<T>(
  items: readonly unknown[],
  check: (item: unknown, index: number, before: readonly T[]) => ItemResult<T>,
): { readonly data: T[]; readonly faulty: number | undefined } {
  const own = progress ?? { levels: [], pieceMs: Infinity, depth: 0, endsAt: Infinity };
  const level = (own.levels[own.depth] ??= { lists: [], next: 0 });
  const list = (level.lists[level.next++] ??= { results: [], isFaulty: false });
  const data = list.results as T[];
  const within = own.depth + 1;
  for (let index = data.length; index < items.length && !list.isFaulty; index++) {
    own.endsAt ??= performance.now() + own.pieceMs;
    own.depth = within;
    if (own.levels[within]) own.levels[within].next = 0;
    try {
      const result = check(items[index], index, data);
      own.levels.length = within;
      if (result.success) data.push(result.data);
      else list.isFaulty = true;
    } finally {
      own.depth = within - 1;
    }
    if (performance.now() >= own.endsAt) throw pause;
  }
  return { data, faulty: list.isFaulty ? data.length : undefined };
}

/** Maps items, in pieces within `inPieces`. */
export function mapEach<Item, T>(items: readonly Item[], make: (item: Item, index: number) => T): T[] {
  return checkEach(items, (item, index) => ({ success: true, data: make(item as Item, index) })).data;
}
