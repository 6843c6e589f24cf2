import { getOrCreate } from '../../get-or-create.ts';
import type { SchemaDocument } from './document.ts';
import {
  canonicalText,
  readCount,
  readNames,
  readSchemaMap,
  readSchemas,
  schemaFault,
  typeBitsOf,
  typesOfKeyword,
} from './keywords.ts';
import { isSchemaObject, type Schema } from './json-types.ts';
import type { TextLanguages } from './texts.ts';
import { isDecimalMultiple } from './decimal-multiple.ts';

const maxDepth = 100;

/**
 * Validates values against schemas, for the constants of a schema that have to match the rest of it.
 * @returns whether a value satisfies a schema, or doesn't where it is negated
 */
export function createEvaluator(
  document: SchemaDocument,
  texts: TextLanguages,
  spend: (steps: number) => void,
): (value: unknown, schema: unknown, path: string, isNegated: boolean) => boolean {
  const lists = new Map<readonly unknown[], ReadonlySet<string>>();
  let depth = 0;
  /** Schemas around that turn a match into a fault, or may do so. */
  let inversions = 0;

  return (value, schema, path, isNegated) => {
    depth = 0;
    inversions = isNegated ? 1 : 0;
    return matches(value, schema, path) !== isNegated;
  };

  function matches(value: unknown, schema: unknown, path: string): boolean {
    if (typeof schema === 'boolean') return schema;
    if (!isSchemaObject(schema)) throw schemaFault(path, 'expected a schema: an object or a boolean');
    spend(1);
    if (++depth > maxDepth) throw schemaFault(path, 'expected no reference to itself');
    const result =
      matchesAny(value, schema, path) &&
      (typeof value !== 'string' || matchesString(value, schema, path)) &&
      (typeof value !== 'number' || matchesNumber(value, schema, path)) &&
      (!Array.isArray(value) || matchesArray(value, schema, path)) &&
      (!isSchemaObject(value) || matchesObject(value, schema, path));
    depth--;
    return result;
  }

  function matchesAny(value: unknown, schema: Schema, path: string): boolean {
    const { type, const: constant, enum: values, not, if: condition } = schema;
    if (type !== undefined && !(typesOfKeyword(type, `${path}.type`) & typeBitsOf(value))) return false;
    if (constant !== undefined && canonicalText(constant) !== canonicalText(value)) return false;
    if (Array.isArray(values) && !listed(values).has(canonicalText(value))) return false;
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      if (schema[keyword] === undefined) continue;
      const target = document.resolve(schema, keyword, `${path}.${keyword}`);
      if (!matches(value, target.schema, target.path)) return false;
    }
    const count = (keyword: string): number =>
      readSchemas(schema[keyword], `${path}.${keyword}`).filter((entry, index) =>
        matches(value, entry, `${path}.${keyword}[${index}]`),
      ).length;
    if (schema['allOf'] !== undefined && count('allOf') < (schema['allOf'] as unknown[]).length) return false;
    if (schema['anyOf'] !== undefined && count('anyOf') === 0) return false;
    inversions++;
    const isOne = schema['oneOf'] === undefined || count('oneOf') === 1;
    const isNot = not !== undefined && matches(value, not, `${path}.not`);
    const holds = condition !== undefined && matches(value, condition, `${path}.if`);
    inversions--;
    if (!isOne || isNot) return false;
    if (condition === undefined) return true;
    const branch = holds ? 'then' : 'else';
    return schema[branch] === undefined || matches(value, schema[branch], `${path}.${branch}`);
  }

  function listed(values: readonly unknown[]): ReadonlySet<string> {
    return getOrCreate(lists, values, () => new Set(values.map(canonicalText)));
  }

  function matchesString(value: string, schema: Schema, path: string): boolean {
    const { pattern, format } = schema;
    const length = Array.from(value).length;
    if (length < readCount(schema, 'minLength', path, 0)) return false;
    if (length > readCount(schema, 'maxLength', path, Infinity)) return false;
    if (pattern !== undefined) {
      const place = `${path}.pattern`;
      if (!texts.includes(texts.pattern(pattern, place), value, place)) return false;
    }
    const known = format === undefined ? undefined : texts.format(format, `${path}.format`);
    if (!known || texts.includes(known, value, `${path}.format`)) return true;
    // Formats are narrower here than they may be.
    if (inversions > 0) throw schemaFault(`${path}.format`, 'this keyword is not supported under `not`');
    return false;
  }

  function matchesNumber(value: number, schema: Schema, path: string): boolean {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    if (typeof minimum === 'number' && (value < minimum || (exclusiveMinimum === true && value === minimum)))
      return false;
    if (typeof maximum === 'number' && (value > maximum || (exclusiveMaximum === true && value === maximum)))
      return false;
    if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return false;
    if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) return false;
    return multipleOf === undefined || isDecimalMultiple(value, multipleOf, `${path}.multipleOf`);
  }

  function matchesArray(values: readonly unknown[], schema: Schema, path: string): boolean {
    if (values.length < readCount(schema, 'minItems', path, 0)) return false;
    if (values.length > readCount(schema, 'maxItems', path, Infinity)) return false;
    if (schema['uniqueItems'] === true && new Set(values.map(canonicalText)).size < values.length)
      return false;
    refuse(schema, 'unevaluatedItems', path);
    const { heads, rest, restKeyword } = itemSchemas(schema);
    const fits = values.every((value, index) =>
      index < heads.length
        ? matches(value, heads[index], `${path}.prefixItems[${index}]`)
        : matches(value, rest, `${path}.${restKeyword}`),
    );
    if (!fits || schema['contains'] === undefined) return fits;
    const found = values.filter((value) => matches(value, schema['contains'], `${path}.contains`)).length;
    return (
      found >= readCount(schema, 'minContains', path, 1) &&
      found <= readCount(schema, 'maxContains', path, Infinity)
    );
  }

  function matchesObject(value: Schema, schema: Schema, path: string): boolean {
    const names = Object.keys(value);
    if (names.length < readCount(schema, 'minProperties', path, 0)) return false;
    if (names.length > readCount(schema, 'maxProperties', path, Infinity)) return false;
    if (readNames(schema['required'], `${path}.required`).some((name) => !Object.hasOwn(value, name)))
      return false;
    refuse(schema, 'unevaluatedProperties', path);
    const properties = readSchemaMap(schema['properties'], `${path}.properties`);
    const patterns = Object.entries(readSchemaMap(schema['patternProperties'], `${path}.patternProperties`));
    for (const name of names) {
      let isNamed = false;
      if (Object.hasOwn(properties, name)) {
        isNamed = true;
        if (!matches(value[name], properties[name], `${path}.properties.${name}`)) return false;
      }
      for (const [pattern, of] of patterns) {
        const place = `${path}.patternProperties.${pattern}`;
        if (!texts.includes(texts.pattern(pattern, place), name, place)) continue;
        isNamed = true;
        if (!matches(value[name], of, place)) return false;
      }
      const { additionalProperties: others = true, propertyNames } = schema;
      if (!isNamed && !matches(value[name], others, `${path}.additionalProperties`)) return false;
      if (propertyNames !== undefined && !matches(name, propertyNames, `${path}.propertyNames`)) return false;
    }
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
      const map = readSchemaMap(schema[keyword], `${path}.${keyword}`);
      for (const [name, needed] of Object.entries(map)) {
        if (!Object.hasOwn(value, name)) continue;
        const place = `${path}.${keyword}.${name}`;
        const fits = Array.isArray(needed)
          ? readNames(needed, place).every((other) => Object.hasOwn(value, other))
          : matches(value, needed, place);
        if (!fits) return false;
      }
    }
    return true;
  }
}

function refuse(schema: Schema, keyword: string, path: string): void {
  if (schema[keyword] === undefined || schema[keyword] === true) return;
  throw schemaFault(`${path}.${keyword}`, 'this keyword is not supported beside constants');
}

/** Schemas of the first items and of those after them, in both ways to write them. */
export function itemSchemas(schema: Schema): {
  readonly heads: readonly unknown[];
  readonly rest: unknown;
  readonly restKeyword: string;
} {
  const { prefixItems, items, additionalItems } = schema;
  if (prefixItems === undefined && Array.isArray(items))
    return { heads: items, rest: additionalItems ?? true, restKeyword: 'additionalItems' };
  const heads = Array.isArray(prefixItems) ? prefixItems : [];
  return { heads, rest: items ?? true, restKeyword: 'items' };
}
