import { getOrCreate } from '../../get-or-create.ts';
import type { Atom, Clause, KeySet } from './clause.ts';
import type { ClauseReader } from './clauses.ts';
import type { Literal, SchemaDocument } from './document.ts';
import { canonicalText, itemSchemas, readCount, readSchemaMap, schemaFault, typeBitsOf } from './keywords.ts';
import { isNumeric, isSchemaObject, type Numeric, type Schema } from './json-types.ts';
import type { TextLanguages } from './texts.ts';
import { isDecimalMultiple } from './number.ts';

export interface SchemaParts {
  readonly document: SchemaDocument;
  readonly clauses: ClauseReader;
  readonly texts: TextLanguages;
  readonly evaluator: Evaluator;
}

/** The parts for checking constants; `spend` counts the steps. */
interface EvaluatorSetting extends Omit<SchemaParts, 'evaluator'> {
  readonly spend: (steps: number) => void;
}

/** Checks values against clauses, for the constants of a schema that must match the rest of it. */
export class Evaluator {
  readonly #setting: EvaluatorSetting;
  readonly #lists = new Map<readonly unknown[], ReadonlySet<string>>();

  constructor(setting: EvaluatorSetting) {
    this.#setting = setting;
  }

  fits(value: unknown, { types, values, excluded, atoms, required, absent }: Clause): boolean {
    this.#setting.spend(1);
    return (
      (typeBitsOf(value) & types) !== 0 &&
      (!values || this.#isAmong(value, values)) &&
      (excluded.length === 0 || !this.#isAmong(value, excluded)) &&
      (!isSchemaObject(value) ||
        (required.every((name) => Object.hasOwn(value, name)) &&
          !absent.some((name) => Object.hasOwn(value, name)))) &&
      atoms.every((atom) => this.#meets(value, atom))
    );
  }

  #isAmong(value: unknown, list: readonly unknown[]): boolean {
    return getOrCreate(this.#lists, list, () => new Set(list.map(canonicalText))).has(canonicalText(value));
  }

  #matches(value: unknown, literal: Literal): boolean {
    return this.#setting.clauses.read([literal], literal.path).some((clause) => this.fits(value, clause));
  }

  #matchesSchema(value: unknown, schema: unknown, path: string): boolean {
    return this.#matches(value, this.#setting.document.literal(schema, path));
  }

  #matchesPattern(text: string, pattern: unknown, path: string): boolean {
    return this.#setting.texts.includes(this.#setting.texts.pattern(pattern, path), text, path);
  }

  #meets(value: unknown, atom: Atom): boolean {
    if (atom.kind === 'schema') {
      const { schema, path } = atom;
      if (typeof value === 'string') return this.#fitsString(value, schema, path);
      if (isNumeric(value)) return this.#fitsNumber(value, schema, path);
      if (Array.isArray(value)) return this.#fitsArray(value, schema, path);
      return !isSchemaObject(value) || this.#fitsObject(value, schema, path);
    }
    if (atom.kind === 'not-pattern') {
      if (!atom.isWide) return !this.#matchesPattern(value as string, atom.pattern, atom.path);
      throw schemaFault(atom.path, 'this keyword is not supported under `not` beside constants');
    }
    if (atom.kind === 'not-multiple') return !isDecimalMultiple(value as Numeric, atom.step, atom.path);
    const { literal } = atom;
    if (atom.kind === 'some-item')
      return (value as unknown[]).slice(atom.from).some((item) => this.#matches(item, literal));
    if (atom.kind === 'unevaluated') {
      if (atom.of === 'items' ? !Array.isArray(value) : !isSchemaObject(value)) return true;
      throw schemaFault(literal.path, 'this keyword is not supported beside constants');
    }
    const members = Object.entries(value as Schema);
    return members.some(
      ([name, member]) =>
        (atom.kind === 'property' ? name === atom.name : this.#isOneOf(name, atom.keys)) &&
        this.#matches(member, literal),
    );
  }

  #isOneOf(name: string, keys: KeySet): boolean {
    if (keys.kind === 'pattern') return this.#matchesPattern(name, keys.pattern, keys.path);
    if (keys.kind === 'names') return this.#matches(name, keys.literal);
    return this.#describing(name, keys.schema, keys.path).length === 0;
  }

