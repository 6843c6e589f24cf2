import { getOrCreate } from '../../get-or-create.ts';
import { orElse } from '../../text/or-else.ts';
import type { Literal, SchemaDocument } from './document.ts';
import { broken } from './broken.ts';
import { anything, merge, silenced, without, withoutSpecial, type Clause } from './clause.ts';
import {
  allTypes,
  canonicalText,
  isReferenceAlone,
  keywordTypes,
  readNames,
  readSchemaMap,
  readSchemas,
  schemaFault,
  typeBits,
  typesOfKeyword,
} from './keywords.ts';
import { isSchemaObject, type Schema } from './json-types.ts';

const maxClauses = 512;
/** Beyond this number, redundant clauses are removed. */
const manyClauses = 64;
const maxDepth = 200;
/** Levels of properties to which two schemas are compared. */
const maxComparedDepth = 3;

/**
 * Converts schemas to disjunctive normal form: alternatives of conjunctions. In-place applicators (`allOf`, `anyOf`,
 * `oneOf`, `not`, `if`, `$ref`, dependencies) are resolved, and `not` is pushed down to the keywords.
 */
export class ClauseReader {
  readonly #document: SchemaDocument;
  readonly #spend: (steps: number) => void;
  readonly #known = new Map<Literal, readonly Clause[]>();
  readonly #open = new Set<Literal>();
  readonly #never = new Map<string, boolean>();

  constructor(document: SchemaDocument, spend: (steps: number) => void) {
    this.#document = document;
    this.#spend = spend;
  }

  /** @returns the alternatives; empty if no value matches all literals */
  read(literals: readonly Literal[], path: string): readonly Clause[] {
    return literals.reduce<readonly Clause[]>(
      (clauses, literal) => this.#product(clauses, this.#clausesOf(literal), path),
      [anything],
    );
  }

