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
import { anyString, anyValue, anyObject, bracketed, colon, comma } from './json-text.ts';
import type { Language } from './language.ts';
import type { Atom, Clause, KeySet } from './schema-clauses.ts';
import type { Literal, SchemaDocument } from './schema-document.ts';
import {
  isSchemaObject,
  quoted,
  readCount,
  readSchemaMap,
  schemaFault,
  typeBits,
  type Schema,
} from './schema-keywords.ts';
import type { TextLanguages } from './schema-texts.ts';
import type { ValueOf } from './schema-array.ts';

const maxNameLength = 256;
/** Kinds of keys that the schema doesn't name. */
const maxKeyKinds = 64;
const maxCounted = 5000;
const maxVariants = 64;
/** Keys that a schema doesn't name and of which at least so many are asked for. */
const maxDistinct = 16;

/** What objects are made of; `texts` and `keysOf` give the languages of keys. */
export interface ObjectSetting {
  readonly document: SchemaDocument;
  readonly texts: TextLanguages;
  readonly valueOf: ValueOf;
  /** The strings that match, as a language. */
  readonly keysOf: (literal: Literal) => Language;
}

interface Property {
  readonly name: string;
  readonly literals: readonly Literal[];
  readonly isRequired: boolean;
}

/** Properties that the schema doesn't name, by what their keys have in common; no key is of two kinds. */
interface KeyKind {
  readonly keys: Language;
  readonly literals: readonly Literal[];
}

/** A property has to be there whose key is among these. */
interface Need {
  readonly keys: Language;
  readonly literals: readonly Literal[];
}

type SchemaAtom = Extract<Atom, { kind: 'schema' }>;

/**
 * Objects that satisfy the conditions: the named properties in the order of the schema, then others.
 *
 * @throws RangeError naming the keyword that can't be honoured
 */
export function objectOf(clause: Clause, setting: ObjectSetting): Expression {
  if (!(clause.types & typeBits.object)) return never;
  return new ObjectWriter(clause, setting).write();
}

class ObjectWriter {
  readonly #clause: Clause;
  readonly #setting: ObjectSetting;
  readonly #schemas: readonly SchemaAtom[];
  readonly #path: string;

  constructor(clause: Clause, setting: ObjectSetting) {
    this.#clause = clause;
    this.#setting = setting;
    this.#schemas = clause.atoms.filter((atom) => atom.kind === 'schema');
    this.#path = this.#schemas[0]?.path ?? '';
  }

