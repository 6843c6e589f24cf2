import { expect, it } from 'vitest';
import { categories } from '../../src/categories/registry.ts';
import type { ForeignField, ForeignFields } from '../../src/validation/foreign-fields.ts';
import { expectPage } from './generated-page.ts';

const tables = new Map(
  [...categories.values()]
    .toSorted((a, b) => Number(b.name === 'chat') - Number(a.name === 'chat'))
    .flatMap((category) => category.endpoints)
    .flatMap(({ path: endpoint, requestBody }): [string, ForeignFields][] =>
      // Those that count tokens have the fields of what they count.
      requestBody?.foreign && !endpoint.endsWith('_tokens') ? [[endpoint, requestBody.foreign]] : [],
    ),
);
/** Endpoints whose tables have the rows of another one. */
const bases: Readonly<Record<string, string>> = {
  '/completions': '/chat/completions',
  '/responses': '/chat/completions',
  '/messages': '/chat/completions',
  '/audio/translations': '/audio/transcriptions',
};
const shown = [
  '',
  'text',
  'url',
  'auto',
  'standard',
  'vivid',
  'opaque',
  'png',
  'low',
  'b64_json',
  'medium',
  'deepseek',
]
  .concat(['parsed', 'disabled', 'transcribe', 'translate', 'en'])
  .concat([false, true, 0, 1, -1, 100, [], {}, ['text']] as never[]);

const quoted = (of: readonly unknown[]): string =>
  of.map((value) => `\`${JSON.stringify(value)}\``).join(', ');

function actionOf(field: ForeignField): string {
  if ('as' in field) return `becomes ${field.as.includes('`') ? field.as : `\`${field.as}\``}`;
  if ('ignored' in field) return 'ignored';
  const { harmless, advice } = field;
  const accepted = shown.filter((value) => harmless?.(value));
  const others = shown.filter((value) => !harmless?.(value));
  const where =
    accepted.length > others.length
      ? ` if ${quoted(others.slice(0, 3))}`
      : accepted.length > 0
        ? ` except ${quoted(accepted)}`
        : '';
  return `refused${where}${advice === undefined ? '' : `: ${advice}`}`;
}

function tableOf(endpoint: string, fields: ForeignFields): string {
  const base = tables.get(bases[endpoint] ?? '') ?? {};
  const isIgnored = ([, field]: [string, ForeignField]): boolean => 'ignored' in field;
  const own = Object.entries(fields).filter(
    ([name, field]) => !(name in base) || actionOf(base[name]!) !== actionOf(field),
  );
  const isPlain = ([, field]: [string, ForeignField]): boolean => actionOf(field) === 'refused';
  const byAction = new Map<string, string[]>();
  for (const row of own) {
    if (isIgnored(row) || isPlain(row)) continue;
    const action = actionOf(row[1]);
    byAction.set(action, [...(byAction.get(action) ?? []), `\`${row[0]}\``]);
  }
  const rows = [...byAction].map(([action, names]) => `| ${names.join(', ')} | ${action} |`);
  const namesOf = (test: typeof isPlain): string =>
    own
      .filter(test)
      .map(([name]) => `\`${name}\``)
      .join(', ');
  return [
    `## \`POST /v1${endpoint}\``,
    endpoint in bases &&
      `The fields of [\`POST /v1${bases[endpoint]}\`](#post-v1${bases[endpoint]!.replaceAll('/', '')}) that this endpoint doesn't define, and:`,
    rows.length > 0 &&
      ['<!-- prettier-ignore -->', '| field | effect |', '| --- | --- |', ...rows].join('\n'),
    namesOf(isPlain) && `Refused, without a replacement: ${namesOf(isPlain)}.`,
    namesOf(isIgnored) && `Ignored, since they can't change an answer: ${namesOf(isIgnored)}.`,
  ]
    .filter((part) => part)
    .join('\n\n');
}

const text = `# Fields of other servers

Clients of vLLM, Ollama, llama-server and similar servers send fields that this API doesn't define. A known field either becomes the equivalent field here,
or is refused with 400, its name as \`param\` and a replacement, unless its value has no effect. \`null\` always counts as omitted. A
field that can't change an answer is ignored.

A field that is neither listed here nor in the [request of the endpoint](../endpoints/README.md) is ignored. The header
\`x-ignored-fields\` lists up to 16 of these, sorted, by path (\`messages[1].foo\`). To answer 400 instead, for tests of clients, use
\`createHandler(inference, { auth, unknownFields: 'refuse' })\`.

${[...tables].map(([endpoint, fields]) => tableOf(endpoint, fields)).join('\n\n')}
`;

it('docs/guides/foreign-fields.md has the tables of the code', async () => {
  await expectPage('docs/guides/foreign-fields.md', () => text);
  expect(text.length).toBeLessThan(20_000);
});
