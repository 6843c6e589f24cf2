import { getOrCreate } from '../../get-or-create.ts';
import { orElse } from '../../text/or-else.ts';
import type { Literal, SchemaDocument } from './document.ts';
import { patternOfFormat, widePatternOfFormat } from './string-format.ts';
import {
  allTypes,
  canonicalText,
  itemSchemas,
  keywordTypes,
  readNames,
  readSchemaMap,
  readSchemas,
  schemaFault,
  typeBits,
  typeBitsOf,
  typesOfKeyword,
} from './keywords.ts';
import { isSchemaObject, type Schema } from './json-types.ts';

/** A set of keys of an object. */
export type KeySet =
  | { readonly kind: 'pattern'; readonly pattern: unknown; readonly path: string }
  /** Keys that neither `properties` nor `patternProperties` of the schema name. */
  | { readonly kind: 'other'; readonly schema: Schema; readonly path: string }
  /** Keys that match as strings. */
  | { readonly kind: 'names'; readonly literal: Literal };

/** Something that a value has to satisfy, apart from its type. */
export type Atom =
  /** The keywords of a schema that act on one type each. */
  | {
      readonly kind: 'schema';
      readonly schema: Schema;
      readonly path: string;
      /** Whether it comes from a schema that must not match, and thus evaluates nothing. */
      readonly isSilent?: boolean;
    }
  /** `isWide`: the pattern holds more than what has to be left out. */
  | {
      readonly kind: 'not-pattern';
      readonly pattern: unknown;
      readonly path: string;
      readonly isWide?: boolean;
    }
  | { readonly kind: 'not-multiple'; readonly step: unknown; readonly path: string }
  /** An object has the property, and its value matches. */
  | { readonly kind: 'property'; readonly name: string; readonly literal: Literal }
  | { readonly kind: 'some-property'; readonly keys: KeySet; readonly literal: Literal }
  /** An array has an item at `from` or after it that matches. */
  | { readonly kind: 'some-item'; readonly from: number; readonly literal: Literal; readonly path: string }
  /** A schema for keys that none of these schemas names. */
  | {
      readonly kind: 'unevaluated';
      readonly evaluated: readonly Schema[];
      readonly of: 'properties' | 'items';
      readonly literal: Literal;
    };

/** Conditions that hold at once, without alternatives. */
export interface Clause {
  readonly types: number;
  /** Nothing but these. */
  readonly values: readonly unknown[] | undefined;
  /** None of these. */
  readonly excluded: readonly unknown[];
  readonly atoms: readonly Atom[];
  readonly required: readonly string[];
  readonly absent: readonly string[];
}

const anything: Clause = {
  types: allTypes,
  values: undefined,
  excluded: [],
  atoms: [],
  required: [],
  absent: [],
};

/** Objects that lack a property. */
function without(name: string): Clause {
  return { ...anything, types: typeBits.object, absent: [name] };
}

const maxClauses = 512;
/** Beyond, clauses are searched for ones that say nothing of their own. */
const manyClauses = 64;
const maxDepth = 200;
/** Levels of properties down to which two schemas are compared. */
const maxComparedDepth = 3;

/**
 * Brings schemas into disjunctive form: alternatives of conditions that hold at once. Applicators in place (`allOf`,
 * `anyOf`, `oneOf`, `not`, `if`, `$ref`, dependencies) are resolved, and `not` is pushed down to the keywords.
 */