  write(): Expression {
    const { required, absent } = this.#clause;
    if (required.some((name) => absent.includes(name))) return never;
    let min = 0;
    let max = Infinity;
    for (const { schema, path } of this.#schemas) {
      min = Math.max(min, readCount(schema, 'minProperties', path, 0));
      max = Math.min(max, readCount(schema, 'maxProperties', path, Infinity));
    }
    if (min > max) return never;
    const names = this.#names();
    const properties = names.map((name): Property => ({
      name,
      literals: this.#literalsOf(name),
      isRequired: required.includes(name),
    }));
    const kinds = this.#kinds(names);
    const needs = this.#clause.atoms
      .filter((atom) => atom.kind === 'some-property')
      .map((atom): Need => ({ keys: this.#keys(atom.keys), literals: [atom.literal] }));
    if (needs.length === 0) return this.#object(properties, kinds, [], min, max);
    return choice(
      ...this.#variants(properties, needs).map((variant) =>
        this.#object(variant.properties, kinds, variant.needs, min, max),
      ),
    );
  }

  /** Named by a schema or asked for; those that are ruled out are named too, so that no other key is one of them. */
  #names(): string[] {
    const names = new Set<string>();
    for (const { schema, path } of this.#schemas) {
      for (const name of Object.keys(readSchemaMap(schema['properties'], `${path}.properties`)))
        names.add(name);
    }
    for (const atom of this.#clause.atoms) if (atom.kind === 'property') names.add(atom.name);
    for (const name of [...this.#clause.required, ...this.#clause.absent]) names.add(name);
    for (const name of names) {
      if (name.length <= maxNameLength) continue;
      throw schemaFault(
        `${this.#path}.properties`,
        `expected names of at most ${maxNameLength} characters, got ${quoted(`${name.slice(0, 20)}…`)}`,
      );
    }
    return [...names];
  }

  #literalsOf(name: string): readonly Literal[] {
    const { document, texts, keysOf } = this.#setting;
    if (this.#clause.absent.includes(name)) return [document.literal(false, this.#path)];
    const literals: Literal[] = [];
    for (const { schema, path } of this.#schemas) {
      const own = this.#patternsOf(schema, path);
      const properties = readSchemaMap(schema['properties'], `${path}.properties`);
      const named = Object.hasOwn(properties, name);
      if (named) literals.push(document.literal(properties[name], `${path}.properties.${name}`));
      const matching = own.filter(({ keys, path: at }) => texts.includes(keys, name, at));
      for (const { literal } of matching) literals.push(literal);
      if (!named && matching.length === 0 && schema['additionalProperties'] !== undefined) {
        literals.push(document.literal(schema['additionalProperties'], `${path}.additionalProperties`));
      }
      if (schema['propertyNames'] !== undefined) {
        const at = `${path}.propertyNames`;
        const allowed = keysOf(document.literal(schema['propertyNames'], at));
        if (!texts.includes(allowed, name, at)) literals.push(document.literal(false, at));
      }
    }
    for (const atom of this.#clause.atoms) {
      if (atom.kind === 'property' && atom.name === name) literals.push(atom.literal);
      if (atom.kind !== 'unevaluated' || atom.of !== 'properties') continue;
      if (!atom.evaluated.some((schema) => this.#evaluates(schema, name))) literals.push(atom.literal);
    }
    return literals;
  }

  #evaluates(schema: Schema, name: string): boolean {
    const { properties, additionalProperties, unevaluatedProperties } = schema;
    if (additionalProperties !== undefined || unevaluatedProperties !== undefined) return true;
    if (isSchemaObject(properties) && Object.hasOwn(properties, name)) return true;
    const { texts } = this.#setting;
    return this.#patternsOf(schema, this.#path).some(({ keys, path }) => texts.includes(keys, name, path));
  }

  #patternsOf(
    schema: Schema,
    path: string,
  ): readonly { readonly keys: Language; readonly literal: Literal; readonly path: string }[] {
    const { document, texts } = this.#setting;
    return Object.entries(readSchemaMap(schema['patternProperties'], `${path}.patternProperties`)).map(
      ([pattern, value]) => {
        const at = `${path}.patternProperties.${pattern}`;
        return { keys: texts.pattern(pattern, at), literal: document.literal(value, at), path: at };
      },
    );
  }

  /** Splits all other keys by the patterns that they match, since each pattern has its own say. */
  #kinds(names: readonly string[]): KeyKind[] {
    const { document, texts, keysOf } = this.#setting;
    const { store } = texts;
    let all = store.complement(texts.listed(names, this.#path));
    for (const { schema, path } of this.#schemas) {
      if (schema['propertyNames'] === undefined) continue;
      const at = `${path}.propertyNames`;
      const allowed = keysOf(document.literal(schema['propertyNames'], at));
      all = texts.guarded(at, () => store.intersection(all, allowed));
    }
    let kinds: (KeyKind & { readonly named: ReadonlySet<Schema> })[] = [
      { keys: all, literals: [], named: new Set<Schema>() },
    ];
    const evaluating = this.#clause.atoms.flatMap((atom) =>
      atom.kind === 'unevaluated' && atom.of === 'properties' ? atom.evaluated : [],
    );
    const own = this.#schemas.map(({ schema }) => schema);
    for (const schema of new Set([...own, ...evaluating])) {
      const path = this.#schemas.find((atom) => atom.schema === schema)?.path ?? this.#path;
      for (const { keys, literal, path: at } of this.#patternsOf(schema, path)) {
        kinds = kinds.flatMap((kind) => {
          const inside = texts.live(
            texts.guarded(at, () => store.intersection(kind.keys, keys)),
            at,
          );
          const outside = texts.live(
            texts.guarded(at, () => store.intersection(kind.keys, store.complement(keys))),
            at,
          );
          const literals = own.includes(schema) ? [...kind.literals, literal] : kind.literals;
          return [
            { keys: inside, literals, named: new Set([...kind.named, schema]) },
            { ...kind, keys: outside },
          ].filter((part) => part.keys !== store.never);
        });
        if (kinds.length > maxKeyKinds) throw schemaFault(at, 'expected fewer patterns that overlap');
      }
    }
    return kinds.map(({ keys, literals, named }) => {
      const others: Literal[] = [];
      for (const { schema, path } of this.#schemas) {
        if (named.has(schema) || schema['additionalProperties'] === undefined) continue;
        others.push(document.literal(schema['additionalProperties'], `${path}.additionalProperties`));
      }
      for (const atom of this.#clause.atoms) {
        if (atom.kind !== 'unevaluated' || atom.of !== 'properties') continue;
        const isEvaluated = atom.evaluated.some(
          (schema) =>
            named.has(schema) ||
            schema['additionalProperties'] !== undefined ||
            schema['unevaluatedProperties'] !== undefined,
        );
        if (!isEvaluated) others.push(atom.literal);
      }
      return { keys, literals: [...literals, ...others] };
    });
  }

  #keys(keys: KeySet): Language {
    const { texts, keysOf } = this.#setting;
    const { store } = texts;
    if (keys.kind === 'pattern') return texts.pattern(keys.pattern, keys.path);
    if (keys.kind === 'names') return keysOf(keys.literal);
    const { schema, path } = keys;
    const named = Object.keys(readSchemaMap(schema['properties'], `${path}.properties`));
    const patterns = this.#patternsOf(schema, path).map((own) => own.keys);
    const listed = texts.listed(named, path);
    return texts.guarded(path, () => store.complement(store.union(listed, ...patterns)));
  }

  /** A need is met by one of the named properties, by one that meets another need, too, or by one of its own. */
  #variants(
    properties: readonly Property[],
    needs: readonly Need[],
  ): { readonly properties: readonly Property[]; readonly needs: readonly Need[] }[] {
    const { texts } = this.#setting;
    let variants: { properties: readonly Property[]; needs: readonly Need[] }[] = [{ properties, needs: [] }];
    for (const need of needs) {
      variants = variants.flatMap((variant) => [
        ...variant.properties.flatMap((property, index) => {
          if (!texts.includes(need.keys, property.name, this.#path)) return [];
          const met = { ...property, isRequired: true, literals: [...property.literals, ...need.literals] };
          return [{ ...variant, properties: variant.properties.with(index, met) }];
        }),
        ...variant.needs.map((other, index) => {
          const keys = texts.guarded(this.#path, () => texts.store.intersection(other.keys, need.keys));
          const shared = { keys, literals: [...other.literals, ...need.literals] };
          return { ...variant, needs: variant.needs.with(index, shared) };
        }),
        { ...variant, needs: [...variant.needs, need] },
      ]);
      if (variants.length > maxVariants)
        throw schemaFault(this.#path, 'expected fewer combinations of alternatives');
    }
    return variants;
  }

  #object(
    properties: readonly Property[],
    kinds: readonly KeyKind[],
    needs: readonly Need[],
    min: number,
    max: number,
  ): Expression {
    const { valueOf } = this.#setting;
    const isAny = properties.length === 0 && needs.length === 0 && min === 0 && max === Infinity;
    const written = properties.flatMap(({ name, literals, isRequired }) => {
      if (literals.some(({ schema }) => schema === false)) return isRequired ? [undefined] : [];
      const value = valueOf(literals, `${this.#path}.properties.${name}`);
      return [{ pair: refer(rule(name, sequence(text(JSON.stringify(name)), colon, value))), isRequired }];
    });
    if (written.includes(undefined)) return never;
    const pairs = written.filter((pair) => pair !== undefined);
    const others = this.#others(kinds, needs, max === 0);
    if (isAny && others === anyPair) return anyObject;
    const required = pairs.filter(({ isRequired }) => isRequired).length + needs.length;
    const most = max === Infinity && others ? Infinity : Math.min(max, others ? Infinity : pairs.length);
    if (min > most || required > max) return never;
    const counts = min > required || (max < Infinity && (others !== undefined || max < pairs.length));
    return bracketed(
      '{',
      counts
        ? this.#counted(pairs, others, kinds, needs, { min, max })
        : this.#chain(pairs, others, kinds, needs),
      '}',
    );
  }

  /** Any of the properties that the schema doesn't name; `undefined` if there are none. */
  #others(kinds: readonly KeyKind[], needs: readonly Need[], isFull: boolean): Expression | undefined {
    if (isFull) return undefined;
    const { texts } = this.#setting;
    const { store } = texts;
    const pairs = kinds.flatMap(({ keys, literals }) => {
      if (literals.some(({ schema }) => schema === false)) return [];
      // A key that meets a need comes once, since the last of several would count.
      const rest =
        needs.length === 0
          ? keys
          : texts.live(
              texts.guarded(this.#path, () =>
                store.intersection(keys, ...needs.map((need) => store.complement(need.keys))),
              ),
              this.#path,
            );
      return rest === store.never ? [] : [this.#pair(rest, literals)];
    });
    if (pairs.length === 0) return undefined;
    return pairs.length === 1 ? pairs[0]! : refer(rule('other', choice(...pairs)));
  }

  #pair(keys: Language, literals: readonly Literal[]): Expression {
    const { texts, valueOf } = this.#setting;
    const value = valueOf(literals, `${this.#path}.additionalProperties`);
    if (keys === texts.store.all && value === anyValue) return anyPair;
    return refer(rule('other', sequence(this.#key(keys), colon, value)));
  }

  #key(keys: Language): Expression {
    const { texts } = this.#setting;
    if (keys === texts.store.all) return anyString;
    const language = texts.live(keys, this.#path);
    return sequence(
      text('"'),
      { type: 'language', language, store: texts.store, writing: 'json-string' },
      text('"'),
    );
  }

  /** Properties that meet a need, one after the other. */
  #needed(kinds: readonly KeyKind[], need: Need): Expression {
    const { texts } = this.#setting;
    const { store } = texts;
    return choice(
      ...kinds.flatMap(({ keys, literals }) => {
        const both = texts.live(
          texts.guarded(this.#path, () => store.intersection(keys, need.keys)),
          this.#path,
        );
        return both === store.never ? [] : [this.#pair(both, [...literals, ...need.literals])];
      }),
    );
  }

  #chain(
    pairs: readonly { readonly pair: Expression; readonly isRequired: boolean }[],
    others: Expression | undefined,
    kinds: readonly KeyKind[],
    needs: readonly Need[],
  ): Expression {
    const pair = others ?? never;
    let first = choice(sequence(pair, repeat(sequence(comma, pair), unlimited)), empty);
    let next = others ? repeat(sequence(comma, pair), unlimited) : empty;
    for (const need of needs) {
      const needed = this.#needed(kinds, need);
      first = sequence(needed, next);
      next = sequence(comma, needed, next);
    }
    for (const { pair: own, isRequired } of pairs.toReversed()) {
      const follow = next;
      first = refer(rule('first', choice(sequence(own, follow), isRequired ? never : first)));
      next = refer(rule('next', choice(sequence(comma, own, follow), isRequired ? never : follow)));
    }
    return first;
  }

  /** The same with a rule for each number of properties that have been written. */
  #counted(
    pairs: readonly { readonly pair: Expression; readonly isRequired: boolean }[],
    others: Expression | undefined,
    kinds: readonly KeyKind[],
    needs: readonly Need[],
    { min, max }: { readonly min: number; readonly max: number },
  ): Expression {
    const rules = new Map<string, Rule>();
    const place = `${this.#path}.${min > 0 ? 'minProperties' : 'maxProperties'}`;
    if (pairs.length * Math.min(pairs.length, Math.max(min, max === Infinity ? 0 : max)) > maxCounted) {
      throw schemaFault(place, 'expected fewer properties to count');
    }
    const at = (index: number, count: number): Expression => {
      const known = max === Infinity ? Math.min(count, Math.max(min, 1)) : count;
      const key = `${index},${known}`;
      let state = rules.get(key);
      if (!state) {
        state = rule(key);
        rules.set(key, state);
        const property = pairs[index];
        const lead = count === 0 ? empty : comma;
        if (!property) state.body = this.#tail(others, kinds, needs, count, { min, max }, place);
        else {
          const taken = count < max ? sequence(lead, property.pair, at(index + 1, count + 1)) : never;
          state.body = choice(taken, property.isRequired ? never : at(index + 1, count));
        }
      }
      return refer(state);
    };
    return at(0, 0);
  }

  /** Other properties behind `count` named ones. */
  #tail(
    others: Expression | undefined,
    kinds: readonly KeyKind[],
    needs: readonly Need[],
    count: number,
    { min, max }: { readonly min: number; readonly max: number },
    place: string,
  ): Expression {
    const needed = needs.map((need) => this.#needed(kinds, need));
    const missing = Math.max(0, min - count - needed.length);
    const room = max - count - needed.length - missing;
    if (room < 0) return never;
    const fixed = [...needed, ...this.#distinct(kinds, needs, missing, place)];
    const more = others && room > 0 ? repeat(sequence(comma, others), { min: 0, max: room }) : empty;
    if (count > 0) return sequence(...fixed.flatMap((pair) => [comma, pair]), more);
    const [head, ...rest] = fixed;
    if (head) return sequence(head, ...rest.flatMap((pair) => [comma, pair]), more);
    if (!others || room === 0) return empty;
    return choice(empty, sequence(others, repeat(sequence(comma, others), { min: 0, max: room - 1 })));
  }

  /** So many properties whose keys differ for certain: the lengths of the keys differ by the number of characters. */
  #distinct(kinds: readonly KeyKind[], needs: readonly Need[], count: number, place: string): Expression[] {
    const { texts } = this.#setting;
    const { store } = texts;
    if (count > maxDistinct)
      throw schemaFault(place, `expected at most ${maxDistinct} properties without a name`);
    return Array.from({ length: count }, (_, index) => {
      const rounds = store.repetition(texts.lengths(count, count), unlimited);
      const lengths = count === 1 ? store.all : store.concatenation(rounds, texts.lengths(index, index));
      const some = kinds.map(({ keys, literals }) => ({
        keys: texts.guarded(place, () => store.intersection(keys, lengths)),
        literals,
      }));
      return this.#others(some, needs, false) ?? never;
    });
  }
}

const unlimited = { min: 0, max: Infinity };

/** Any key with any value. */
const anyPair = refer(rule('pair', sequence(anyString, colon, anyValue)));
