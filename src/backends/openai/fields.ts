/** An object in a server's response, with unchecked members. */
export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** The members of an object; empty for any other value. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}
