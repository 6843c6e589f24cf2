/** An object of a server's answer, whose fields are still to be read. */
export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** Nothing where it is no object. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}
