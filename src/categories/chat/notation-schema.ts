import { z } from 'zod';
import type { CallNotation } from '../../core/chat/tool-calls/notation.ts';

const edge = z.string();
const edges = {
  begin: edge.describe('Before the first call.'),
  between: edge.nullable().describe('Between two calls; null if an answer holds only one.'),
  end: edge.describe('After the last call.'),
  text: edge.optional().describe('Before a text at the beginning of an answer.'),
  firstNumber: z.int().min(0).optional().describe('The number of the first call; default 0.'),
};
const keys = z.array(z.string()).optional();
const json = {
  before: edge.describe('Before the arguments; contains ⟨name⟩.'),
  behind: edge.describe('After the arguments.'),
  nameAt: keys.describe('Keys that lead to the name.'),
  argumentsAt: keys.describe('Keys that lead to the arguments.'),
  id: edge.optional().describe('The id, if it contains the name.'),
};
const types = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'] as const;
const style = z.enum(['raw', 'json', 'python', 'marked', 'elements']).meta({ title: 'notation' });

export const notationSchema: z.ZodType<CallNotation> = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('json'), ...edges, ...json }),
    z.strictObject({ kind: z.literal('name+json'), ...edges, ...json }),
    z.strictObject({
      kind: z.literal('items'),
      ...edges,
      first: edge.describe('Between the name and the first key.'),
      none: edge.describe('Between the name and the end of a call without arguments.'),
      next: edge.describe('Between the end of a value and the next key.'),
      close: edge.describe('After a value.'),
      equals: z.record(z.enum(types), edge).describe('Between a key and its value, by its type.'),
      values: z.record(z.enum(types), style).describe('How values are written, by their type.'),
      mark: edge.optional().describe('Around marked strings, or before each tag of elements.'),
    }),
  ])
  .meta({ title: 'notation' });