  /** Whether no value matches all literals, as far as types and structure tell; texts and numbers aren't examined. */
  isNever(literals: readonly Literal[], path: string, depth = maxComparedDepth): boolean {
    const key = `${depth} ${literals.map(({ id }) => id).join()}`;
    return getOrCreate(this.#never, key, () =>
      this.read(literals, path).every((clause) => this.#isNeverObject(clause, path, depth)),
    );
  }

  /** Whether an object would need a property that it can't have. */
  #isNeverObject(clause: Clause, path: string, depth: number): boolean {
    if (clause.types !== typeBits.object || clause.values || depth === 0) return false;
    // The property's schema may be the one that is being read.
    return clause.required.some((name) =>
      orElse(
        () => this.isNever(propertyLiterals(clause, name, this.#document), path, depth - 1),
        false,
        RangeError,
      ),
    );
  }

  #clausesOf(literal: Literal): readonly Clause[] {
    if (literal.schema === true) return [anything];
    if (literal.schema === false) return [];
    return getOrCreate(this.#known, literal, () => {
      if (this.#open.has(literal)) throw schemaFault(literal.path, 'expected no reference to itself');
      if (this.#open.size > maxDepth)
        throw schemaFault(literal.path, 'expected fewer schemas within schemas');
      this.#spend(1);
      const { schema, path } = literal;
      if (!isSchemaObject(schema)) throw schemaFault(path, 'expected a schema: an object or a boolean');
      this.#open.add(literal);
      try {
        return literal.negated ? this.#negative(schema, path).map(silenced) : this.#positive(schema, path);
      } finally {
        this.#open.delete(literal);
      }
    });
  }

  #positive(schema: Schema, path: string): readonly Clause[] {
    let clauses: readonly Clause[] = [this.#own(schema, path)];
    for (const [place, others] of this.#applied(schema, path, false))
      clauses = this.#product(clauses, others, place);
    return this.#unevaluated(schema, path, clauses);
  }

  /** The clauses of in-place applicators, with their paths: all of them must hold or, negated, any. */
  *#applied(schema: Schema, path: string, negated: boolean): Iterable<[string, readonly Clause[]]> {
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      if (schema[keyword] === undefined) continue;
      const target = this.reference(schema, keyword, path);
      const literal = this.#document.literal(target.schema, target.path, { negated });
      yield [`${path}.${keyword}`, this.#clausesOf(literal)];
    }
    for (const entry of this.#entriesOf(schema, 'allOf', path, negated))
      yield [`${path}.allOf`, this.#clausesOf(entry)];
    const place = `${path}.anyOf`;
    const any = this.#entriesOf(schema, 'anyOf', path, negated);
    if (any.length > 0)
      yield [
        place,
        negated
          ? this.read(any, place)
          : this.#limited(
              any.flatMap((literal) => this.#clausesOf(literal)),
              place,
            ),
      ];
    if (schema['oneOf'] !== undefined)
      yield [`${path}.oneOf`, negated ? this.#notExactlyOne(schema, path) : this.#exactlyOne(schema, path)];
    if (schema['not'] !== undefined)
      yield [`${path}.not`, this.#clausesOf(this.#literalOf(schema, 'not', path, !negated))];
    if (schema['if'] !== undefined) yield [`${path}.if`, this.#conditional(schema, path, negated)];
    yield* this.#dependencies(schema, path, negated);
  }

  /** Types, values and keywords of one type. */
  #own(schema: Schema, path: string): Clause {
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

  #exactlyOne(schema: Schema, path: string): readonly Clause[] {
    const entries = this.#entriesOf(schema, 'oneOf', path);
    const place = `${path}.oneOf`;
    const overlapping = entries.map((): Literal[] => []);
    for (const [index, entry] of entries.entries())
      for (const [other, against] of entries.slice(0, index).entries()) {
        this.#spend(1);
        if (this.isNever([against, entry], place)) continue;
        overlapping[index]!.push(against);
        overlapping[other]!.push(entry);
      }
    const withoutOther = (clauses: readonly Clause[], { schema: of, path: at }: Literal): readonly Clause[] =>
      this.#product(clauses, this.#clausesOf(this.#document.literal(of, at, { negated: true })), place);
    return this.#limited(
      entries.flatMap((entry, index) => overlapping[index]!.reduce(withoutOther, this.#clausesOf(entry))),
      place,
    );
  }

  #conditional(schema: Schema, path: string, negated: boolean): readonly Clause[] {
    const branch = (keyword: string): readonly Clause[] =>
      schema[keyword] === undefined
        ? negated
          ? []
          : [anything]
        : this.#clausesOf(this.#literalOf(schema, keyword, path, negated));
    const holds = this.#clausesOf(this.#literalOf(schema, 'if', path, false));
    const fails = this.#clausesOf(this.#literalOf(schema, 'if', path, true));
    return [
      ...this.#product(holds, branch('then'), `${path}.then`),
      ...this.#product(fails, branch('else'), `${path}.else`),
    ];
  }

  /** For each dependency: the property is missing, or the dependent schema holds. */
  *#dependencies(schema: Schema, path: string, negated: boolean): Iterable<[string, readonly Clause[]]> {
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
          : this.#clausesOf(this.#document.literal(value, place, { negated }));
        const kept = this.#product([present], consequence, place);
        const missing: readonly Clause[] = [
          { ...anything, types: allTypes & ~typeBits.object },
          without(name),
        ];
        yield [place, negated ? kept : [...missing, ...kept]];
      }
    }
  }

  #unevaluated(schema: Schema, path: string, clauses: readonly Clause[]): readonly Clause[] {
    let result = clauses;
    for (const of of ['properties', 'items'] as const) {
      const keyword = of === 'properties' ? 'unevaluatedProperties' : 'unevaluatedItems';
      if (schema[keyword] === undefined || schema[keyword] === true) continue;
      const literal = this.#literalOf(schema, keyword, path, false);
      // The keyword covers everything that the rest of the schema doesn't evaluate.
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

  /** Alternatives, each of which violates one keyword. */
  #negative(schema: Schema, path: string): readonly Clause[] {
    const clauses: Clause[] = [];
    const values = valuesOf(schema, path);
    if (schema['type'] !== undefined) {
      const types = typesOfKeyword(schema['type'], `${path}.type`);
      clauses.push({ ...anything, types: allTypes & ~types });
    }
    if (values) clauses.push({ ...anything, excluded: distinct(values) });
    for (const [, others] of this.#applied(schema, path, true)) clauses.push(...others);
    for (const keyword of ['unevaluatedProperties', 'unevaluatedItems']) {
      if (schema[keyword] !== undefined && schema[keyword] !== true)
        throw schemaFault(`${path}.${keyword}`, 'this keyword is not supported under `not`');
    }
    for (const keyword of Object.keys(schema)) {
      const types = keywordTypes.get(keyword);
      if (types === undefined) continue;
      for (const clause of broken(keyword, schema, path, this.#document))
        clauses.push({ ...clause, types: clause.types & types });
    }
    return this.#limited(clauses, path);
  }

  #notExactlyOne(schema: Schema, path: string): Clause[] {
    const place = `${path}.oneOf`;
    const entries = this.#entriesOf(schema, 'oneOf', path);
    const none = this.read(this.#entriesOf(schema, 'oneOf', path, true), place);
    const pairs = entries.flatMap((entry, index) =>
      entries.slice(0, index).flatMap((other) => this.read([other, entry], place)),
    );
    return [...none, ...pairs];
  }

  /** The literal of a schema's reference; chains of references are followed. */
  reference(schema: Schema, keyword: string, path: string): Literal {
    const place = `${path}.${keyword}`;
    let { schema: target, path: at } = this.#document.resolve(schema, keyword, place);
    const seen = new Set<unknown>([schema]);
    while (isSchemaObject(target) && isReferenceAlone(target)) {
      if (seen.has(target)) throw schemaFault(`${at}.$ref`, 'expected no reference to itself');
      seen.add(target);
      ({ schema: target, path: at } = this.#document.resolve(target, '$ref', `${at}.$ref`));
    }
    if (seen.has(target)) throw schemaFault(place, 'expected no reference to itself');
    return this.#document.literal(target, at);
  }

  #literalOf(schema: Schema, keyword: string, path: string, negated: boolean): Literal {
    return this.#document.literal(schema[keyword], `${path}.${keyword}`, { negated });
  }

  #entriesOf(schema: Schema, keyword: string, path: string, negated = false): Literal[] {
    if (schema[keyword] === undefined) return [];
    const place = `${path}.${keyword}`;
    return readSchemas(schema[keyword], place).map((entry, index) =>
      this.#document.literal(entry, `${place}[${index}]`, { negated }),
    );
  }

  #product(left: readonly Clause[], right: readonly Clause[], path: string): readonly Clause[] {
    if (left.length === 1 && left[0] === anything) return right;
    if (right.length === 1 && right[0] === anything) return left;
    let result: Clause[] = [];
    for (const a of left) {
      for (const b of right) {
        this.#spend(1);
        const merged = merge(a, b);
        if (merged) result.push(merged);
      }
      if (result.length > maxClauses) result = [...this.#limited(result, path)];
    }
    return result.length > manyClauses ? this.#limited(result, path) : result;
  }

  #limited(clauses: readonly Clause[], path: string): readonly Clause[] {
    if (clauses.length <= manyClauses) return clauses;
    this.#spend(clauses.length);
    const kept = withoutSpecial(clauses).filter(
      (clause) => !this.#isNeverObject(clause, path, maxComparedDepth),
    );
    if (kept.length > maxClauses) throw schemaFault(path, 'expected fewer combinations of alternatives');
    return kept;
  }
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

/**
 * The schemas that a property's value has to match, by name only. Patterns are ignored: this only compares schemas;
 * documents follow the exact rules.
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
