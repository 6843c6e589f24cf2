import { writeExact } from '../../text/exact-json.ts';
import { getOrCreate } from '../../get-or-create.ts';
import { choice, never, refer, rule, type Expression, type Rule } from '../languages/expression.ts';
import type { Language } from '../languages/language.ts';
import { jsonNotation, type ArgumentsNotation, type Notation } from './notation.ts';
import { productiveExpressions } from '../languages/productive.ts';
import { arrayOf } from './array.ts';
import { createSchemaBudget, type SchemaBudget, assertSchemaSize } from './size.ts';
import { wordsOf, type Clause } from './clause.ts';
import { ClauseReader } from './clauses.ts';
import { SchemaDocument, type Literal } from './document.ts';
import { Evaluator, type SchemaParts } from './evaluate.ts';
import {
  annotationKeywords,
  isReferenceAlone,
  numberBits,
  readSchemas,
  schemaFault,
  typeBits,
} from './keywords.ts';
import { isSchemaObject, type Schema } from './json-types.ts';
import { numberOf } from './number.ts';
import { objectOf } from './object.ts';
import { stringLanguage, stringOfClause } from './string.ts';
import { TextLanguages } from './texts.ts';

const maxOpen = 150;

export interface SchemaOptions {
  /** The notation of the document; default JSON. */
  readonly notationOf?: ArgumentsNotation | undefined;
  /** Whether objects may have undescribed properties if no schema restricts them. Default false. */
  readonly isOpen?: boolean | undefined;
}

/**
 * Converts a JSON Schema (draft 2020-12 and older spellings) to a grammar of valid documents, in steps of bounded cost. Some
 * documents are excluded: properties follow the schema's order, then additional ones if the schema mentions them or describes
 * no properties; numbers have at most 17 digits, integers 20 unless a bound allows more. Unknown keywords are ignored.
 */
export function* jsonSchemaSteps(
  schema: unknown,
  path = 'schema',
  budget = createSchemaBudget(),
  { notationOf = () => jsonNotation, isOpen = false }: SchemaOptions = {},
): Generator<void, Expression> {
  assertSchemaSize(schema, path);
  yield;
  const expression = yield* new SchemaReader(schema, path, budget, isOpen).steps(path, notationOf);
  if (productiveExpressions(expression)(expression)) return expression;
  // A required property of closed objects may contain itself.
  if (!isOpen) return yield* jsonSchemaSteps(schema, path, budget, { notationOf, isOpen: true });
  throw schemaFault(path, 'expected a schema that some finite document matches');
}

interface Waiting {
  readonly key: string;
  readonly literals: readonly Literal[];
  readonly path: string;
  readonly rule: Rule;
  readonly notation: Notation;
}

class SchemaReader {
  readonly #isOpen: boolean;
  readonly #parts: SchemaParts;
  /** Rules by the literals that their values satisfy. */
  readonly #rules = new Map<string, Rule>();
  readonly #open = new Set<string>();
  /** Values of properties and items, queued so that deep schemas need no deep stack. */
  readonly #waiting: Waiting[] = [];

  constructor(root: unknown, place: string, budget: SchemaBudget, isOpen: boolean) {
    const document = new SchemaDocument(root, place);
    const texts = new TextLanguages(budget);
    const spend = (steps: number): void => {
      budget.keywordSteps -= steps;
      if (budget.keywordSteps < 0) throw schemaFault(place, 'expected a simpler schema');
    };
    const clauses = new ClauseReader(document, spend);
    const evaluator = new Evaluator({ document, clauses, texts, spend });
    this.#isOpen = isOpen;
    this.#parts = { document, clauses, texts, evaluator };
  }

