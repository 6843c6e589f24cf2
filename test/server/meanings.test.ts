import { describe, expect, it } from 'vitest';
import { categories } from '../../src/categories/registry.ts';
import { toRows, type Schema } from '../../src/playground/page/scripts/reference/schema-rows.js';
import { serverMeanings } from '../../src/server/meanings.ts';
import { toOpenApi } from '../../src/server/openapi.ts';
import { createRoutes } from '../../src/server/routes.ts';
import { describeFields, type Meanings } from '../../src/validation/describe-fields.ts';
import { talkLive } from '../../src/voice/endpoint.ts';

const document = toOpenApi(createRoutes(categories, [talkLive])) as {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
interface Parameter {
  readonly name: string;
  readonly description?: string;
}

describe('meanings of fields', () => {
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

  const named = (owner: string, meanings: Meanings): Meanings =>
    Object.fromEntries(Object.keys(meanings).map((key) => [key, `<${owner} ${key}>`]));
  const tables = new Map([
    ['voice agents', talkLive.meanings!],
    ...[...categories.values()].map(({ name, meanings }) => [name, meanings] as const),
  ]);
  const shown = JSON.stringify(
    toOpenApi(
      createRoutes(
        new Map(
          [...categories].map(([name, one]) => [name, { ...one, meanings: named(name, one.meanings) }]),
        ),
        [{ ...talkLive, meanings: named('voice agents', talkLive.meanings!) }],
      ),
    ),
  );

  it.each([...tables])('%s: every meaning is of a field', (owner, meanings) => {
    const unused = Object.values(named(owner, meanings)).filter((text) => !shown.includes(text));
    expect(unused).toEqual([]);
  });

  it('the server: every meaning is of a field', () => {
    const all = JSON.stringify(document);
    const unused = Object.entries(serverMeanings).filter(([, text]) => !all.includes(JSON.stringify(text)));
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
    const meanings = {
      own: 'no',
      id: 'Name.',
      text: 'no',
      'a/text': 'Kind.',
      at: 'no',
      'a/at': 'no',
      'parts.at': 'Parent.',
    };
    const rows = toRows(
      describeFields(schema, 'Root', { ...meanings, 'Root.parts': 'Top.', type: 'Type.' }) as Schema,
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
