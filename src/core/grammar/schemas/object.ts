import { orderedKeys } from '../../text/exact-json.ts';
import { choice, never, type Expression } from '../languages/expression.ts';
import type { Language } from '../languages/language.ts';
import type { Clause, KeySet } from './clause.ts';
import type { Literal, SchemaDocument } from './document.ts';
import { quoted, readCounts, readSchemaMap, schemaFault, typeBits } from './keywords.ts';
import type { Schema } from './json-types.ts';
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

/** Keys of which the schemas say the same: one by its name, or others by the patterns that they match. */
interface Kind extends KeyKind {
  readonly name?: string;
  /** The schemas that have a property or a pattern for them. */
  readonly namedBy: ReadonlySet<Schema>;
}

interface Variant {
  readonly properties: readonly Property[];
  readonly needs: readonly Need[];
}

/**
 * Objects that satisfy the conditions: the named properties in the order of the schema, then others. There are no others where
 * schemas describe properties and say nothing about others, unless too few would be left: models tend to go on with properties
 * of their own.
 */
export function objectOf(clause: Clause, setting: ObjectSetting): Expression {
  const { types, required, absent, atoms } = clause;
  const { document, texts, keysOf } = setting;
  const { store } = texts;
  if (!(types & typeBits.object) || required.some((name) => absent.includes(name))) return never;
  const schemas = atoms.filter((atom) => atom.kind === 'schema');
  const place = schemas[0]?.path ?? '';
  const { min, max } = readCounts(schemas, 'Properties');
  if (min > max) return never;

  const says = (keywords: readonly string[]): boolean =>
    schemas.some(({ schema }) => keywords.some((keyword) => schema[keyword] !== undefined));
  const isClosed = !setting.isOpen && says(describing) && !says(aboutOthers);
  const all = kindsOf(namesOf());
  const properties = all.flatMap(({ name, literals }): Property[] =>
    name === undefined ? [] : [{ name, literals, isRequired: required.includes(name) }],
  );
  const others = all.filter(({ name }) => name === undefined);
  const needs = atoms
    .filter((atom) => atom.kind === 'some-property')
    .map((atom): Need => ({ keys: keysIn(atom.keys), literals: [atom.literal] }));
  const ways = variantsOf();
  const write = (unnamed: readonly KeyKind[]): Expression =>
    choice(
      ...ways.map((way) => objectWith({ ...way, kinds: unnamed, min, max }, { ...setting, path: place })),
    );
  const closed =
    isClosed && needs.length === 0 ? write(others.filter(({ namedBy }) => namedBy.size > 0)) : never;
  return closed === never ? write(others) : closed;

  /** Named by a schema or asked for; those that are ruled out are named too, so that no other key is one of them. */
  function namesOf(): readonly string[] {
    const named = schemas.flatMap(({ schema, path }) =>
      orderedKeys(readSchemaMap(schema['properties'], `${path}.properties`)),
    );
    const asked = atoms.flatMap((atom) => (atom.kind === 'property' ? [atom.name] : []));
    const names = [...new Set([...named, ...asked, ...required, ...absent])];
    const long = names.find((name) => name.length > maxNameLength);
    if (long === undefined) return names;
    throw schemaFault(
      `${place}.properties`,
      `expected names of at most ${maxNameLength} characters, got ${quoted(`${long.slice(0, 20)}…`)}`,
    );
  }

  /** Splits keys that have no name by the patterns that they match, since each pattern has its own say. */
  function kindsOf(names: readonly string[]): readonly Kind[] {
    const start = { literals: [], namedBy: new Set<Schema>() };
    const named = names.filter((name) => !absent.includes(name));
    let kinds: readonly Kind[] = [
      ...named.map((name) => ({ ...start, name, keys: store.never })),
      { ...start, keys: store.complement(texts.listed(names, place)) },
    ];
    for (const { schema, path } of schemas) {
      if (schema['propertyNames'] === undefined) continue;
      const at = `${path}.propertyNames`;
      const allowed = keysOf(document.literal(schema['propertyNames'], at));
      kinds = kinds.map((kind) => {
        if (kind.name === undefined)
          return { ...kind, keys: texts.guarded(at, () => store.intersection(kind.keys, allowed)) };
        return texts.includes(allowed, kind.name, at) ? kind : also(kind, document.literal(false, at));
      });
    }
    const evaluating = atoms.flatMap((atom) =>
      atom.kind === 'unevaluated' && atom.of === 'properties' ? atom.evaluated : [],
    );
    for (const schema of new Set([...schemas.map((atom) => atom.schema), ...evaluating])) {
      const own = schemas.find((atom) => atom.schema === schema);
      const path = own?.path ?? place;
      const describe = (kind: Kind, literal: Literal): Kind => ({
        ...(own ? also(kind, literal) : kind),
        namedBy: new Set([...kind.namedBy, schema]),
      });
      const map = readSchemaMap(schema['properties'], `${path}.properties`);
      kinds = kinds.map((kind) =>
        kind.name !== undefined && Object.hasOwn(map, kind.name)
          ? describe(kind, document.literal(map[kind.name], `${path}.properties.${kind.name}`))
          : kind,
      );
      for (const { keys, literal, path: at } of patternsOf(schema, path)) {
        kinds = kinds.flatMap((kind) => {
          if (kind.name !== undefined)
            return [texts.includes(keys, kind.name, at) ? describe(kind, literal) : kind];
          const inside = texts.shared(at, kind.keys, keys);
          const outside = texts.shared(at, kind.keys, store.complement(keys));
          return [
            { ...describe(kind, literal), keys: inside },
            { ...kind, keys: outside },
          ].filter((part) => part.keys !== store.never);
        });
        if (kinds.length > named.length + maxKeyKinds)
          throw schemaFault(at, 'expected fewer patterns that overlap');
      }
      if (!own || schema['additionalProperties'] === undefined) continue;
      const literal = document.literal(schema['additionalProperties'], `${path}.additionalProperties`);
      kinds = kinds.map((kind) => (kind.namedBy.has(schema) ? kind : also(kind, literal)));
    }
    for (const atom of atoms) {
      if (atom.kind === 'property')
        kinds = kinds.map((kind) => (kind.name === atom.name ? also(kind, atom.literal) : kind));
      if (atom.kind !== 'unevaluated' || atom.of !== 'properties') continue;
      kinds = kinds.map((kind) => {
        const isEvaluated = atom.evaluated.some(
          (schema) =>
            kind.namedBy.has(schema) ||
            schema['additionalProperties'] !== undefined ||
            schema['unevaluatedProperties'] !== undefined,
        );
        return isEvaluated ? kind : also(kind, atom.literal);
      });
    }
    return kinds;
  }

  function patternsOf(
    schema: Schema,
    path: string,
  ): readonly { readonly keys: Language; readonly literal: Literal; readonly path: string }[] {
    return document.named(schema, 'patternProperties', path).map(([pattern, literal]) => {
      const at = `${path}.patternProperties.${pattern}`;
      return { keys: texts.pattern(pattern, at), literal, path: at };
    });
  }

  function keysIn(keys: KeySet): Language {
    if (keys.kind === 'pattern') return texts.pattern(keys.pattern, keys.path);
    if (keys.kind === 'names') return keysOf(keys.literal);
    const { schema, path } = keys;
    const named = Object.keys(readSchemaMap(schema['properties'], `${path}.properties`));
    const patterns = patternsOf(schema, path).map((own) => own.keys);
    const listed = texts.listed(named, path);
    return texts.guarded(path, () => store.complement(store.union(listed, ...patterns)));
  }

  /** A need is met by one of the named properties, by one that meets another need, too, or by one of its own. */
  function variantsOf(): readonly Variant[] {
    let variants: readonly Variant[] = [{ properties, needs: [] }];
    for (const need of needs) {
      variants = variants.flatMap((variant) => [
        ...variant.properties.flatMap((property, index) => {
          if (!texts.includes(need.keys, property.name, place)) return [];
          const met = { ...property, isRequired: true, literals: [...property.literals, ...need.literals] };
          return [{ ...variant, properties: variant.properties.with(index, met) }];
        }),
        ...variant.needs.map((other, index) => {
          const keys = texts.guarded(place, () => store.intersection(other.keys, need.keys));
          const shared = { keys, literals: [...other.literals, ...need.literals] };
          return { ...variant, needs: variant.needs.with(index, shared) };
        }),
        { ...variant, needs: [...variant.needs, need] },
      ]);
      if (variants.length > maxVariants)
        throw schemaFault(place, 'expected fewer combinations of alternatives');
    }
    return variants;
  }
}

function also(kind: Kind, literal: Literal): Kind {
  return { ...kind, literals: [...kind.literals, literal] };
}
