const names = ['parameters', 'input_schema', 'schema', 'json_schema', 'guided_json', 'json', 'input'];
/** An object under one of the names; quotes inside strings are always preceded by a backslash. */
const member = new RegExp(String.raw`(?<!\\)"(?:${names.join('|')})"\s*:\s*(?=\{)`, 'g');
/** JSON that JavaScript values may not preserve: numeric keys, which get reordered, long numbers, `1.0`, `1e3`. */
const delicate = /"\d+"\s*:|[\d.]{16}|\d\.0*(?!\d)|\d[eE][-+\d]/;
/** Max number of objects to check. */
const maxObjects = 256;
/** Max characters to read, nested objects counted again, and max characters to keep. */
const maxRead = 2 ** 22;
const maxKept = 2 ** 19;

/** The text of an object, with the number of preceding objects. */
export type ExactText = readonly [index: number, text: string];

const texts = new WeakMap<object, string>();

/** The source text of an object of a parsed body, if the object doesn't preserve its digits and key order. */
export function exactTextOf(value: object | null | undefined): string | undefined {
  return value ? texts.get(value) : undefined;
}

/** Finds schemas and arguments in valid JSON that JavaScript objects don't preserve. */
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

/** True if JavaScript values may not preserve a JSON text. */
export function isDelicate(json: string): boolean {
  return delicate.test(json);
}

/** The object at a position; empty if it has more characters than `maxLength`. */
function objectAt(json: string, start: number, maxLength: number): string {
  let depth = 0;
  for (let at = start; at < start + maxLength; at++) {
    const unit = json[at];
    if (unit === '"') at = stringEnd(json, at);
    else if (unit === '{') depth++;
    else if (unit === '}' && --depth === 0) return json.slice(start, at + 1);
  }
  return '';
}

/** Index of the closing quote of a string. */
function stringEnd(json: string, start: number): number {
  for (let end = start; ;) {
    end = json.indexOf('"', end + 1);
    let slash = end;
    while (json[slash - 1] === '\\') slash--;
    if ((end - slash) % 2 === 0) return end;
  }
}

/** Attaches the texts found by `findExactTexts` to the parsed value, for `exactTextOf`. */
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
        // Duplicate names shift the later indexes.
        if (text !== undefined && JSON.stringify(inner) === JSON.stringify(JSON.parse(text)))
          texts.set(inner, text);
      }
      visit(inner);
    }
  };
  if (typeof value === 'object' && value !== null) visit(value);
}
