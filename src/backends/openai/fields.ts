/** An object of a server's answer, with members of any form. */
export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** The members of an object; none where it is something else. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}
