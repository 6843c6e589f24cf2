/**
 * * The used part of JSON Schema.
 *
 * @typedef {object} Schema
 * @property {string | readonly string[]} [type]
 * @property {string} [description]
 * @property {Readonly<Record<string, Schema>>} [properties]
 * @property {readonly string[]} [required]
 * @property {Schema} [items]
 * @property {Schema} [additionalProperties]
 * @property {readonly Schema[]} [oneOf]
 * @property {readonly Schema[]} [anyOf]
 * @property {readonly unknown[]} [enum]
 * @property {unknown} [const]
 * @property {unknown} [default]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [exclusiveMinimum]
 * @property {number} [minLength]
 * @property {number} [maxLength]
 * @property {number} [minItems]
 * @property {number} [maxItems]
 * @property {string} [contentEncoding]
 */

/**
 * * One field of a body. A row without a type starts a variant, such as the messages of one role.
 *
 * @typedef {object} Row
 * @property {string} name `messages[].content`
 * @property {string} type `number, 0 to 2`; empty for a form
 * @property {boolean} isRequired
 * @property {string} byDefault as JSON; empty without a default
 * @property {string} description
 */

/**
 * * The fields of a schema; nested fields follow their parent.
 *
 * @param {Schema} schema
 * @param {string} [path] of the object itself
 * @returns {Row[]}
 *
 * @example
 * ```js
 * toRows({ type: 'object', properties: { seed: { type: 'integer', minimum: 0 } } });
 * // [{ name: 'seed', type: 'integer, at least 0', isRequired: false, byDefault: '', description: '' }]
 * ```
 */
export function toRows(schema, path = '') {
  return [...rowsOf(schema, path)];
}

/** @param {Schema} schema @param {string} path @returns {Generator<Row>} */
function* rowsOf(schema, path) {
  const forms = formsOf(schema).filter((form) => form.properties);
  for (const form of forms) {
    if (forms.length > 1) {
      const { description = '' } = form;
      yield { name: nameOfForm(form, path), type: '', isRequired: false, byDefault: '', description };
    }
    yield* rowsOfObject(form, path);
  }
}

/** @param {Schema} schema @param {string} path @returns {Generator<Row>} */
function* rowsOfObject({ properties = {}, required = [] }, path) {
  for (const [key, property] of Object.entries(properties)) {
    const type = typeOf(property);
    if (type === 'null' && !required.includes(key)) continue;
    const name = path === '' ? key : `${path}.${key}`;
    const { default: byDefault, description = '' } = property;
    yield {
      name,
      type,
      isRequired: required.includes(key),
      byDefault: byDefault === undefined ? '' : JSON.stringify(byDefault),
      description,
    };
    const inner = innerOf(property);
    if (inner) yield* rowsOf(inner.schema, name + inner.suffix);
  }
}

/**
 * The object inside a field, or inside its list or map.
 *
 * @param {Schema} schema
 * @returns {{ schema: Schema, suffix: string } | undefined}
 */
function innerOf(schema) {
  const forms = formsOf(schema);
  if (forms.some((form) => form.properties)) return { schema: { oneOf: forms }, suffix: '' };
  for (const { items, additionalProperties } of forms) {
    const each = items ?? additionalProperties;
    const found = each && innerOf(each);
    if (found) return { schema: found.schema, suffix: (items ? '[]' : '{}') + found.suffix };
  }
  return undefined;
}

/** @param {Schema} schema @returns {Schema[]} without unions */
function formsOf(schema) {
  const forms = schema.oneOf ?? schema.anyOf;
  return forms ? forms.flatMap(formsOf) : [schema];
}

/** @param {Schema} form @param {string} path @returns {string} `messages[] with role "tool"` */
function nameOfForm({ properties = {} }, path) {
  const [key, property] =
    Object.entries(properties).find(([, { const: only, enum: some }]) => only !== undefined || some) ?? [];
  const prefix = path === '' ? '' : `${path} `;
  return property === undefined ? `${prefix}object` : `${prefix}with ${key} ${typeOf(property)}`;
}

/**
 * * The type of a field with its bounds, without the `null` of optional fields.
 *
 * @param {Schema} schema
 * @returns {string} `integer, 1 to 8`
 */
function typeOf(schema) {
  const forms = formsOf(schema);
  if (forms.length > 1) return withoutNull([...new Set(forms.map(typeOf))]).join(' or ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return withoutNull(schema.enum.map((value) => JSON.stringify(value))).join(' or ');
  const named = withoutNull([schema.type ?? 'any'].flat()).map((type) =>
    type === 'array' ? listOf(schema) : type,
  );
  const range = rangeOf(schema);
  return named.join(' or ') + (range === '' ? '' : `, ${range}`);
}

/** @param {readonly string[]} types @returns {readonly string[]} */
function withoutNull(types) {
  const others = types.filter((type) => type !== 'null');
  return others.length > 0 ? others : types;
}

/** @param {Schema} schema */
function listOf({ items }) {
  if (!items) return 'list';
  const item = typeOf(items);
  return item.includes(' or ') ? `list of (${item})` : `list of ${item}`;
}

/** Hides the bounds of safe integers. */
const isBound = (/** @type {number | undefined} */ bound) =>
  bound !== undefined && Math.abs(bound) !== Number.MAX_SAFE_INTEGER;

/** @param {Schema} schema @returns {string} `0 to 2`; empty without bounds */
function rangeOf({
  minimum,
  maximum,
  exclusiveMinimum,
  minLength,
  maxLength,
  minItems,
  maxItems,
  contentEncoding,
}) {
  const parts = [
    contentEncoding ?? '',
    exclusiveMinimum === undefined ? '' : `more than ${exclusiveMinimum}`,
    span(minimum, maximum, ''),
    span(minLength, maxLength, ' characters').replace(/ 1 characters$/, ' 1 character'),
    span(minItems, maxItems, ' entries').replace(/ 1 entries$/, ' 1 entry'),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** @param {number | undefined} min @param {number | undefined} max @param {string} unit */
function span(min, max, unit) {
  if (isBound(min) && isBound(max)) return `${min} to ${max}${unit}`;
  if (isBound(min)) return `at least ${min}${unit}`;
  return isBound(max) ? `at most ${max}${unit}` : '';
}
