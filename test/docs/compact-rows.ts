import type { Row } from '../../src/playground/page/scripts/reference/schema-rows.js';

/** Levels of fields that a page shows. */
const shownLevels = 2;
/** Objects of fewer fields are shown again. */
const minFolded = 3;

/** The fields of each object that a page has shown. */
export type Known = ReadonlySet<string>[];

const isForm = ({ type }: Row): boolean => type === '';
export const isShown = (row: Row): boolean => isForm(row) || row.name.split('.').length <= shownLevels;

/**
 * The rows of a schema as a page shows them, without what the page has shown before.
 *
 * @param known objects that the page has shown; those of `rows` are added
 */
export function compactRows(rows: readonly Row[], known: Known): Row[] {
  return mergeForms(withoutRepeats(withoutKinds(withoutKnown(rows, known).filter(isShown))));
}

/** The fields of an object are shown once, those of an object with some more too. */
function withoutKnown(rows: readonly Row[], known: Known): Row[] {
  const shown: Row[] = [];
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at]!;
    const rest = rows.slice(at + 1);
    const end = rest.findIndex(
      ({ name }) => !name.startsWith(row.name) || !/^[.[{ ]/.test(name.slice(row.name.length)),
    );
    const inner = isForm(row) ? [] : rest.slice(0, end < 0 ? undefined : end);
    if (inner.length < minFolded || !inner.some((one) => !isForm(one) && isShown(one))) {
      shown.push(row);
      continue;
    }
    const texts = textsOf(inner, row.name);
    if (known.some((one) => texts.every((text) => one.has(text)))) {
      shown.push({ ...row, description: `${row.description} Fields as above.` });
      at += inner.length;
    } else shown.push(row);
    known.push(new Set(texts));
  }
  known.push(new Set(textsOf(rows, '')));
  return shown;
}

function textsOf(rows: readonly Row[], place = ''): string[] {
  return rows.map((row) =>
    JSON.stringify({ ...row, name: row.name.slice(place.length).replace(/^[[\]{}.\s]+/, '') }),
  );
}

/** A heading of a form names the kind that a row would repeat. */
function withoutKinds(rows: readonly Row[]): Row[] {
  const forms = new Set(rows.filter(isForm).map(({ name }) => name));
  return rows.filter((row) => {
    const [, place = '', field] = /^(?:(.*)\.)?([^.]+)$/.exec(row.name)!;
    return isForm(row) || !forms.has(`${place} with ${field} ${row.type}`.trim());
  });
}

/** Rows that all kinds of messages or events have come once, before the kinds. */
function withoutRepeats(rows: readonly Row[]): Row[] {
  const kinds: string[][] = [];
  for (const row of rows) {
    if (isForm(row) && row.name.startsWith('with ')) kinds.push([]);
    kinds.at(-1)?.push(JSON.stringify(row));
  }
  const [first, ...others] = kinds;
  const shared = new Set(first?.filter((text) => others.every((kind) => kind.includes(text))));
  if (others.length < 2 || shared.size === 0) return [...rows];
  const head = { name: 'each of them', type: '', isRequired: false, byDefault: '', description: '' };
  const rest = rows.filter((row) => !shared.has(JSON.stringify(row)));
  return [head, ...[...shared].map((text) => JSON.parse(text) as Row), ...rest];
}

const kindOf = (form: Row): readonly string[] => /^(.*?)(with \w+ )(.*)$/.exec(form.name)?.slice(1) ?? [];

/** Neighbours of the same fields become one form: `with type "a" or "b"`. */
function mergeForms(rows: readonly Row[]): Row[] {
  const blocks: { readonly form: Row; readonly fields: Row[] }[] = [];
  const before: Row[] = [];
  for (const row of rows) {
    if (isForm(row)) blocks.push({ form: row, fields: [] });
    else (blocks.at(-1)?.fields ?? before).push(row);
  }
  const merged: typeof blocks = [];
  for (const [index, block] of blocks.entries()) {
    const last = merged.at(-1);
    const [place, field, kind] = kindOf(block.form);
    const [lastPlace, lastField] = last ? kindOf(last.form) : [];
    const [next] = blocks[index + 1] ? kindOf(blocks[index + 1]!.form) : [];
    const isAlone = next === undefined || next === place || !next.startsWith(place ?? '');
    const isSame =
      kind !== undefined &&
      `${place}${field}` === `${lastPlace}${lastField}` &&
      `${textsOf(block.fields)}` === `${textsOf(last!.fields)}` &&
      block.form.description === last!.form.description;
    if (isSame && isAlone)
      merged.splice(-1, 1, { ...last!, form: { ...last!.form, name: `${last!.form.name} or ${kind}` } });
    else merged.push(block);
  }
  return [...before, ...merged.flatMap(({ form, fields }) => [form, ...fields])];
}
