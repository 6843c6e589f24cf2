import { never, type Expression } from '../languages/expression.ts';
import type { Clause } from './clause.ts';
import type { Literal, SchemaDocument } from './document.ts';
import { CountedList, type ArraySetting, type Need } from './counted-list.ts';
import { distinctItems } from './distinct.ts';
import { itemSchemas, readCount, readCounts, readSchemas, schemaFault, typeBits } from './keywords.ts';
import type { Schema } from './json-types.ts';

export function arrayOf(clause: Clause, setting: ArraySetting): Expression {
  const { document, notation } = setting;
  if (!(clause.types & typeBits.array)) return never;
  const schemas = clause.atoms.filter((atom) => atom.kind === 'schema');
  const { min, max } = readCounts(schemas, 'Items');
  if (min > max) return never;
  const needs = clause.atoms.flatMap((atom): readonly Need[] => {
    if (atom.kind === 'schema') return containedOf(atom.schema, atom.path, document);
    if (atom.kind !== 'some-item') return [];
    return [{ literal: atom.literal, from: atom.from, min: 1, max: Infinity }];
  });
  const path = schemas.at(-1)?.path ?? needs.at(-1)?.literal.path ?? '';
  for (const { schema, path: at } of schemas)
    if (schema['prefixItems'] !== undefined) readSchemas(schema['prefixItems'], `${at}.prefixItems`);
  const unevaluated = clause.atoms.flatMap((atom) => {
    if (atom.kind !== 'unevaluated' || atom.of !== 'items') return [];
    const { evaluated, literal } = atom;
    const contained = evaluated.flatMap(({ contains }) => (contains === undefined ? [] : [contains]));
    if (contained.length === 0) return [atom];
    const either = document.literal({ anyOf: [...contained, literal.schema] }, literal.path);
    return [{ evaluated, literal: either }];
  });
  const literalsAt = (index: number): Literal[] => {
    const literals = schemas.map(({ schema, path: at }) => {
      const { heads: own, rest, restKeyword } = itemSchemas(schema);
      return index < own.length
        ? document.literal(
            own[index],
            `${at}.${schema['prefixItems'] === undefined ? 'items' : 'prefixItems'}[${index}]`,
          )
        : document.literal(rest, `${at}.${restKeyword}`);
    });
    for (const { evaluated, literal } of unevaluated) {
      if (!evaluated.some((schema) => evaluatesItem(schema, index))) literals.push(literal);
    }
    return literals;
  };
  const all = [...schemas.map(({ schema }) => schema), ...unevaluated.flatMap(({ evaluated }) => evaluated)];
  const heads = Math.max(0, ...all.map((schema) => itemSchemas(schema).heads.length));
  const unique = schemas.find(({ schema }) => schema['uniqueItems'] === true && max > 1);
  const list = { min, max, heads, needs, path, literalsAt };
  if (unique) {
    const place = `${unique.path}.uniqueItems`;
    if (heads + needs.length > 0)
      return notation.array(new CountedList({ ...list, uniqueness: place }, setting).write());
    const items = distinctItems(literalsAt(0), path, setting);
    if (!items) throw schemaFault(place, 'expected `items` that are strings, numbers or constants');
    return notation.array({
      type: 'distinct',
      item: items.item,
      separator: notation.comma,
      min,
      max: Math.min(max, items.count),
    });
  }
  const rest = setting.valueOf(literalsAt(heads), path, notation.ofItem());
  const isAny = heads + needs.length + min === 0 && max === Infinity && rest === notation.ofItem().anyValue;
  return (isAny && notation.anyArray) || notation.array(new CountedList({ ...list, rest }, setting).write());
}

function containedOf(schema: Schema, path: string, document: SchemaDocument): readonly Need[] {
  if (schema['contains'] === undefined) return [];
  const min = readCount(schema, 'minContains', path, 1);
  const max = readCount(schema, 'maxContains', path, Infinity);
  if (min === 0 && max === Infinity) return [];
  return [{ literal: document.literal(schema['contains'], `${path}.contains`), from: 0, min, max }];
}

function evaluatesItem(schema: Schema, index: number): boolean {
  const { items, prefixItems, additionalItems, unevaluatedItems } = schema;
  if (unevaluatedItems !== undefined) return true;
  if (Array.isArray(items)) return index < items.length || additionalItems !== undefined;
  return items !== undefined || (Array.isArray(prefixItems) && index < prefixItems.length);
}