  /** The schemas for a property name in `properties` and `patternProperties`. */
  #describing(name: string, schema: Schema, path: string): readonly Literal[] {
    const properties = readSchemaMap(schema['properties'], `${path}.properties`);
    const own = Object.hasOwn(properties, name)
      ? [this.#setting.document.literal(properties[name], `${path}.properties.${name}`)]
      : [];
    const patterns = this.#setting.document
      .named(schema, 'patternProperties', path)
      .filter(([pattern]) => this.#matchesPattern(name, pattern, `${path}.patternProperties.${pattern}`));
    return [...own, ...patterns.map(([, literal]) => literal)];
  }

  /** Whether a count is between the values of two keywords. */
  #isWithin(count: number, schema: Schema, path: string, kind: string, least = 0): boolean {
    return (
      count >= readCount(schema, `min${kind}`, path, least) &&
      count <= readCount(schema, `max${kind}`, path, Infinity)
    );
  }

  #fitsString(value: string, schema: Schema, path: string): boolean {
    const { pattern, format } = schema;
    if (!this.#isWithin(Array.from(value).length, schema, path, 'Length')) return false;
    if (pattern !== undefined && !this.#matchesPattern(value, pattern, `${path}.pattern`)) return false;
    const known = format === undefined ? undefined : this.#setting.texts.format(format, `${path}.format`);
    return !known || this.#setting.texts.includes(known, value, `${path}.format`);
  }

  #fitsNumber(value: Numeric, schema: Schema, path: string): boolean {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    const isBelow = (bound: unknown, exclusive: boolean): boolean =>
      isNumeric(bound) && (exclusive ? value <= bound : value < bound);
    const isAbove = (bound: unknown, exclusive: boolean): boolean =>
      isNumeric(bound) && (exclusive ? value >= bound : value > bound);
    if (isBelow(minimum, exclusiveMinimum === true) || isBelow(exclusiveMinimum, true)) return false;
    if (isAbove(maximum, exclusiveMaximum === true) || isAbove(exclusiveMaximum, true)) return false;
    return multipleOf === undefined || isDecimalMultiple(value, multipleOf, `${path}.multipleOf`);
  }

  #fitsArray(values: readonly unknown[], schema: Schema, path: string): boolean {
    if (!this.#isWithin(values.length, schema, path, 'Items')) return false;
    if (schema['uniqueItems'] === true && new Set(values.map(canonicalText)).size < values.length)
      return false;
    const { heads, rest, restKeyword } = itemSchemas(schema);
    const areItems = values.every((value, index) =>
      index < heads.length
        ? this.#matchesSchema(value, heads[index], `${path}.prefixItems[${index}]`)
        : this.#matchesSchema(value, rest, `${path}.${restKeyword}`),
    );
    if (!areItems || schema['contains'] === undefined) return areItems;
    const found = values.filter((value) =>
      this.#matchesSchema(value, schema['contains'], `${path}.contains`),
    );
    return this.#isWithin(found.length, schema, path, 'Contains', 1);
  }

  #fitsObject(value: Schema, schema: Schema, path: string): boolean {
    const { additionalProperties: others = true, propertyNames = true } = schema;
    const names = Object.keys(value);
    if (!this.#isWithin(names.length, schema, path, 'Properties')) return false;
    return names.every((name) => {
      const own = this.#describing(name, schema, path);
      const literals =
        own.length > 0 ? own : [this.#setting.document.literal(others, `${path}.additionalProperties`)];
      return (
        literals.every((literal) => this.#matches(value[name], literal)) &&
        this.#matchesSchema(name, propertyNames, `${path}.propertyNames`)
      );
    });
  }
}