export function createClauseReader(document: SchemaDocument, spend: (steps: number) => void) {
  const known = new Map<Literal, readonly Clause[]>();
  const open = new Set<Literal>();
  /** Results of `isNever`. */
  const never = new Map<string, boolean>();
  return { read, isNever, reference };

  /** @returns the alternatives; none where nothing matches all literals */
  function read(literals: readonly Literal[], path: string): readonly Clause[] {
    return literals.reduce<readonly Clause[]>(
      (clauses, literal) => product(clauses, clausesOf(literal), path),
      [anything],
    );
  }

  /** Whether nothing matches all literals, as far as is known without looking at texts and numbers. */
  function isNever(literals: readonly Literal[], path: string, depth = maxComparedDepth): boolean {
    const key = `${depth} ${literals.map(({ id }) => id).join()}`;
    return getOrCreate(never, key, () =>
      read(literals, path).every((clause) => isNeverObject(clause, path, depth)),
    );
  }

  /** Whether an object would need a property that it can't have, as far as is known. */
  function isNeverObject(clause: Clause, path: string, depth: number): boolean {
    if (clause.types !== typeBits.object || clause.values || depth === 0) return false;
    // A property may be of the schema that is being read.
    return clause.required.some((name) =>
      orElse(() => isNever(propertyLiterals(clause, name, document), path, depth - 1), false, RangeError),
    );
  }

  function clausesOf(literal: Literal): readonly Clause[] {
    if (literal.schema === true) return [anything];
    if (literal.schema === false) return [];
    return getOrCreate(known, literal, () => {
      if (open.has(literal)) throw schemaFault(literal.path, 'expected no reference to itself');
      if (open.size > maxDepth) throw schemaFault(literal.path, 'expected fewer schemas within schemas');
      spend(1);
      const { schema, path } = literal;
      if (!isSchemaObject(schema)) throw schemaFault(path, 'expected a schema: an object or a boolean');
      open.add(literal);
      try {
        return literal.negated ? negative(schema, path).map(silenced) : positive(schema, path);
      } finally {
        open.delete(literal);
      }
    });
  }

  function positive(schema: Schema, path: string): readonly Clause[] {
    let clauses: readonly Clause[] = [own(schema, path)];
    for (const [place, others] of applied(schema, path, false)) clauses = product(clauses, others, place);
    return unevaluated(schema, path, clauses);
  }

  /** The clauses of applicators in place, by their places: all of them hold, or, negated, some. */
  function* applied(schema: Schema, path: string, negated: boolean): Iterable<[string, readonly Clause[]]> {
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      if (schema[keyword] === undefined) continue;
      const target = reference(schema, keyword, path);
      const literal = document.literal(target.schema, target.path, { negated });
      yield [`${path}.${keyword}`, clausesOf(literal)];
    }
    for (const entry of entriesOf(schema, 'allOf', path, negated)) yield [`${path}.allOf`, clausesOf(entry)];
    const place = `${path}.anyOf`;
    const any = entriesOf(schema, 'anyOf', path, negated);
    if (any.length > 0) yield [place, negated ? read(any, place) : limited(any.flatMap(clausesOf), place)];
    if (schema['oneOf'] !== undefined)
      yield [`${path}.oneOf`, negated ? notExactlyOne(schema, path) : exactlyOne(schema, path)];
    if (schema['not'] !== undefined)
      yield [`${path}.not`, clausesOf(literalOf(schema, 'not', path, !negated))];
    if (schema['if'] !== undefined) yield [`${path}.if`, conditional(schema, path, negated)];
    yield* dependencies(schema, path, negated);
  }

  /** Types, values and keywords of one type. */
  function own(schema: Schema, path: string): Clause {
    const types = schema['type'] === undefined ? allTypes : typesOfKeyword(schema['type'], `${path}.type`);
    const values = valuesOf(schema, path);
    const acts = Object.keys(schema).some(
      (keyword) => keywordTypes.has(keyword) || keyword.startsWith('unevaluated'),
    );
    const required = readNames(schema['required'], `${path}.required`);
    return (
      merge(
        { ...anything, types, values: values && distinct(values) },
        { ...anything, atoms: acts ? [{ kind: 'schema', schema, path }] : [], required },
      ) ?? { ...anything, types: 0 }
    );
  }

  function exactlyOne(schema: Schema, path: string): readonly Clause[] {
    const entries = entriesOf(schema, 'oneOf', path);
    const place = `${path}.oneOf`;
    const overlapping = entries.map((): Literal[] => []);
    for (const [index, entry] of entries.entries())
      for (const [other, against] of entries.slice(0, index).entries()) {
        spend(1);
        if (isNever([against, entry], place)) continue;
        overlapping[index]!.push(against);
        overlapping[other]!.push(entry);
      }
    const withoutOther = (clauses: readonly Clause[], { schema: of, path: at }: Literal): readonly Clause[] =>
      product(clauses, clausesOf(document.literal(of, at, { negated: true })), place);
    return limited(
      entries.flatMap((entry, index) => overlapping[index]!.reduce(withoutOther, clausesOf(entry))),
      place,
    );
  }

  function conditional(schema: Schema, path: string, negated: boolean): readonly Clause[] {
    const branch = (keyword: string): readonly Clause[] =>
      schema[keyword] === undefined
        ? negated
          ? []
          : [anything]
        : clausesOf(literalOf(schema, keyword, path, negated));
    const holds = clausesOf(literalOf(schema, 'if', path, false));
    const fails = clausesOf(literalOf(schema, 'if', path, true));
    return [
      ...product(holds, branch('then'), `${path}.then`),
      ...product(fails, branch('else'), `${path}.else`),
    ];
  }

  /** Each as clauses: the property is missing, or what depends on it holds. */
  function* dependencies(
    schema: Schema,
    path: string,
    negated: boolean,
  ): Iterable<[string, readonly Clause[]]> {
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
      const map = readSchemaMap(schema[keyword], `${path}.${keyword}`);
      for (const [name, value] of Object.entries(map)) {
        const place = `${path}.${keyword}.${name}`;
        const others = Array.isArray(value) ? readNames(value, place) : undefined;
        const present: Clause = { ...anything, types: typeBits.object, required: [name] };
        const consequence = others
          ? negated
            ? others.map((other) => without(other))
            : [{ ...anything, required: others }]
          : clausesOf(document.literal(value, place, { negated }));
        const kept = product([present], consequence, place);
        const missing: readonly Clause[] = [
          { ...anything, types: allTypes & ~typeBits.object },
          without(name),
        ];
        yield [place, negated ? kept : [...missing, ...kept]];
      }
    }
  }

  function unevaluated(schema: Schema, path: string, clauses: readonly Clause[]): readonly Clause[] {
    let result = clauses;
    for (const of of ['properties', 'items'] as const) {
      const keyword = of === 'properties' ? 'unevaluatedProperties' : 'unevaluatedItems';
      if (schema[keyword] === undefined || schema[keyword] === true) continue;
      const literal = literalOf(schema, keyword, path, false);
      // The keyword evaluates what is left; what it finds evaluated is by the others beside it.
      const { [keyword]: _, ...others } = schema;
      result = result.map((clause) => {
        const evaluated = clause.atoms.flatMap((atom) =>
          atom.kind === 'schema' && !atom.isSilent ? [atom.schema === schema ? others : atom.schema] : [],
        );
        return { ...clause, atoms: [...clause.atoms, { kind: 'unevaluated', evaluated, of, literal }] };
      });
    }
    return result;
  }

  /** Alternatives of which each breaks one keyword. */
  function negative(schema: Schema, path: string): readonly Clause[] {
    const clauses: Clause[] = [];
    const values = valuesOf(schema, path);
    if (schema['type'] !== undefined) {
      const types = typesOfKeyword(schema['type'], `${path}.type`);
      clauses.push({ ...anything, types: allTypes & ~types });
    }
    if (values) clauses.push({ ...anything, excluded: distinct(values) });
    for (const [, others] of applied(schema, path, true)) clauses.push(...others);
    for (const keyword of ['unevaluatedProperties', 'unevaluatedItems']) {
      if (schema[keyword] !== undefined && schema[keyword] !== true)
        throw schemaFault(`${path}.${keyword}`, 'this keyword is not supported under `not`');
    }
    for (const keyword of Object.keys(schema)) {
      const types = keywordTypes.get(keyword);
      if (types === undefined) continue;
      for (const clause of broken(keyword, schema, path))
        clauses.push({ ...clause, types: clause.types & types });
    }
    return limited(clauses, path);
  }

  function notExactlyOne(schema: Schema, path: string): Clause[] {
    const place = `${path}.oneOf`;
    const entries = entriesOf(schema, 'oneOf', path);
    const none = read(entriesOf(schema, 'oneOf', path, true), place);
    const pairs = entries.flatMap((entry, index) =>
      entries.slice(0, index).flatMap((other) => read([other, entry], place)),
    );
    return [...none, ...pairs];
  }

  /** Values of the keyword's type that break it. */
  function broken(keyword: string, schema: Schema, path: string): readonly Clause[] {
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
        // What is known to lack the format; of a format that is not known nothing is.
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

  /** The literal that a schema with a reference stands for; references to references are followed. */
  function reference(schema: Schema, keyword: string, path: string): Literal {
    const place = `${path}.${keyword}`;
    let { schema: target, path: at } = document.resolve(schema, keyword, place);
    const seen = new Set<unknown>([schema]);
    while (isSchemaObject(target) && isReferenceAlone(target)) {
      if (seen.has(target)) throw schemaFault(`${at}.$ref`, 'expected no reference to itself');
      seen.add(target);
      ({ schema: target, path: at } = document.resolve(target, '$ref', `${at}.$ref`));
    }
    if (seen.has(target)) throw schemaFault(place, 'expected no reference to itself');
    return document.literal(target, at);
  }

  function literalOf(schema: Schema, keyword: string, path: string, negated: boolean): Literal {
    return document.literal(schema[keyword], `${path}.${keyword}`, { negated });
  }

  function entriesOf(schema: Schema, keyword: string, path: string, negated = false): Literal[] {
    if (schema[keyword] === undefined) return [];
    const place = `${path}.${keyword}`;
    return readSchemas(schema[keyword], place).map((entry, index) =>
      document.literal(entry, `${place}[${index}]`, { negated }),
    );
  }

  function product(left: readonly Clause[], right: readonly Clause[], path: string): readonly Clause[] {
    if (left.length === 1 && left[0] === anything) return right;
    if (right.length === 1 && right[0] === anything) return left;
    let result: Clause[] = [];
    for (const a of left) {
      for (const b of right) {
        spend(1);
        const merged = merge(a, b);
        if (merged) result.push(merged);
      }
      if (result.length > maxClauses) result = [...limited(result, path)];
    }
    return result.length > manyClauses ? limited(result, path) : result;
  }

  function limited(clauses: readonly Clause[], path: string): readonly Clause[] {
    if (clauses.length <= manyClauses) return clauses;
    spend(clauses.length);
    const kept = withoutSpecial(clauses).filter((clause) => !isNeverObject(clause, path, maxComparedDepth));
    if (kept.length > maxClauses) throw schemaFault(path, 'expected fewer combinations of alternatives');
    return kept;
  }
}

