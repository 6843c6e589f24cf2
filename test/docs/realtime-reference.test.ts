import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { voiceClientEventSchema, voiceServerEventSchema } from '../../src/realtime/agent/schema.ts';
import { liveClientEventSchema } from '../../src/realtime/transcription/schema.ts';

const page = readFileSync(new URL('../../docs/realtime-reference.md', import.meta.url), 'utf8');
const types = readFileSync(
  new URL('../../node_modules/openai/resources/realtime/realtime.d.ts', import.meta.url),
  'utf8',
);

/** Rows of a table of the page: the names in the first cell → the other cells. */
function tableOf(title: string): Map<string, string[]> {
  const section = page.split(/^## /m).find((one) => one.startsWith(title))!;
  return new Map(
    section
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => {
        const [names = '', ...cells] = line.split('|').slice(1, -1);
        return [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name!, cells.map((cell) => cell.trim())]);
      }) as [string, string[]][],
  );
}

function bodyOf(name: string): string {
  const from = types.search(new RegExp(`interface ${name.split('.').at(-1)} \\{`));
  const begin = types.indexOf('{', from);
  let depth = 0;
  for (let at = begin; at < types.length; at++) {
    if (types[at] === '{') depth += 1;
    else if (types[at] === '}' && --depth === 0)
      return types.slice(begin + 1, at).replaceAll(/\/\*[\s\S]*?\*\//g, '');
  }
  throw new Error(`There is no interface ${name}.`);
}
const fieldsOf = (name: string): string[] =>
  [...bodyOf(name).matchAll(/^\s*(\w+)\??:/gm)].map(([, one]) => one!);
function eventsOf(union: string): string[] {
  const [, members = ''] = / = ([^;]*);/.exec(types.slice(types.indexOf(`export type ${union} =`)))!;
  return members.split(' | ').map((name) => /\btype: '([^']+)'/.exec(bodyOf(name))![1]!);
}
const typesOf = (schema: z.ZodDiscriminatedUnion): string[] =>
  schema.options
    .map((one) => (one as z.ZodObject).shape['type'] as z.ZodLiteral)
    .map(({ value }) => String(value));

it.each([
  ['Events of the client', 'RealtimeClientEvent', voiceClientEventSchema],
  ['Events of the server', 'RealtimeServerEvent', voiceServerEventSchema],
] as const)('%s: the table has every event, and says which exist here', (title, union, schema) => {
  const table = tableOf(title);
  expect([...table.keys()].sort()).toEqual(eventsOf(union).sort());
  const here = [...table].filter(([, [verdict]]) => verdict === 'acts').map(([name]) => name);
  expect(here.sort()).toEqual(typesOf(schema as never).sort());
});

/** Paths of a JSON schema's properties, whether each is refused. */
function pathsOf(schema: z.core.JSONSchema.BaseSchema, path = ''): Map<string, boolean> {
  const found = new Map<string, boolean>();
  for (const inner of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    for (const [name, isRefused] of pathsOf(inner as never, path)) found.set(name, isRefused);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const { description = '' } = property as { description?: string };
    found.set(path + name, description.startsWith('Only `null`'));
    for (const [deep, isRefused] of pathsOf(property as never, `${path}${name}.`)) found.set(deep, isRefused);
  }
  return found;
}
function fieldsOfEvent(schema: z.ZodDiscriminatedUnion, type: string, field: string): Map<string, boolean> {
  const event = schema.options.find(
    (one) =>
      String(
        (one as z.ZodObject).shape['type'] && ((one as z.ZodObject).shape['type'] as z.ZodLiteral).value,
      ) === type,
  ) as z.ZodObject;
  return pathsOf(z.toJSONSchema(event.shape[field] as z.ZodType, { io: 'input', unrepresentable: 'any' }));
}
const verdictOf = (fields: Map<string, boolean>, name: string): string =>
  fields.get(name) === undefined
    ? 'no'
    : fields.get(name)
      ? 'refused'
      : name === 'tracing'
        ? 'ignored'
        : 'acts';

it('the table of a session has every field, and says what the schemas do with it', () => {
  const table = tableOf('Fields of a session');
  const named = [
    ...fieldsOf('RealtimeSessionCreateRequest').filter((name) => name !== 'audio'),
    'truncation.token_limits',
    ...fieldsOf('RealtimeAudioConfigInput').map((name) => `audio.input.${name}`),
    ...fieldsOf('AudioTranscription').map((name) => `audio.input.transcription.${name}`),
    ...new Set(
      ['ServerVad', 'SemanticVad'].flatMap(fieldsOf).map((name) => `audio.input.turn_detection.${name}`),
    ),
    ...fieldsOf('RealtimeAudioConfigOutput').map((name) => `audio.output.${name}`),
  ];
  expect([...table.keys()].sort()).toEqual(named.sort());
  const agent = fieldsOfEvent(voiceClientEventSchema as never, 'session.update', 'session');
  const live = fieldsOfEvent(liveClientEventSchema as never, 'session.update', 'session');
  for (const [name, [ofAgent, ofTranscription]] of table) {
    expect([name, ofAgent, ofTranscription]).toEqual([name, verdictOf(agent, name), verdictOf(live, name)]);
  }
});

it('the table of a response has every field, and says what the schema does with it', () => {
  const table = tableOf('Fields of a response');
  expect([...table.keys()].filter((name) => !name.startsWith('output.')).sort()).toEqual(
    fieldsOf('RealtimeResponseCreateParams').sort(),
  );
  const fields = fieldsOfEvent(voiceClientEventSchema as never, 'response.create', 'response');
  for (const [name, [verdict]] of table) expect([name, verdict]).toEqual([name, verdictOf(fields, name)]);
});