  *steps(place: string, notationOf: ArgumentsNotation): Generator<void, Expression> {
    const { document, texts } = this.#parts;
    const root = document.literal(document.root, place);
    const whole = this.#valueOf([root], place, notationOf(texts), false);
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      yield;
      if (next.rule.body === pending) this.#fill(next);
    }
    return whole;
  }

  #fill({ key, literals, path, rule: own, notation }: Waiting): void {
    this.#open.add(key);
    own.body = this.#bodyOf(literals, path, notation);
    this.#open.delete(key);
  }

  /** A value that satisfies all literals; a value inside brackets can be queued, since recursion is well-founded there. */
  #valueOf(literals: readonly Literal[], path: string, notation: Notation, isInside = true): Expression {
    const needed = new Map(
      literals.map((literal) => this.#targetOf(literal)).map((literal) => [literal.id, literal]),
    );
    if ([...needed.values()].some(({ schema }) => schema === false)) return never;
    needed.delete(this.#parts.document.literal(true, path).id);
    if (needed.size === 0) return notation.anyValue;
    const key = `${notation.id} ${[...needed.keys()].sort((a, b) => a - b).join()}`;
    if (!isInside && this.#open.has(key)) throw schemaFault(path, 'expected no reference to itself');
    if (!isInside && this.#open.size > maxOpen)
      throw schemaFault(path, 'expected fewer schemas within schemas');
    const isKnown = this.#rules.has(key);
    const own = getOrCreate(this.#rules, key, () => rule(path, pending));
    const value = { key, literals: [...needed.values()], path, rule: own, notation };
    if (!isInside && own.body === pending) this.#fill(value);
    if (isInside && !isKnown) this.#waiting.push(value);
    return refer(own);
  }

  /** The literal, or the target if it is only a reference. */
  #targetOf(literal: Literal): Literal {
    const { schema, path, negated } = literal;
    if (negated || !isSchemaObject(schema) || !isReferenceAlone(schema)) return literal;
    return this.#parts.clauses.reference(schema, '$ref', path);
  }

  #bodyOf(literals: readonly Literal[], path: string, notation: Notation): Expression {
    const { document, clauses, evaluator } = this.#parts;
    const [only] = literals;
    if (literals.length === 1 && only && !only.negated && isSchemaObject(only.schema)) {
      const branches = branchesOf(only.schema, only.path);
      if (branches) {
        return choice(
          ...branches.map((branch, index) => {
            const entry = `${only.path}.anyOf[${index}]`;
            const at = isSchemaObject(branch) && branch['$ref'] !== undefined ? `${entry}.$ref` : entry;
            return this.#valueOf([document.literal(branch, entry)], at, notation, false);
          }),
        );
      }
    }
    const constants = new Map<string, unknown>();
    const expressions = new Set<Expression>();
    for (const clause of clauses.read(literals, path)) {
      if (clause.values) {
        for (const value of clause.values) {
          const written = writeExact(value);
          if (!constants.has(written) && evaluator.fits(value, clause)) constants.set(written, value);
        }
      } else for (const expression of this.#typed(clause, path, notation)) expressions.add(expression);
    }
    if (constants.size > 0) expressions.add(notation.constants([...constants.values()]));
    return choice(...expressions);
  }

  *#typed(clause: Clause, path: string, notation: Notation): Iterable<Expression> {
    const { texts } = this.#parts;
    const { types, excluded } = clause;
    const complex = excluded.find((value) => typeof value === 'object' && value !== null);
    if (complex !== undefined && types & (typeBits.object | typeBits.array))
      throw schemaFault(path, 'expected no objects and arrays among constants that are ruled out');
    yield notation.constants(wordsOf(clause));
    if (types & numberBits) yield notation.number(numberOf(clause, texts));
    yield stringOfClause(clause, texts, notation);
    const setting = {
      ...this.#parts,
      notation,
      valueOf: (inner: readonly Literal[], at: string, of: Notation) => this.#valueOf(inner, at, of),
    };
    yield arrayOf(clause, setting);
    yield objectOf(clause, { ...setting, keysOf: (one) => this.#keysOf(one), isOpen: this.#isOpen });
  }

  /** The strings that a schema for names allows. */
  #keysOf(literal: Literal): Language {
    const { clauses, texts, evaluator } = this.#parts;
    return texts.store.union(
      ...clauses.read([literal], literal.path).map((clause) => {
        if (!clause.values) return stringLanguage(clause, texts);
        const names = clause.values.filter(
          (value) => typeof value === 'string' && evaluator.fits(value, clause),
        );
        return texts.listed(names.map(String), literal.path);
      }),
    );
  }
}

/** Placeholder for the body of a rule that hasn't been read yet. */
const pending: Expression = { type: 'choice', items: [] };

const besideAnyOf = new Set(['anyOf', ...annotationKeywords, '$schema', 'discriminator']);

/** The schemas of `anyOf`, if the schema has no other constraint: they need not be combined. */
function branchesOf(schema: Schema, path: string): readonly unknown[] | undefined {
  if (schema['anyOf'] === undefined || !Object.keys(schema).every((keyword) => besideAnyOf.has(keyword)))
    return undefined;
  return readSchemas(schema['anyOf'], `${path}.anyOf`);
}
