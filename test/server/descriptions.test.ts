import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { categories } from '../../src/categories/registry.ts';
import { toRows, type Schema } from '../../src/playground/page/scripts/reference/schema-rows.js';
import { toOpenApi, serverDescriptions } from '../../src/server/openapi.ts';
import { createRoutes } from '../../src/server/routes.ts';
import { describeFields, type Descriptions } from '../../src/validation/describe-fields.ts';
import { realtimeSockets } from '../../src/realtime/sockets.ts';

const answers = JSON.parse(
  readFileSync(new URL('../docs/answers.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, unknown>>;
const document = toOpenApi(createRoutes(categories, realtimeSockets)) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<
    Record<
      string,
      { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> }
    >
  >;
}
interface Parameter {
  readonly name: string;
  readonly description?: string;
}

/** The places of all fields of a value, with `[]` for entries of lists. */
function placesOf(value: unknown, place = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => placesOf(one, `${place}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = place === '' ? name : `${place}.${name}`;
    return [at, ...placesOf(inner, at)];
  });
}

describe('answers that the pages show', () => {
  const answered = Object.entries(answers).flatMap(([title, answer]) => {
    const [method, path] = title.toLowerCase().replace(' /v1', ' ').split(' ') as [string, string];
    const schemas = Object.entries(document.paths[path]![method]!.responses['200']?.content ?? {});
    const json = schemas
      .find(([type]) => type === 'application/json')?.[1]
      .schema.$ref.split('/')
      .at(-1);
    return json === undefined || path === '/audio/speech' || path === '/openapi.json'
      ? []
      : [[title, json, answer] as const];
  });

  it.each(answered)('%s has no field that its schema lacks', (_title, schema, answer) => {
    const rows = toRows(document.components.schemas[schema]!).map(({ name, type }) => ({ name, type }));
    const known = new Set(rows.map(({ name }) => name));
    const free = rows.filter(
      ({ name, type }) =>
        /object|any/.test(type) &&
        ![...known].some((one) => one.startsWith(`${name}.`) || one.startsWith(`${name}[].`)),
    );
    const lacking = placesOf(answer).filter((place) => {
      const inMap = place.replace(/^(parameters)\.\w+/, '$1{}');
      return (
        !known.has(place) &&
        !known.has(inMap) &&
        inMap !== 'parameters{}' &&
        !free.some(({ name }) => place.startsWith(name))
      );
    });
    expect(lacking).toEqual([]);
  });
});

describe('descriptions of fields', () => {
  it.each(Object.entries(document.components.schemas))(
    '%s: every field has one, at every depth',
    (_name, schema) => {
      const blank = toRows(schema).filter(({ type, description }) => type !== '' && description === '');
      expect(blank.map(({ name }) => name)).toEqual([]);
    },
  );

  it('every parameter of a path or query has one', () => {
    const all = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap(({ parameters = [] }) =>
        parameters.map(({ name, description }) => ({ place: `${path} ${name}`, description })),
      ),
    );
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter(({ description = '' }) => description === '')).toEqual([]);
  });

  const named = (owner: string, descriptions: Descriptions): Descriptions =>
    Object.fromEntries(Object.keys(descriptions).map((key) => [key, `<${owner} ${key}>`]));
  const tables = new Map([
    ...realtimeSockets.map(({ category, descriptions }) => [`live ${category}`, descriptions!] as const),
    ...[...categories.values()].map(({ name, descriptions }) => [name, descriptions] as const),
  ]);
  const shown = JSON.stringify(
    toOpenApi(
      createRoutes(
        new Map(
          [...categories].map(([name, one]) => [
            name,
            { ...one, descriptions: named(name, one.descriptions) },
          ]),
        ),
        realtimeSockets.map((socket) => {
          const { category, descriptions } = socket;
          return { ...socket, descriptions: named(`live ${category}`, descriptions!) };
        }),
      ),
    ),
  );

  it.each([...tables])('%s: every meaning is of a field', (owner, descriptions) => {
    const unused = Object.values(named(owner, descriptions)).filter((text) => !shown.includes(text));
    expect(unused).toEqual([]);
  });

  it('the server: every meaning is of a field', () => {
    const all = JSON.stringify(document);
    const unused = Object.entries(serverDescriptions).filter(
      ([, text]) => !all.includes(JSON.stringify(text)),
    );
    expect(unused.map(([key]) => key)).toEqual([]);
  });
});

describe('describeFields', () => {
  const text = { type: 'string' };

  it('prefers a description, then the parent, then the kind, then the name', () => {
    const part = {
      properties: { type: { const: 'a' }, id: text, own: { ...text, description: 'Own.' }, text, at: text },
    };
    const schema = { properties: { parts: { type: 'array', items: { oneOf: [part] } } } };
    const descriptions = {
      own: 'no',
      id: 'Name.',
      text: 'no',
      'a/text': 'Kind.',
      at: 'no',
      'a/at': 'no',
      'parts.at': 'Parent.',
    };
    const rows = toRows(
      describeFields(schema, 'Root', { ...descriptions, 'Root.parts': 'Top.', type: 'Type.' }) as Schema,
    );
    expect(rows.map(({ description }) => description)).toEqual([
      'Top.',
      'Type.',
      'Name.',
      'Own.',
      'Kind.',
      'Parent.',
    ]);
  });

  it('leaves the schema itself as it was', () => {
    const schema = Object.freeze({ properties: Object.freeze({ id: Object.freeze({ ...text }) }) });
    expect(describeFields(schema, 'Root', { id: 'Id.' })).toEqual({
      properties: { id: { ...text, description: 'Id.' } },
    });
    expect(schema.properties.id).toEqual(text);
  });
});
