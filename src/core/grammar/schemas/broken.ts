import { anything, without, type Atom, type Clause, type KeySet } from './clause.ts';
import type { Literal, SchemaDocument } from './document.ts';
import type { Schema } from './json-types.ts';
import { itemSchemas, readNames, schemaFault } from './keywords.ts';
import { patternOfFormat, widePatternOfFormat } from './string-format.ts';

/** Values of the keyword's type that violate it. */
export function broken(
  keyword: string,
  schema: Schema,
  path: string,
  document: SchemaDocument,
): readonly Clause[] {
  const value = schema[keyword];
  const place = `${path}.${keyword}`;
  const one = (atom: Atom): Clause[] => [{ ...anything, atoms: [atom] }];
  const someProperty = (keys: KeySet, literal: Literal): Clause[] =>
    one({ kind: 'some-property', keys, literal });
  const bound = (other: string, limit: unknown): Clause[] =>
    one({ kind: 'schema', schema: { [other]: limit }, path });
  const not = (of: unknown, at: string): Literal => document.literal(of, at, { negated: true });
  const count = typeof value === 'number' ? value : 0;
  const [, end, counted] = /^(min|max)(Length|Items|Properties)$/.exec(keyword) ?? [];
  if (end === 'min') return count <= 0 ? [] : bound(`max${counted}`, count - 1);
  if (end === 'max') return bound(`min${counted}`, count + 1);
  switch (keyword) {
    case 'minimum':
      return bound(schema['exclusiveMinimum'] === true ? 'maximum' : 'exclusiveMaximum', value);
    case 'maximum':
      return bound(schema['exclusiveMaximum'] === true ? 'minimum' : 'exclusiveMinimum', value);
    case 'exclusiveMinimum':
      return typeof value === 'boolean' ? [] : bound('maximum', value);
    case 'exclusiveMaximum':
      return typeof value === 'boolean' ? [] : bound('minimum', value);
    case 'pattern':
      return one({ kind: 'not-pattern', pattern: value, path: place });
    case 'format': {
      const wide = typeof value === 'string' ? widePatternOfFormat(value) : undefined;
      // Only values that certainly lack the format; an unknown format has no violations.
      if (wide !== undefined) return one({ kind: 'not-pattern', pattern: wide, path: place, isWide: true });
      if (typeof value === 'string' && patternOfFormat(value) === undefined) return [];
      break;
    }
    case 'multipleOf':
      return one({ kind: 'not-multiple', step: value, path: place });
    case 'required':
      return readNames(value, place).map((name) => without(name));
    case 'properties':
      return document.named(schema, keyword, path, true).flatMap(([name, literal]): Clause[] => {
        if (literal.schema === false) return [];
        return [{ ...anything, atoms: [{ kind: 'property', name, literal }], required: [name] }];
      });
    case 'patternProperties':
      return document
        .named(schema, keyword, path, true)
        .flatMap(([pattern, literal]) =>
          someProperty({ kind: 'pattern', pattern, path: `${place}.${pattern}` }, literal),
        );
    case 'additionalProperties':
      return someProperty({ kind: 'other', schema, path }, not(value, place));
    case 'propertyNames':
      return someProperty({ kind: 'names', literal: not(value, place) }, document.literal(true, place));
    case 'items':
    case 'additionalItems': {
      if (Array.isArray(value)) return brokenHeads(value, place);
      if (keyword === 'additionalItems' && !Array.isArray(schema['items'])) return [];
      const from = itemSchemas(schema).heads.length;
      return one({ kind: 'some-item', from, literal: not(value, place), path: place });
    }
    case 'prefixItems':
      return Array.isArray(value) ? brokenHeads(value, place) : [];
    case 'contains':
      if (schema['minContains'] !== undefined || schema['maxContains'] !== undefined) break;
      return one({ kind: 'schema', schema: { items: { not: value } }, path: place });
    case 'uniqueItems':
      if (value !== true) return [];
  }
  throw schemaFault(
    place,
    'this keyword is not supported under `not` or where schemas have to exclude each other',
  );
}

function brokenHeads(heads: readonly unknown[], path: string): Clause[] {
  return heads.map((head, index) => {
    const schema = {
      minItems: index + 1,
      prefixItems: [...Array.from({ length: index }, () => true), { not: head }],
    };
    return { ...anything, atoms: [{ kind: 'schema', schema, path: `${path}[${index}]` }] };
  });
}
