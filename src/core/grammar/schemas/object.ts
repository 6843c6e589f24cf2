import { choice, never, type Expression } from '../languages/expression.ts';
import type { Clause } from './clause.ts';
import { readCounts, schemaFault, typeBits } from './keywords.ts';
import { objectWith, type KeyKind, type Need, type Property } from './members.ts';
import { keysIn, kindsOf, type ObjectSetting } from './object-keys.ts';
import type { TextLanguages } from './texts.ts';

const maxVariants = 64;

/** Keywords that describe properties, and keywords about all remaining properties. */
const describing = ['properties', 'patternProperties'];
const aboutOthers = ['additionalProperties', 'unevaluatedProperties', 'propertyNames'];

interface Variant {
  readonly properties: readonly Property[];
  readonly needs: readonly Need[];
}

/**
 * Objects that satisfy a clause: the named properties in the schema's order, then additional ones. If schemas describe
 * properties without restricting additional ones, these are excluded unless too few properties would be left: models
 * tend to add invented properties.
 */
export function objectOf(clause: Clause, setting: ObjectSetting): Expression {
  const { types, required, absent, atoms } = clause;
  if (!(types & typeBits.object) || required.some((name) => absent.includes(name))) return never;
  const schemas = atoms.filter((atom) => atom.kind === 'schema');
  const place = schemas[0]?.path ?? '';
  const { min, max } = readCounts(schemas, 'Properties');
  if (min > max) return never;

  const says = (keywords: readonly string[]): boolean =>
    schemas.some(({ schema }) => keywords.some((keyword) => schema[keyword] !== undefined));
  const isClosed = !setting.isOpen && says(describing) && !says(aboutOthers);
  const all = kindsOf(clause, setting);
  const properties = all.flatMap(({ name, literals }): Property[] =>
    name === undefined ? [] : [{ name, literals, isRequired: required.includes(name) }],
  );
  const others = all.filter(({ name }) => name === undefined);
  const needs = atoms
    .filter((atom) => atom.kind === 'some-property')
    .map((atom): Need => ({ keys: keysIn(atom.keys, setting), literals: [atom.literal] }));
  const ways = variantsOf(properties, needs, setting.texts, place);
  const write = (unnamed: readonly KeyKind[]): Expression =>
    choice(
      ...ways.map((way) => objectWith({ ...way, kinds: unnamed, min, max }, { ...setting, path: place })),
    );
  const closed =
    isClosed && needs.length === 0 ? write(others.filter(({ namedBy }) => namedBy.size > 0)) : never;
  return closed === never ? write(others) : closed;
}

/** A need is met by a named property, by the property of a different need, or by a separate property. */
function variantsOf(
  properties: readonly Property[],
  needs: readonly Need[],
  texts: TextLanguages,
  place: string,
): readonly Variant[] {
  let variants: readonly Variant[] = [{ properties, needs: [] }];
  for (const need of needs) {
    variants = variants.flatMap((variant) => [
      ...variant.properties.flatMap((property, index) => {
        if (!texts.includes(need.keys, property.name, place)) return [];
        const met = { ...property, isRequired: true, literals: [...property.literals, ...need.literals] };
        return [{ ...variant, properties: variant.properties.with(index, met) }];
      }),
      ...variant.needs.map((other, index) => {
        const keys = texts.guarded(place, () => texts.store.intersection(other.keys, need.keys));
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
