import { orderedKeys } from '../../text/exact-json.ts';
import type { Language } from '../languages/language.ts';
import type { Clause, KeySet } from './clause.ts';
import type { Literal, SchemaDocument } from './document.ts';
import { quoted, readSchemaMap, schemaFault } from './keywords.ts';
import type { Schema } from './json-types.ts';
import type { KeyKind, MemberSetting } from './members.ts';

const maxNameLength = 256;
const maxKeyKinds = 64;

/** The context of objects; `keysOf` converts a literal to the language of its strings. */
export interface ObjectSetting extends Omit<MemberSetting, 'path'> {
  readonly document: SchemaDocument;
  readonly keysOf: (literal: Literal) => Language;
  /** Whether objects may have undescribed properties if the schema doesn't restrict them. */
  readonly isOpen: boolean;
}

/** Keys with the same schemas: a single named key, or all keys that match the same patterns. */
export interface Kind extends KeyKind {
  readonly name?: string;
  /** The schemas with a property or a pattern for them. */
  readonly namedBy: ReadonlySet<Schema>;
}

/** Names from schemas or from `required`; absent names are included, so that unnamed keys exclude them. */
function namesOf({ required, absent, atoms }: Clause, place: string): readonly string[] {
  const named = atoms.flatMap((atom) =>
    atom.kind === 'schema'
      ? orderedKeys(readSchemaMap(atom.schema['properties'], `${atom.path}.properties`))
      : [],
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

/** Partitions unnamed keys by the patterns that they match, since each pattern adds a schema. */
export function kindsOf(clause: Clause, setting: ObjectSetting): readonly Kind[] {
  const { absent, atoms } = clause;
  const { document, texts, keysOf } = setting;
  const { store } = texts;
  const schemas = atoms.filter((atom) => atom.kind === 'schema');
  const place = schemas[0]?.path ?? '';
  const names = namesOf(clause, place);
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
    for (const { keys, literal, path: at } of patternsOf(schema, path, setting)) {
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

function patternsOf(schema: Schema, path: string, { document, texts }: ObjectSetting) {
  return document.named(schema, 'patternProperties', path).map(([pattern, literal]) => {
    const at = `${path}.patternProperties.${pattern}`;
    return { keys: texts.pattern(pattern, at), literal, path: at };
  });
}

export function keysIn(keys: KeySet, setting: ObjectSetting): Language {
  const { texts, keysOf } = setting;
  const { store } = texts;
  if (keys.kind === 'pattern') return texts.pattern(keys.pattern, keys.path);
  if (keys.kind === 'names') return keysOf(keys.literal);
  const { schema, path } = keys;
  const named = Object.keys(readSchemaMap(schema['properties'], `${path}.properties`));
  const patterns = patternsOf(schema, path, setting).map((own) => own.keys);
  const listed = texts.listed(named, path);
  return texts.guarded(path, () => store.complement(store.union(listed, ...patterns)));
}

function also(kind: Kind, literal: Literal): Kind {
  return { ...kind, literals: [...kind.literals, literal] };
}
