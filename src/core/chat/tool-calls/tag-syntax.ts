import type { JsonType } from '../../grammar/schemas/json-types.ts';
import { tagsOf } from './edges.ts';
import { sharedEnd } from './template-turn.ts';
import type { Edge, ItemsNotation } from './notation.ts';

/** The parts of a call with one tag per parameter, from its notation. */
export interface TagSyntax {
  /** Behind the function's name. */
  readonly nameEnd: Edge;
  /** Begins a parameter; its name follows. */
  readonly parameterOpen: Edge;
  /** Edges between a key and its value, with the types that each edge means; no types if there is a single edge. */
  readonly equals: ReadonlyMap<Edge, readonly JsonType[]>;
  /** Shared end of all `equals`. */
  readonly valueOpen: Edge;
  readonly parameterClose: string;
  readonly callClose: string;
  /** Whether one line break before a value, and one behind it, is no part of it. */
  readonly breaksBefore: boolean;
  readonly breaksBehind: boolean;
  /** Whether objects and lists are written as Python has them. */
  readonly hasPython: boolean;
  /** Whether strings have quotes. */
  readonly hasQuotes: boolean;
}

export function tagSyntax({ first, next, equals, close, end, values }: ItemsNotation): TagSyntax {
  const parameterOpen = sharedEnd(first.trim(), next.trim());
  const byEdge = new Map<Edge, JsonType[]>();
  for (const [type, edge] of Object.entries(equals) as [JsonType, Edge][])
    byEdge.set(edge, [...(byEdge.get(edge) ?? []), type]);
  const edges = [...byEdge.keys()];
  return {
    nameEnd: first.trimEnd().slice(0, -parameterOpen.length).trim(),
    parameterOpen,
    equals: edges.length === 1 ? new Map([[edges[0]!, []]]) : byEdge,
    valueOpen: edges.reduce(sharedEnd),
    parameterClose: close.trim(),
    callClose: tagsOf(end)[0] ?? '',
    breaksBefore: equals.string.endsWith('\n'),
    breaksBehind: close.startsWith('\n'),
    hasPython: values.object === 'python',
    hasQuotes: values.string !== 'raw',
  };
}
