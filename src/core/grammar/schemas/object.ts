import { choice, never, type Expression } from '../languages/expression.ts';
import type { Language } from '../languages/language.ts';
import type { Atom, Clause, KeySet } from './clauses.ts';
import type { Literal, SchemaDocument } from './document.ts';
import {
  isSchemaObject,
  quoted,
  readCount,
  readSchemaMap,
  schemaFault,
  typeBits,
  type Schema,
} from './keywords.ts';
import { objectWith, type KeyKind, type MemberSetting, type Need, type Property } from './members.ts';

const maxNameLength = 256;
/** Kinds of keys that the schema doesn't name. */
const maxKeyKinds = 64;
const maxVariants = 64;

/** The parts of objects; `keysOf` gives the strings that match, as a language. */
export interface ObjectSetting extends MemberSetting {
  readonly document: SchemaDocument;
  readonly keysOf: (literal: Literal) => Language;
  /** Whether objects may have more properties than are described, where nothing says so. */
  readonly isOpen: boolean;
}

/** Keywords that describe the properties of an object, and those that speak of all others. */
const describing = ['properties', 'patternProperties'];
const aboutOthers = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'];

type SchemaAtom = Extract<Atom, { kind: 'schema' }>;

/**
 * Objects that satisfy the conditions: the named properties in the order of the schema, then others. There are no others where
 * schemas describe properties and say nothing about others, unless too few would be left: models tend to go on with properties
 * of their own.
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
    const setting = { ...this.#setting, path: this.#path };
    if (needs.length === 0) {
      const parts = {
        properties,
        kinds: this.#isClosed ? kinds.filter((kind) => kind.isDescribed) : kinds,
        needs,
        min,
        max,
      };
      const written = objectWith(parts, setting);
      return written === never && this.#isClosed ? objectWith({ ...parts, kinds }, setting) : written;
    }
    return choice(
      ...this.#variants(properties, needs).map((variant) =>
        objectWith({ ...variant, kinds, min, max }, setting),
      ),
    );
  }

  get #isClosed(): boolean {
    const says = (keywords: readonly string[]): boolean =>
      this.#schemas.some(({ schema }) => keywords.some((keyword) => schema[keyword] !== undefined));
    return !this.#setting.isOpen && says(describing) && !says(aboutOthers);
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
      if (!named && matching.length === 0 && schema['additionalProperties'] !== undefined)
        literals.push(document.literal(schema['additionalProperties'], `${path}.additionalProperties`));
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
  #kinds(names: readonly string[]): (KeyKind & { readonly isDescribed: boolean })[] {
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
          const inside = texts.shared(at, kind.keys, keys);
          const outside = texts.shared(at, kind.keys, store.complement(keys));
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
      return { keys, literals: [...literals, ...others], isDescribed: named.size > 0 };
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
}
