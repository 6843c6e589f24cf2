import { getOrCreate } from '../get-or-create.ts';
import { choice, never, refer, rule, type Expression, type Rule } from '../languages/expression.ts';
import type { Language } from '../languages/language.ts';
import { jsonNotation, type ArgumentsNotation, type Notation } from './notation.ts';
import { runSteps } from '../../run-steps.ts';
import { distinctItems } from './distinct.ts';
import { productiveExpressions } from '../languages/productive.ts';
import { arrayOf } from './array.ts';
import { createSchemaBudget, type SchemaBudget, assertSchemaSize } from './size.ts';
import { annotationKeywords, ClauseReader, isReferenceAlone, type Clause } from './clauses.ts';
import { SchemaDocument, type Literal } from './document.ts';
import { SchemaEvaluator } from './evaluate.ts';
import { isSchemaObject, numberBits, readSchemas, schemaFault, typeBits, type Schema } from './keywords.ts';
import { numberOf } from './number.ts';
import { objectOf } from './object.ts';
import { stringLanguage, stringOfClause } from './string.ts';
import { TextLanguages } from './texts.ts';

const maxOpen = 150;

/** Ways to read a schema. */
export interface SchemaOptions {
  /** How the document is written; as JSON if left out. */
  readonly notationOf?: ArgumentsNotation | undefined;
  /**
   * Whether an object may have more than the properties that are described, where no schema of it says anything about
   * others. Default false.
   */
  readonly isOpen?: boolean | undefined;
}

/**
 * A JSON Schema (draft 2020-12 and what earlier drafts wrote) as a grammar: every document that it allows is valid. Not every
 * valid document is allowed: properties come in the order of the schema, then others if the schema says something about them or
 * describes none, and numbers have at most 17 digits. Annotations and unknown keywords say nothing.
 */
export function jsonSchemaGrammar(
  schema: unknown,
  path = 'schema',
  budget = createSchemaBudget(),
  options: SchemaOptions = {},
): Expression {
  return runSteps(jsonSchemaSteps(schema, path, budget, options));
}

/** The same in slices: yields after each part of bounded cost. */
export function* jsonSchemaSteps(
  schema: unknown,
  path = 'schema',
  budget = createSchemaBudget(),
  { notationOf = () => jsonNotation, isOpen = false }: SchemaOptions = {},
): Generator<void, Expression> {
  assertSchemaSize(schema, path);
  yield;
  const expression = yield* new SchemaReader(schema, path, budget, isOpen).read(notationOf);
  if (productiveExpressions(expression)(expression)) return expression;
  // A property that closed objects need may contain itself.
  if (!isOpen) return yield* jsonSchemaSteps(schema, path, budget, { notationOf, isOpen: true });
  throw schemaFault(path, 'expected a schema that some finite document matches');
}

