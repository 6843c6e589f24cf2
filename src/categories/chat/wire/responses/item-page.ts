import { z } from 'zod';
import { fieldError } from '../../../../errors.ts';
import { listOf } from '../../../../validation/list-schema.ts';

const maxLimit = 100;
/** A page is written in one piece, which takes 6 ms per MB. */
const maxPageBytes = 2 ** 22;

export const pageParameters = {
  limit: {
    description: `Max number of items, 1 to ${maxLimit}; default 20. A page ends before the item that would make it larger than 4 MiB.`,
    schema: { type: 'integer', minimum: 1, maximum: maxLimit },
  },
  order: {
    description: '`asc` or `desc`; default `desc`, newest first.',
    schema: { enum: ['asc', 'desc'] },
  },
  after: { description: 'Id of the item before the first.' },
};

export function itemPageSchema(item: z.ZodType): z.ZodType {
  return z.object({
    object: z.literal('list'),
    data: listOf(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  });
}

interface Item {
  readonly id?: string | null | undefined;
}

interface SizedItem extends Item {
  readonly bytes: number;
}

export function toItemPage<One extends Item>(data: readonly One[], hasMore = false) {
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

/** @param given the items, oldest first */
export function pageOf<One extends SizedItem>(given: readonly One[], query: URLSearchParams) {
  const limit = Number(query.get('limit') ?? 20);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= maxLimit))
    throw fieldError('limit', `expected an integer from 1 to ${maxLimit}, got ${limit}`);
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw fieldError('order', 'expected "asc" or "desc"');
  const items = order === 'asc' ? given : given.toReversed();
  const after = query.get('after');
  const start = after === null ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== null && start === 0) throw fieldError('after', 'expected the id of an item of this list');
  let end = start;
  for (let bytes = 0; end < Math.min(items.length, start + limit); end++) {
    bytes += items[end]!.bytes;
    if (end > start && bytes > maxPageBytes) break;
  }
  return toItemPage(items.slice(start, end), end < items.length);
}
