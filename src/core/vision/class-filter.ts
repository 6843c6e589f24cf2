import { getOrCreate } from '../get-or-create.ts';
import { assertList, assertText } from '../assert-values.ts';
import { quote } from '../text/quote.ts';
const maxNamesListed = 10;

/**
 * Resolves a list of names and ids to classes. Names are case-insensitive; a class whose name is a number is matched by
 * name. Names may contain commas.
 *
 * @param classes names or ids, separated by commas: `person, 2,traffic light`
 * @param names class id → name; ids without a name may be missing
 * @returns class id → 1 if selected, else 0
 * @throws RangeError that names the unknown class and some known ones
 *
 * @example
 * ```ts
 * selectClasses('Dog,0', ['cat', 'dog', 'bird']); // [1, 1, 0]
 * ```
 */
export function selectClasses(classes: string, names: readonly string[]): Uint8Array {
  assertText('classes', classes);
  assertList('names', names, assertText);
  const idsByName = new Map<string, number[]>();
  names.forEach((name, id) => getOrCreate(idsByName, normalize(name), () => []).push(id));
  const maxCommas = Math.max(0, ...names.map((name) => name.split(',').length - 1));
  const mask = new Uint8Array(names.length);
  const parts = classes.split(',');
  let isEmpty = true;
  for (let at = 0; at < parts.length;) {
    if (parts[at]!.trim() === '') {
      at += 1;
      continue;
    }
    isEmpty = false;
    let length = Math.min(maxCommas + 1, parts.length - at);
    let ids: readonly number[] | undefined;
    for (; length > 0; length--) {
      ids = idsByName.get(normalize(parts.slice(at, at + length).join(',')));
      if (ids) break;
    }
    ids ??= idOf(parts[at]!.trim(), names);
    if (!ids)
      throw new RangeError(`classes: there is no ${quote(parts[at]!.trim())}; there are ${listing(names)}`);
    for (const id of ids) mask[id] = 1;
    at += Math.max(1, length);
  }
  if (isEmpty) throw new RangeError(`classes: expected names or ids of classes, such as ${listing(names)}`);
  return mask;
}

function idOf(text: string, names: readonly string[]): [number] | undefined {
  const id = /^\d{1,6}$/.test(text) ? Number(text) : names.length;
  return id < names.length ? [id] : undefined;
}

function normalize(name: string): string {
  return name.trim().replaceAll(/\s+/g, ' ').toLowerCase();
}

function listing(names: readonly string[]): string {
  const listed = names.slice(0, maxNamesListed).join(', ');
  const more = names.length - maxNamesListed;
  return `${listed}${more > 0 ? ` and ${more} more` : ''} (ids 0 to ${names.length - 1})`;
}
