import { mendJson } from './mend-json.ts';

const keyword = /\s*([^\s=,()[\]{}"'#]+)\s*=\s*/y;
/** The text after a string: another argument, or the end of the call before another one, the list's end or a line's. */
const stringEnd = /\s*(?:,\s*[^\s=,()[\]{}"'#]+\s*=|\)\s*(?:\n|$|\]\s*(?:\n|$)|[,;]\s*[\w.-]+\())/y;

/**
 * Reads the arguments `a="x", n=1)` of a Python call that is broken, since strings hold quotes of their own kind without a
 * backslash: a string ends where an argument can. Returns a JSON object, and the index behind the bracket.
 */
export function mendPythonArguments(
  text: string,
  schemaOf?: (key: string) => unknown,
): { readonly json: string; readonly end: number } | undefined {
  const members: string[] = [];
  for (let index = 0; ;) {
    keyword.lastIndex = index;
    const name = keyword.exec(text)?.[1];
    if (name === undefined) return undefined;
    const start = keyword.lastIndex;
    const value = readString(text, start) ?? mendJson(text, start, { schemaOf: () => schemaOf?.(name) });
    if (value === undefined) return undefined;
    members.push(`${JSON.stringify(name)}: ${value.json}`);
    const sign = /^\s*([,)])/.exec(text.slice(value.end));
    if (sign === null) return undefined;
    index = value.end + sign[0].length;
    if (sign[1] === ')') return { json: `{${members.join(', ')}}`, end: index };
  }
}

function readString(
  text: string,
  start: number,
): { readonly json: string; readonly end: number } | undefined {
  const quote = text.charAt(start);
  if (quote !== '"' && quote !== "'") return undefined;
  for (let end = text.indexOf(quote, start + 1); end !== -1; end = text.indexOf(quote, end + 1)) {
    stringEnd.lastIndex = end + 1;
    if (!stringEnd.test(text)) continue;
    const value = text
      .slice(start + 1, end)
      .replace(/\\([nrt\\'"])/g, (_, sign: string) => escapes[sign] ?? sign);
    return { json: JSON.stringify(value), end: end + 1 };
  }
  return undefined;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
