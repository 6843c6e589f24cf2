export function toUnits(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  writeUnits(units, 0, text);
  return units;
}

/** Writes the code units of a text to `units` from `at` on. @returns their end */
export function writeUnits(units: Uint16Array, at: number, text: string): number {
  const { length } = text;
  for (let index = 0; index < length; index++) units[at + index] = text.charCodeAt(index);
  return at + length;
}

/** A number of arguments that every engine accepts. */
const chunk = 8192;

export function fromUnits(units: Uint16Array, start = 0, end = units.length): string {
  if (end - start <= chunk)
    return String.fromCharCode.apply(null, units.subarray(start, end) as unknown as number[]);
  let text = '';
  for (let from = start; from < end; from += chunk)
    text += fromUnits(units, from, Math.min(end, from + chunk));
  return text;
}
