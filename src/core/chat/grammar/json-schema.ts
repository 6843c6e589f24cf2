import {
  choice,
  empty,
  never,
  refer,
  repeat,
  rule,
  sequence,
  text,
  type Expression,
  type Rule,
} from './expression.ts';
import {
  anyArray,
  anyObject,
  anyString,
  anyValue,
  boolean,
  bracketed,
  comma,
  listOf,
  nullText,
  stringOf,
} from './json-text.ts';
import { findCycle, type HeadReference } from './schema-cycle.ts';
import { areDisjoint } from './schema-disjoint.ts';
import {
  alternatives,
  annotations,
  isSchemaObject,
  jsonTypes,
  keywordTypes,
  schemaFault,
  typeOfJson,
  type JsonType,
  type Schema,
} from './schema-keywords.ts';
import { numberFormatRange, numberOf } from './schema-number.ts';
import { objectOf } from './schema-object.ts';
import { assertSchemaSize } from './schema-size.ts';
import { patternOfFormat, stringFormats } from './string-format.ts';
import { stringMatching } from './string-pattern.ts';

const maxAlternatives = 256;
const maxNameLength = 256;

/**
 * A JSON Schema (draft 2020-12, what of it can be honoured exactly) as a grammar: every document that it allows is
 * valid. Not every valid document is allowed: properties come in the order of the schema and numbers have at most 15
 * digits; where `properties` are given, others are written only if `additionalProperties` asks for them.
 *
 * @param path how messages call the schema
 * @throws RangeError beginning with the path of the keyword that can't be honoured
 *
 * @example
 * ```ts
 * jsonSchemaGrammar({ type: 'object', properties: { age: { type: 'integer', minimum: 0 } }, required: ['age'] });
 * ```
 */
export function jsonSchemaGrammar(schema: unknown, path = 'schema'): Expression {
  assertSchemaSize(schema, path);
  return new SchemaReader(schema, path).read();
}

class SchemaReader {
  readonly #root: unknown;
  readonly #path: string;
  /** Targets of references. */
  readonly #rules = new Map<unknown, Rule>();
  /** Targets that have not been read yet. Read one after the other, long chains of references need no deep stack. */
  readonly #waiting: { readonly target: unknown; readonly path: string }[] = [];
  /** References that stand for a whole value, by the value's schema. */
  readonly #heads = new Map<unknown, HeadReference[]>();
  #reading: unknown;
  #isInside = false;

  constructor(root: unknown, path: string) {
    this.#root = root;
    this.#path = path;
  }

  read(): Expression {
    this.#reading = this.#root;
    const expression = this.#value(this.#root, this.#path);
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      this.#reading = next.target;
      this.#rules.get(next.target)!.body = this.#value(next.target, next.path);
    }
    const cycle = findCycle(this.#heads);
    if (cycle !== undefined) throw schemaFault(cycle, 'expected no reference to itself');
    return expression;
  }

  #value(schema: unknown, path: string): Expression {
    if (schema === true) return anyValue;
    if (schema === false) return never;
    if (!isSchemaObject(schema)) throw schemaFault(path, 'expected a schema: an object or a boolean');
    const keywords = this.#keywordsOf(schema, path);
    const alternative = alternatives.find((keyword) => keywords.includes(keyword));
    if (alternative) return this.#alternative(alternative, schema, keywords, path);
    const types = this.#typesOf(schema, keywords, path);
    return choice(...types.map((type) => this.#typed(type, schema, path)));
  }

  /** Those that say something. */
  #keywordsOf(schema: Schema, path: string): string[] {
    const keywords = Object.keys(schema).filter((keyword) => !annotations.has(keyword));
    return keywords.filter((keyword) => {
      if ((keyword === '$schema' || keyword === '$id') && schema === this.#root) return false;
      if (keyword === 'type' || keywordTypes.has(keyword)) return true;
      if (alternatives.some((known) => known === keyword)) return true;
      throw schemaFault(`${path}.${keyword}`, 'this keyword is not supported');
    });
  }

  #alternative(
    keyword: (typeof alternatives)[number],
    schema: Schema,
    keywords: string[],
    path: string,
  ): Expression {
    const place = `${path}.${keyword}`;
    const beside = keywords.filter(
      (other) => other !== keyword && !(other === 'type' && isConstant(keyword)),
    );
    if (beside.length > 0) throw schemaFault(place, `expected no \`${beside[0]}\` beside it`);
    const value = schema[keyword];
    switch (keyword) {
      case '$ref':
        return this.#reference(value, place);
      case 'const':
        return this.#constants([value], schema, path);
      case 'enum':
        if (!Array.isArray(value)) throw schemaFault(place, 'expected a list');
        return this.#constants(value, schema, path);
      case 'anyOf':
        return choice(
          ...this.#schemas(value, place).map((entry, index) => this.#value(entry, `${place}[${index}]`)),
        );
      case 'oneOf':
        this.#assertDisjoint(this.#schemas(value, place), place);
        return choice(
          ...this.#schemas(value, place).map((entry, index) => this.#value(entry, `${place}[${index}]`)),
        );
      case 'allOf': {
        const [only, ...others] = this.#schemas(value, place);
        if (others.length > 0) throw schemaFault(place, `expected one schema, got ${others.length + 1}`);
        return this.#value(only, `${place}[0]`);
      }
    }
  }

