import { assertIterable, assertList, assertNumbers, assertText } from '../assert-values.ts';
const dictionaryEntry = /(\d+)\s*:\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g;
const listEntry = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g;

/**
 * Parses class names from a model's metadata, as exporters write them: a dictionary or a list, in Python or JSON.
 *
 * @returns class id → name, with a placeholder for missing names; empty if `text` contains no names
 *
 * @example
 * ```ts
 * parseClassNames("{0: 'person', 1: 'bicycle'}"); // ['person', 'bicycle']
 * ```
 */
export function parseClassNames(text: string): string[] {
  assertText('text', text);
  if (text.trimStart().startsWith('{')) {
    const unquoted = text.replaceAll(/(['"])(\d+)\1\s*:/g, '$2:');
    const entries = [...unquoted.matchAll(dictionaryEntry)].map(
      ([, id, single, double]): [number, string] => [Number(id), unescape(single ?? double!)],
    );
    return toClassNames(entries);
  }
  return [...text.matchAll(listEntry)].map(([, single, double]) => unescape(single ?? double!));
}

/** Larger ids can't be class ids. */
const maxClasses = 100_000;

/**
 * Converts names by id to a list with one name per id from 0 on, and placeholders for missing names.
 *
 * @example
 * ```ts
 * toClassNames([[0, 'cat'], [2, 'dog']]); // ['cat', 'class_1', 'dog']
 * ```
 */
export function toClassNames(entries: Iterable<readonly [id: number, name: string]>): string[] {
  assertIterable('entries', entries);
  const all = [...entries];
  for (const [index, entry] of all.entries()) {
    assertList(`entries[${index}]`, entry);
    assertNumbers(`entries[${index}]`, entry.slice(0, 1));
    assertText(`entries[${index}][1]`, entry[1]);
  }
  const names = new Map(all.filter(([id]) => Number.isInteger(id) && id >= 0 && id < maxClasses));
  const count = Math.max(-1, ...names.keys()) + 1;
  return Array.from({ length: count }, (_, id) => names.get(id) ?? `class_${id}`);
}

function unescape(text: string): string {
  return text.replaceAll(/\\(.)/g, '$1');
}
