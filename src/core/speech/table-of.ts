/** The entries of a table that is written as `key:value, key:value`. */
export function tableOf(text: string): Readonly<Record<string, string>> {
  const entries = text.split(/,\s+/).map((entry) => [entry, entry.indexOf(':', 1)] as const);
  return Object.fromEntries(entries.map(([entry, end]) => [entry.slice(0, end), entry.slice(end + 1)]));
}