  #schemas(value: unknown, path: string): readonly unknown[] {
    if (!Array.isArray(value) || value.length === 0) throw schemaFault(path, 'expected a list of schemas');
    if (value.length > maxAlternatives)
      throw schemaFault(path, `expected at most ${maxAlternatives} schemas`);
    return value;
  }

  #assertDisjoint(schemas: readonly unknown[], path: string): void {
    const resolve = (schema: unknown): unknown => this.#resolved(schema, path);
    for (const [index, schema] of schemas.entries()) {
      for (let other = 0; other < index; other++) {
        if (areDisjoint(schemas[other], schema, resolve)) continue;
        throw schemaFault(
          path,
          `expected schemas of which no two can match at once, as [${other}] and [${index}] might`,
        );
      }
    }
  }

  #resolved(schema: unknown, path: string): unknown {
    let resolved = schema;
    for (const seen = new Set(); isSchemaObject(resolved) && '$ref' in resolved && !seen.has(resolved);) {
      seen.add(resolved);
      resolved = this.#target(resolved['$ref'], path);
    }
    return resolved;
  }

  #reference(reference: unknown, path: string): Expression {
    const target = this.#target(reference, path);
    if (!this.#isInside) {
      this.#heads.set(this.#reading, [...(this.#heads.get(this.#reading) ?? []), { target, path }]);
    }
    let known = this.#rules.get(target);
    if (!known) {
      known = rule(String(reference));
      this.#rules.set(target, known);
      this.#waiting.push({ target, path: `${this.#path}${String(reference).slice(1).replaceAll('/', '.')}` });
    }
    return refer(known);
  }

  #target(reference: unknown, path: string): unknown {
    if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) {
      throw schemaFault(path, 'expected a reference within the schema, such as "#/$defs/item"');
    }
    let target: unknown = this.#root;
    for (const token of reference.split('/').slice(1)) {
      const key = decodePointer(token);
      if (typeof target !== 'object' || target === null || key === undefined || !Object.hasOwn(target, key)) {
        throw schemaFault(
          path,
          `expected a reference to a part of the schema, got ${JSON.stringify(reference)}`,
        );
      }
      target = (target as Record<string, unknown>)[key];
    }
    return target;
  }

  #constants(values: readonly unknown[], schema: Schema, path: string): Expression {
    if (values.some((value) => value === undefined)) throw schemaFault(path, 'expected JSON values');
    const types = 'type' in schema ? this.#typeList(schema['type'], `${path}.type`) : jsonTypes;
    const fitting = values.filter((value) => {
      const type = typeOfJson(value);
      return types.includes(type) || (type === 'integer' && types.includes('number'));
    });
    return fitting.length === 0 ? never : text(...new Set(fitting.map((value) => JSON.stringify(value))));
  }

  #typesOf(schema: Schema, keywords: readonly string[], path: string): readonly JsonType[] {
    if ('type' in schema) return this.#typeList(schema['type'], `${path}.type`);
    const acting = new Set(keywords.map((keyword) => keywordTypes.get(keyword)!));
    return acting.size > 0 ? [...acting] : jsonTypes;
  }

  #typeList(value: unknown, path: string): readonly JsonType[] {
    const types = Array.isArray(value) ? value : [value];
    for (const type of types) {
      if (jsonTypes.some((known) => known === type)) continue;
      throw schemaFault(path, `expected ${jsonTypes.join(', ')}, got ${JSON.stringify(type)}`);
    }
    return types as JsonType[];
  }

  #typed(type: JsonType, schema: Schema, path: string): Expression {
    switch (type) {
      case 'object':
        return this.#inside(path, () => this.#object(schema, path));
      case 'array':
        return this.#inside(path, () => this.#array(schema, path));
      case 'string':
        return this.#string(schema, path);
      case 'number':
      case 'integer':
        return this.#number(schema, path, type === 'integer');
      case 'boolean':
        return boolean;
      case 'null':
        return nullText;
    }
  }

  /**
   * What a property or an item refers to comes after a bracket at least, so recursion is well-founded there. A rule of
   * its own keeps the grammar as small as the schema, though it may stand in several places.
   */
  #inside(path: string, read: () => Expression): Expression {
    const wasInside = this.#isInside;
    this.#isInside = true;
    const expression = read();
    this.#isInside = wasInside;
    return refer(rule(path, expression));
  }

  #object(schema: Schema, path: string): Expression {
    const declared = schema['properties'] ?? {};
    if (!isSchemaObject(declared)) throw schemaFault(`${path}.properties`, 'expected an object of schemas');
    const required = this.#names(schema['required'], `${path}.required`);
    const min = this.#count(schema, path, 'minProperties', 0);
    const max = this.#count(schema, path, 'maxProperties', Infinity);
    const undeclared = required.filter((name) => !Object.hasOwn(declared, name));
    const names = [...Object.keys(declared), ...undeclared];
    const long = names.find((name) => name.length > maxNameLength);
    if (long !== undefined) {
      const shown = JSON.stringify(`${long.slice(0, 20)}…`);
      throw schemaFault(
        `${path}.properties`,
        `expected names of at most ${maxNameLength} characters, got ${shown}`,
      );
    }
    const allowsOthers = schema['additionalProperties'] ?? !('properties' in schema);
    if (names.length === 0 && allowsOthers === true && min === 0 && max === Infinity) return anyObject;
    const others = this.#value(schema['additionalProperties'] ?? true, `${path}.additionalProperties`);
    if (min > required.length)
      throw schemaFault(
        `${path}.minProperties`,
        `expected at most ${required.length}, the number of required properties`,
      );
    if (max < names.length)
      throw schemaFault(
        `${path}.maxProperties`,
        `expected at least ${names.length}, the number of properties`,
      );
    const properties = names.map((name) => ({
      name,
      value: Object.hasOwn(declared, name)
        ? this.#value(declared[name], `${path}.properties.${name}`)
        : others,
      isRequired: required.includes(name),
    }));
    return objectOf(properties, allowsOthers === false ? undefined : others, max - names.length);
  }

  #array(schema: Schema, path: string): Expression {
    if (schema['uniqueItems'] !== undefined && schema['uniqueItems'] !== false) {
      throw schemaFault(`${path}.uniqueItems`, 'this keyword is not supported');
    }
    const min = this.#count(schema, path, 'minItems', 0);
    const max = this.#count(schema, path, 'maxItems', Infinity);
    const { prefixItems, items } = schema;
    if (min > max) return never;
    if (prefixItems === undefined) {
      if (items === undefined && min === 0 && max === Infinity) return anyArray;
      const item = items === undefined ? anyValue : this.#value(items, `${path}.items`);
      return bracketed('[', listOf(item, { min, max }), ']');
    }
    const first = this.#schemas(prefixItems, `${path}.prefixItems`).slice(0, max);
    const heads = first.map((entry, index) => this.#value(entry, `${path}.prefixItems[${index}]`));
    // Without `items`, nothing says what comes behind the first ones: as many as needed.
    const rest =
      items === undefined && min <= heads.length ? never : this.#value(items ?? true, `${path}.items`);
    const most = Math.max(0, max - heads.length);
    let content = repeat(sequence(comma, rest), { min: Math.max(0, min - heads.length), max: most });
    for (const [index, head] of [...heads.entries()].toReversed()) {
      const some = sequence(...(index > 0 ? [comma] : []), head, content);
      content = index < min ? some : choice(some, empty);
    }
    return bracketed('[', content, ']');
  }

  #string(schema: Schema, path: string): Expression {
    const { pattern, format } = schema;
    const min = this.#count(schema, path, 'minLength', 0);
    const max = this.#count(schema, path, 'maxLength', Infinity);
    const isBounded = min > 0 || max < Infinity;
    if (pattern === undefined && format === undefined) {
      return !isBounded ? anyString : min > max ? never : stringOf({ min, max });
    }
    const keyword = pattern === undefined ? 'format' : 'pattern';
    if (isBounded)
      throw schemaFault(`${path}.${keyword}`, 'expected no `minLength` or `maxLength` beside it');
    if (pattern !== undefined && format !== undefined)
      throw schemaFault(`${path}.pattern`, 'expected no `format` beside it');
    return sequence(text('"'), this.#matching(keyword, schema[keyword], `${path}.${keyword}`), text('"'));
  }

  #matching(keyword: 'pattern' | 'format', value: unknown, path: string): Expression {
    if (typeof value !== 'string') throw schemaFault(path, 'expected a string');
    const pattern = keyword === 'pattern' ? value : patternOfFormat(value);
    if (pattern === undefined) {
      throw schemaFault(path, `expected one of ${stringFormats.join(', ')}, got ${JSON.stringify(value)}`);
    }
    try {
      return stringMatching(pattern);
    } catch (error) {
      throw schemaFault(path, (error as RangeError).message);
    }
  }

  #number(schema: Schema, path: string, isInteger: boolean): Expression {
    const { format, type } = schema;
    const isStringFormat = format === undefined || (Array.isArray(type) && type.includes('string'));
    const range = isStringFormat ? {} : numberFormatRange(format);
    if (!range)
      throw schemaFault(
        `${path}.format`,
        `expected int32, int64, float, double, got ${JSON.stringify(format)}`,
      );
    return numberOf({ ...range, ...schema }, path, { isInteger });
  }

  #count(schema: Schema, path: string, keyword: string, fallback: number): number {
    const value = schema[keyword];
    if (value === undefined) return fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
    throw schemaFault(`${path}.${keyword}`, 'expected a non-negative integer');
  }

  #names(value: unknown, path: string): string[] {
    if (value === undefined) return [];
    if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return [...new Set(value)];
    throw schemaFault(path, 'expected a list of names');
  }
}

function isConstant(keyword: string): boolean {
  return keyword === 'const' || keyword === 'enum';
}

function decodePointer(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
