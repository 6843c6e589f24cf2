import { getOrCreate } from '../../get-or-create.ts';
import type { Atom, Clause, ClauseReader, KeySet } from './clauses.ts';
import type { Literal, SchemaDocument } from './document.ts';
import { canonicalText, itemSchemas, readCount, readSchemaMap, schemaFault, typeBitsOf } from './keywords.ts';
import { isNumeric, isSchemaObject, type Numeric, type Schema } from './json-types.ts';
import type { TextLanguages } from './texts.ts';
import { isDecimalMultiple } from './decimal-multiple.ts';

/** Parts of a schema that its constants are checked with; `spend` counts the steps. */
interface EvaluatorSetting {
  readonly document: SchemaDocument;
  readonly clauses: ClauseReader;
  readonly texts: TextLanguages;
  readonly spend: (steps: number) => void;
}

/** Tells whether a value satisfies a clause, for the constants of a schema that have to match the rest of it. */
export function createEvaluator({ document, clauses, texts, spend }: EvaluatorSetting) {
  const lists = new Map<readonly unknown[], ReadonlySet<string>>();
  return fits;

  function fits(value: unknown, { types, values, excluded, atoms, required, absent }: Clause): boolean {
    spend(1);
    return (
      (typeBitsOf(value) & types) !== 0 &&
      (!values || isAmong(value, values)) &&
      (excluded.length === 0 || !isAmong(value, excluded)) &&
      (!isSchemaObject(value) ||
        (required.every((name) => Object.hasOwn(value, name)) &&
          !absent.some((name) => Object.hasOwn(value, name)))) &&
      atoms.every((atom) => meets(value, atom))
    );
  }

  function isAmong(value: unknown, list: readonly unknown[]): boolean {
    return getOrCreate(lists, list, () => new Set(list.map(canonicalText))).has(canonicalText(value));
  }

  function matches(value: unknown, literal: Literal): boolean {
    return clauses.read([literal], literal.path).some((clause) => fits(value, clause));
  }

  function matchesSchema(value: unknown, schema: unknown, path: string): boolean {
    return matches(value, document.literal(schema, path));
  }

  function matchesPattern(text: string, pattern: unknown, path: string): boolean {
    return texts.includes(texts.pattern(pattern, path), text, path);
  }

  function meets(value: unknown, atom: Atom): boolean {
    if (atom.kind === 'schema') {
      const { schema, path } = atom;
      if (typeof value === 'string') return fitsString(value, schema, path);
      if (isNumeric(value)) return fitsNumber(value, schema, path);
      if (Array.isArray(value)) return fitsArray(value, schema, path);
      return !isSchemaObject(value) || fitsObject(value, schema, path);
    }
    if (atom.kind === 'not-pattern') {
      if (!atom.isWide) return !matchesPattern(value as string, atom.pattern, atom.path);
      throw schemaFault(atom.path, 'this keyword is not supported under `not` beside constants');
    }
    if (atom.kind === 'not-multiple') return !isDecimalMultiple(value as Numeric, atom.step, atom.path);
    const { literal } = atom;
    if (atom.kind === 'some-item')
      return (value as unknown[]).slice(atom.from).some((item) => matches(item, literal));
    if (atom.kind === 'unevaluated') {
      if (atom.of === 'items' ? !Array.isArray(value) : !isSchemaObject(value)) return true;
      throw schemaFault(literal.path, 'this keyword is not supported beside constants');
    }
    const members = Object.entries(value as Schema);
    return members.some(
      ([name, member]) =>
        (atom.kind === 'property' ? name === atom.name : isOneOf(name, atom.keys)) &&
        matches(member, literal),
    );
  }

  function isOneOf(name: string, keys: KeySet): boolean {
    if (keys.kind === 'pattern') return matchesPattern(name, keys.pattern, keys.path);
    if (keys.kind === 'names') return matches(name, keys.literal);
    return describing(name, keys.schema, keys.path).length === 0;
  }

  /** The schemas of `properties` and `patternProperties` for a name. */
  function describing(name: string, schema: Schema, path: string): readonly Literal[] {
    const properties = readSchemaMap(schema['properties'], `${path}.properties`);
    const own = Object.hasOwn(properties, name)
      ? [document.literal(properties[name], `${path}.properties.${name}`)]
      : [];
    const patterns = document
      .named(schema, 'patternProperties', path)
      .filter(([pattern]) => matchesPattern(name, pattern, `${path}.patternProperties.${pattern}`));
    return [...own, ...patterns.map(([, literal]) => literal)];
  }

  /** Whether so many lie between the counts of two keywords. */
  function isWithin(count: number, schema: Schema, path: string, kind: string, least = 0): boolean {
    return (
      count >= readCount(schema, `min${kind}`, path, least) &&
      count <= readCount(schema, `max${kind}`, path, Infinity)
    );
  }

  function fitsString(value: string, schema: Schema, path: string): boolean {
    const { pattern, format } = schema;
    if (!isWithin(Array.from(value).length, schema, path, 'Length')) return false;
    if (pattern !== undefined && !matchesPattern(value, pattern, `${path}.pattern`)) return false;
    const known = format === undefined ? undefined : texts.format(format, `${path}.format`);
    return !known || texts.includes(known, value, `${path}.format`);
  }

  function fitsNumber(value: Numeric, schema: Schema, path: string): boolean {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    const isBelow = (bound: unknown, exclusive: boolean): boolean =>
      isNumeric(bound) && (exclusive ? value <= bound : value < bound);
    const isAbove = (bound: unknown, exclusive: boolean): boolean =>
      isNumeric(bound) && (exclusive ? value >= bound : value > bound);
    if (isBelow(minimum, exclusiveMinimum === true) || isBelow(exclusiveMinimum, true)) return false;
    if (isAbove(maximum, exclusiveMaximum === true) || isAbove(exclusiveMaximum, true)) return false;
    return multipleOf === undefined || isDecimalMultiple(value, multipleOf, `${path}.multipleOf`);
  }

  function fitsArray(values: readonly unknown[], schema: Schema, path: string): boolean {
    if (!isWithin(values.length, schema, path, 'Items')) return false;
    if (schema['uniqueItems'] === true && new Set(values.map(canonicalText)).size < values.length)
      return false;
    const { heads, rest, restKeyword } = itemSchemas(schema);
    const areItems = values.every((value, index) =>
      index < heads.length
        ? matchesSchema(value, heads[index], `${path}.prefixItems[${index}]`)
        : matchesSchema(value, rest, `${path}.${restKeyword}`),
    );
    if (!areItems || schema['contains'] === undefined) return areItems;
    const found = values.filter((value) => matchesSchema(value, schema['contains'], `${path}.contains`));
    return isWithin(found.length, schema, path, 'Contains', 1);
  }

  function fitsObject(value: Schema, schema: Schema, path: string): boolean {
    const { additionalProperties: others = true, propertyNames = true } = schema;
    const names = Object.keys(value);
    if (!isWithin(names.length, schema, path, 'Properties')) return false;
    return names.every((name) => {
      const own = describing(name, schema, path);
      const literals = own.length > 0 ? own : [document.literal(others, `${path}.additionalProperties`)];
      return (
        literals.every((literal) => matches(value[name], literal)) &&
        matchesSchema(name, propertyNames, `${path}.propertyNames`)
      );
    });
  }
}
