const names = ['parameters', 'input_schema', 'schema', 'json_schema', 'guided_json', 'json', 'input'];
/** An object under one of the names; no quote within a text stands without a backslash before it. */
const member = new RegExp(String.raw`(?<!\\)"(?:${names.join('|')})"\s*:\s*(?=\{)`, 'g');
/** Parts of a text that a value of JavaScript may not keep: keys like numbers, whose order changes, long numbers, `1.0`, `1e3`. */
const delicate = /"\d+"\s*:|[\d.]{16}|\d\.0*(?!\d)|\d[eE][-+\d]/;
/** Objects that are looked at. */
const maxObjects = 256;
/** Characters that are read for it, those of objects within objects again, and characters of texts that are kept. */
const maxRead = 2 ** 22;
const maxKept = 2 ** 19;

/** A text of an object, with the number of those before it. */
export type ExactText = readonly [index: number, text: string];

const texts = new WeakMap<object, string>();

/** The text that an object of a parsed body had, where the object doesn't keep its digits and the order of its keys. */
export function exactTextOf(value: object | null | undefined): string | undefined {
  return value ? texts.get(value) : undefined;
}

/** Finds the texts of schemas and arguments in valid JSON that JavaScript's objects don't keep as they are. */
export function findExactTexts(json: string): ExactText[] {
  const found: ExactText[] = [];
  let index = 0;
  let [unread, unkept] = [maxRead, maxKept];
  for (const {
    0: { length },
    index: start,
  } of json.matchAll(member)) {
    const text = objectAt(json, start + length, unread);
    unread -= text.length;
    if (index === maxObjects || text === '') break;
    if (isDelicate(text)) {
      unkept -= text.length;
      if (unkept < 0) break;
      found.push([index, text]);
    }
    index++;
  }
  return found;
}

/** Whether JavaScript's values may not keep a JSON text as it is. */
export function isDelicate(json: string): boolean {
  return delicate.test(json);
}

/** The object that begins at a place; nothing where it has more characters than that. */
function objectAt(json: string, start: number, most: number): string {
  let depth = 0;
  for (let at = start; at < start + most; at++) {
    const unit = json[at];
    if (unit === '"') at = stringEnd(json, at);
    else if (unit === '{') depth++;
    else if (unit === '}' && --depth === 0) return json.slice(start, at + 1);
  }
  return '';
}

/** The place of the quote that ends a string. */
function stringEnd(json: string, start: number): number {
  for (let end = start; ;) {
    end = json.indexOf('"', end + 1);
    let slash = end;
    while (json[slash - 1] === '\\') slash--;
    if ((end - slash) % 2 === 0) return end;
  }
}

/** Lets `exactTextOf` tell the texts that `findExactTexts` found in the text of a value. */
export function keepExactTexts(value: unknown, found: readonly ExactText[]): void {
  if (found.length === 0) return;
  const byIndex = new Map(found);
  let index = 0;
  const visit = (container: object): void => {
    for (const [name, inner] of Object.entries(container) as [string, unknown][]) {
      if (index === maxObjects) return;
      if (typeof inner !== 'object' || inner === null) continue;
      if (!Array.isArray(container) && !Array.isArray(inner) && names.includes(name)) {
        const text = byIndex.get(index++);
        // A name that came twice shifts the others.
        if (text !== undefined && JSON.stringify(inner) === JSON.stringify(JSON.parse(text)))
          texts.set(inner, text);
      }
      visit(inner);
    }
  };
  if (typeof value === 'object' && value !== null) visit(value);
}
