const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The value with its long texts and lists cut, as pages show it. */
export function shorten(value: unknown): unknown {
  if (typeof value === 'string') return value.length > 72 ? `${value.slice(0, 40)}…` : value;
  if (Array.isArray(value)) return value.slice(0, isObject(value[0]) ? 2 : 4).map(shorten);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]));
}

/** The places at which one answer has a field and the other one has none. */
export function differences(shown: unknown, real: unknown, place = ''): string[] {
  if (!isObject(shown) || !isObject(real)) {
    const kinds = [shown, real].map((value) => (Array.isArray(value) ? 'list' : isObject(value)));
    return kinds[0] === kinds[1] ? [] : [place];
  }
  if (Array.isArray(shown) && Array.isArray(real)) {
    const both = shown.slice(0, real.length);
    return both.flatMap((inner, index) => differences(inner, real[index], `${place}[${index}]`));
  }
  const keys = new Set([...Object.keys(shown), ...Object.keys(real)]);
  return [...keys].flatMap((key) =>
    key in shown && key in real
      ? differences(shown[key], real[key], `${place}.${key}`)
      : [`${place}.${key} is ${key in shown ? 'shown and not answered' : 'answered and not shown'}`],
  );
}