class SchemaReader {
  readonly #document: SchemaDocument;
  readonly #path: string;
  readonly #texts: TextLanguages;
  readonly #clauses: ClauseReader;
  readonly #evaluator: SchemaEvaluator;
  readonly #isOpen: boolean;
  /** Values by the literals that they satisfy. */
  readonly #rules = new Map<string, Rule>();
  readonly #open = new Set<string>();
  /** Values of properties and items. Read one after the other, deep schemas need no deep stack. */
  readonly #waiting: {
    readonly key: string;
    readonly literals: readonly Literal[];
    readonly path: string;
    readonly rule: Rule;
    readonly notation: Notation;
  }[] = [];

  constructor(root: unknown, path: string, budget: SchemaBudget, isOpen: boolean) {
    this.#path = path;
    this.#isOpen = isOpen;
    this.#document = new SchemaDocument(root, path);
    this.#texts = new TextLanguages(budget);
    const spend = (steps: number): void => {
      budget.keywordSteps -= steps;
      if (budget.keywordSteps < 0) throw schemaFault(path, 'expected a simpler schema');
    };
    this.#clauses = new ClauseReader(this.#document, spend);
    this.#evaluator = new SchemaEvaluator(this.#document, this.#texts, spend);
  }

  *read(notationOf: ArgumentsNotation): Generator<void, Expression> {
    const root = this.#document.literal(this.#document.root, this.#path);
    const expression = this.#inPlace([root], this.#path, notationOf(this.#texts));
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      yield;
      const { key, literals, path, rule: own, notation } = next;
      if (own.body === pending) this.#fill(own, key, literals, path, notation);
    }
    return expression;
  }

  #fill(own: Rule, key: string, literals: readonly Literal[], path: string, notation: Notation): void {
    this.#open.add(key);
    own.body = this.#body(literals, path, notation);
    this.#open.delete(key);
  }

  /** A value inside brackets: recursion is well-founded there, so it can wait. */
  #inside(literals: readonly Literal[], path: string, notation: Notation): Expression {
    const { key, needed } = this.#normal(literals, notation);
    if (needed.length === 0) return notation.anyValue;
    if (needed.some(({ schema }) => schema === false)) return never;
    let known = this.#rules.get(key);
    if (!known) {
      known = rule(path, pending);
      this.#rules.set(key, known);
      this.#waiting.push({ key, literals: needed, path, rule: known, notation });
    }
    return refer(known);
  }

  /** A value that stands for another one, whole value for whole value. */
  #inPlace(literals: readonly Literal[], path: string, notation: Notation): Expression {
    const { key, needed } = this.#normal(literals, notation);
    if (needed.length === 0) return notation.anyValue;
    if (needed.some(({ schema }) => schema === false)) return never;
    if (this.#open.has(key)) throw schemaFault(path, 'expected no reference to itself');
    if (this.#open.size > maxOpen) throw schemaFault(path, 'expected fewer schemas within schemas');
    const known = getOrCreate(this.#rules, key, () => rule(path, pending));
    if (known.body === pending) this.#fill(known, key, needed, path, notation);
    return refer(known);
  }

  /** Without what says nothing, and with the schemas that references stand for. */
  #normal(
    literals: readonly Literal[],
    { id }: Notation,
  ): { readonly key: string; readonly needed: readonly Literal[] } {
    const needed = new Map<number, Literal>();
    for (const literal of literals) {
      const target = this.#target(literal);
      if (target.schema !== true) needed.set(target.id, target);
    }
    const ids = [...needed.keys()].sort((a, b) => a - b);
    return { key: `${id} ${ids.join()}`, needed: [...needed.values()] };
  }

  #target(literal: Literal): Literal {
    const { schema, path, negated } = literal;
    if (negated || !isSchemaObject(schema) || !isReferenceAlone(schema)) return literal;
    return this.#clauses.reference(schema, '$ref', path);
  }

  #body(literals: readonly Literal[], path: string, notation: Notation): Expression {
    const [only] = literals;
    if (literals.length === 1 && only && !only.negated && isSchemaObject(only.schema)) {
      const branches = branchesOf(only.schema, only.path);
      if (branches) {
        return choice(
          ...branches.map((branch, index) => {
            const place = `${only.path}.anyOf[${index}]`;
            const at = isSchemaObject(branch) && branch['$ref'] !== undefined ? `${place}.$ref` : place;
            return this.#inPlace([this.#document.literal(branch, place)], at, notation);
          }),
        );
      }
    }
    const clauses = this.#clauses.read(literals, path);
    const constants = new Map<string, unknown>();
    const expressions = new Set<Expression>();
    for (const clause of clauses) {
      if (clause.values) {
        for (const value of clause.values) {
          const written = JSON.stringify(value);
          if (!constants.has(written) && this.#satisfies(value, literals, path))
            constants.set(written, value);
        }
      } else for (const expression of this.#typed(clause, path, notation)) expressions.add(expression);
    }
    if (constants.size > 0) expressions.add(notation.constants([...constants.values()]));
    return choice(...expressions);
  }

  #satisfies(value: unknown, literals: readonly Literal[], path: string): boolean {
    if (value === undefined) throw schemaFault(path, 'expected JSON values');
    return literals.every(({ schema, negated, path: at }) =>
      this.#evaluator.satisfies(value, schema, at, { negated }),
    );
  }

  *#typed(clause: Clause, path: string, notation: Notation): Iterable<Expression> {
    const { types, excluded } = clause;
    const complex = excluded.find((value) => typeof value === 'object' && value !== null);
    if (complex !== undefined && types & (typeBits.object | typeBits.array))
      throw schemaFault(path, 'expected no objects and arrays among constants that are ruled out');
    const words = [
      ...(types & typeBits.null ? [null] : []),
      ...(types & typeBits.boolean ? [true, false] : []),
    ];
    yield notation.constants(words.filter((word) => !excluded.includes(word)));
    if (types & numberBits) yield notation.number(numberOf(clause, this.#texts));
    yield stringOfClause(clause, this.#texts, notation);
    const valueOf = this.#inside.bind(this);
    yield arrayOf(clause, this.#document, notation, valueOf, (literals, at) =>
      distinctItems(literals, at, {
        clauses: this.#clauses,
        texts: this.#texts,
        isAllowed: (value) => this.#satisfies(value, literals, at),
      }),
    );
    yield objectOf(clause, {
      document: this.#document,
      texts: this.#texts,
      notation,
      valueOf,
      keysOf: (literal) => this.#keys(literal),
      isOpen: this.#isOpen,
    });
  }

  /** The strings that a schema for names allows. */
  #keys(literal: Literal): Language {
    const { store } = this.#texts;
    return store.union(
      ...this.#clauses.read([literal], literal.path).map((clause) => {
        if (!clause.values) return stringLanguage(clause, this.#texts);
        const names = clause.values.filter(
          (value) => typeof value === 'string' && this.#satisfies(value, [literal], literal.path),
        );
        return this.#texts.listed(names.map(String), literal.path);
      }),
    );
  }
}

/** The body of a rule that has not been read yet. */
const pending: Expression = { type: 'choice', items: [] };

const besideAnyOf = new Set(['anyOf', ...annotationKeywords, '$schema', 'discriminator']);

/** The schemas of `anyOf`, where a schema says nothing else: they can stay apart. */
function branchesOf(schema: Schema, path: string): readonly unknown[] | undefined {
  if (schema['anyOf'] === undefined || !Object.keys(schema).every((keyword) => besideAnyOf.has(keyword)))
    return undefined;
  return readSchemas(schema['anyOf'], `${path}.anyOf`);
}