function merge(a: Clause, b: Clause): Clause | undefined {
  let types = a.types & b.types;
  const required = both(a.required, b.required);
  const absent = both(a.absent, b.absent);
  if (absent.length > 0 && required.some((name) => absent.includes(name))) types &= ~typeBits.object;
  let values = a.values ?? b.values;
  if (a.values && b.values) {
    const known = new Set(b.values.map(canonicalText));
    values = a.values.filter((value) => known.has(canonicalText(value)));
  }
  const excluded = both(a.excluded, b.excluded);
  if (values) {
    values = values.filter((value) => (typeBitsOf(value) & types) !== 0);
    if (excluded.length > 0) {
      const known = new Set(excluded.map(canonicalText));
      values = values.filter((value) => !known.has(canonicalText(value)));
    }
    types &= values.reduce<number>((bits, value) => bits | typeBitsOf(value), 0);
  }
  if (types === 0) return undefined;
  return { types, values, excluded, atoms: both(a.atoms, b.atoms), required, absent };
}

/** `null`, `true` and `false`, as far as a clause allows them. */
export function wordsOf({ types, excluded }: Clause): readonly unknown[] {
  const words = [
    ...(types & typeBits.null ? [null] : []),
    ...(types & typeBits.boolean ? [true, false] : []),
  ];
  return words.filter((word) => !excluded.includes(word));
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

export type ClauseReader = ReturnType<typeof createClauseReader>;

function silenced(clause: Clause): Clause {
  const atoms = clause.atoms.map((atom) => (atom.kind === 'schema' ? { ...atom, isSilent: true } : atom));
  return { ...clause, atoms };
}

/** Without the clauses that another one holds. */
function withoutSpecial(clauses: readonly Clause[]): readonly Clause[] {
  const kept: Clause[] = [];
  for (const clause of clauses.toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    if (!kept.some((general) => includes(general, clause))) kept.push(clause);
  }
  return kept.length === clauses.length ? clauses : clauses.filter((clause) => kept.includes(clause));
}

function sizeOf({ atoms, required, absent, excluded }: Clause): number {
  return atoms.length + required.length + absent.length + excluded.length;
}

function includes(general: Clause, special: Clause): boolean {
  if ((special.types & ~general.types) !== 0 || (general.values && general.values !== special.values))
    return false;
  const within = (a: readonly unknown[], b: readonly unknown[]): boolean =>
    a.every((item) => b.includes(item));
  return (
    within(general.required, special.required) &&
    within(general.absent, special.absent) &&
    within(general.atoms, special.atoms) &&
    within(general.excluded, special.excluded)
  );
}

function both<Item>(a: readonly Item[], b: readonly Item[]): readonly Item[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  return [...new Set([...a, ...b])];
}

function valuesOf(schema: Schema, path: string): readonly unknown[] | undefined {
  const { const: constant, enum: values } = schema;
  if (values !== undefined && !Array.isArray(values)) throw schemaFault(`${path}.enum`, 'expected a list');
  const listed = values as readonly unknown[] | undefined;
  if (constant === undefined) return listed;
  if (!listed) return [constant];
  return listed.filter((value) => canonicalText(value) === canonicalText(constant));
}

function distinct(values: readonly unknown[]): readonly unknown[] {
  if (values.every((value) => typeof value === 'string')) return [...new Set(values)];
  return [...new Map(values.map((value) => [canonicalText(value), value])).values()];
}

/** Keywords that describe a schema and restrict nothing. */
export const annotationKeywords: readonly string[] = [
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  '$defs',
  'definitions',
];
const besideReference = new Set(['$ref', ...annotationKeywords]);

/** Whether a schema says nothing but what its reference says. */
export function isReferenceAlone(schema: Schema): boolean {
  if (schema['$ref'] === undefined) return false;
  return Object.keys(schema).every((keyword) => besideReference.has(keyword));
}

/**
 * The schemas that the value of a property has to match, by the names alone. Patterns are left out: this is
 * for telling schemas apart; documents are written by the exact rules.
 */
function propertyLiterals(clause: Clause, name: string, document: SchemaDocument): readonly Literal[] {
  const literals: Literal[] = [];
  for (const atom of clause.atoms) {
    if (atom.kind === 'property' && atom.name === name) literals.push(atom.literal);
    if (atom.kind !== 'schema') continue;
    const { properties, patternProperties, additionalProperties } = atom.schema;
    if (isSchemaObject(properties) && Object.hasOwn(properties, name)) {
      literals.push(document.literal(properties[name], `${atom.path}.properties.${name}`));
    } else if (patternProperties === undefined && additionalProperties !== undefined) {
      literals.push(document.literal(additionalProperties, `${atom.path}.additionalProperties`));
    }
  }
  return literals;
}
