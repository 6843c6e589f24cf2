import { getOrCreate } from '../../get-or-create.ts';
import type { JsonType } from '../../grammar/schemas/json-types.ts';
import { tagsOf } from './edges.ts';
import { sharedEnd } from './template-turn.ts';
import type { Edge, ItemsNotation } from './notation.ts';

/** The parts of a call with one tag per parameter, from its notation. */
export type TagSyntax = ReturnType<typeof tagSyntax>;

export function tagSyntax({ first, next, equals, close, end, values }: ItemsNotation) {
  const parameterOpen = sharedEnd(first.trim(), next.trim());
  return {
    /** Behind the function's name. */
    nameEnd: first.trimEnd().slice(0, -parameterOpen.length).trim(),
    /** Begins a parameter; its name follows. */
    parameterOpen,
    equals: typesByEdge(equals),
    parameterClose: close.trim(),
    callClose: tagsOf(end)[0] ?? '',
    /** Whether one line break before a value, and one behind it, is no part of it. */
    breaksBefore: equals.string.endsWith('\n'),
    breaksBehind: close.startsWith('\n'),
    /** Whether objects and lists are written as Python has them. */
    hasPython: values.object === 'python',
    /** Whether strings have quotes. */
    hasQuotes: values.string !== 'raw' && values.string !== 'elements',
  };
}

/** The edges between a key and its value, with the types that each means: none if it is the only one or may mean any. */
function typesByEdge(equals: ItemsNotation['equals']): ReadonlyMap<Edge, readonly JsonType[]> {
  const byEdge = new Map<Edge, JsonType[]>();
  for (const [type, edge] of Object.entries(equals) as [JsonType, Edge][])
    getOrCreate(byEdge, edge, () => []).push(type);
  const [first = '', ...others] = byEdge.keys();
  if (others.length === 0) return new Map([[first, []]]);
  const valueOpen = others.reduce(sharedEnd, first);
  const start = first.slice(0, -valueOpen.length).replace(/\w+$/, '');
  return byEdge.set(`${start}⟨key⟩${valueOpen}`, []).set(valueOpen, []);
}
