const names = ['parameters', 'input_schema', 'schema', 'json_schema', 'guided_json', 'json', 'input'];
/** An object under one of the names; no quote within a text stands without a backslash before it. */
const member = new RegExp(String.raw`(?<!\\)"(?:${names.join('|')})"\s*:\s*(?=\{)`, 'g');
const part = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}]/g;
/** What a value of JavaScript may not keep: keys like numbers, whose order changes, long numbers, `1.0`, `1e3`. */
const delicate = /"\d+"\s*:|[\d.]{16}|\d\.0*(?!\d)|\d[eE][-+\d]/;
/** Objects that are looked at: each is read to its end. */
const maxObjects = 256;

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
  for (const {
    0: { length },
    index: start,
  } of json.matchAll(member)) {
    if (index === maxObjects) break;
    const text = objectAt(json, start + length);
    if (isDelicate(text)) found.push([index, text]);
    index++;
  }
  return found;
}

/** Whether JavaScript's values may not keep a JSON text as it is. */
export function isDelicate(json: string): boolean {
  return delicate.test(json);
}

function objectAt(json: string, start: number): string {
  part.lastIndex = start;
  for (let depth = 0; ;) {
    const [token] = part.exec(json)!;
    if (token === '{') depth++;
    else if (token === '}' && --depth === 0) return json.slice(start, part.lastIndex);
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
