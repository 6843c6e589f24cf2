import { categories } from '../../src/categories/registry.ts';
import type { SampleRequest } from '../../src/contracts/category.ts';
import { toRows, type Row, type Schema } from '../../src/playground/page/scripts/reference/schema-rows.js';
import { wireErrors } from '../../src/server/errors.ts';
import { toOpenApi } from '../../src/server/openapi.ts';
import { createRoutes } from '../../src/server/routes.ts';

interface Content {
  readonly [mediaType: string]: { readonly schema: { readonly $ref: string } };
}

/** One operation of the OpenAPI document. */
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Guides that say more about an endpoint, by its path. */
const guides: Readonly<Record<string, string>> = {
  '/chat/completions':
    '[sampling](../guides/sampling.md) · [tools](../guides/tools.md) · [tool call and reasoning formats](../tool-calling.md)',
  '/completions': '[completions](../completions.md) · [sampling](../guides/sampling.md)',
  '/tokenize': '[tokens of a prompt](../tokenize.md)',
  '/detokenize': '[tokens of a prompt](../tokenize.md)',
  '/messages': '[messages](../messages.md)',
  '/messages/count_tokens': '[tokens of a prompt](../tokenize.md) · [messages](../messages.md)',
  '/responses': '[responses](../responses.md) · [tools](../guides/tools.md)',
  '/images/generations': '[images](../images.md)',
  '/audio/transcriptions': '[speech and transcription](../speech.md)',
  '/audio/translations': '[speech and transcription](../speech.md)',
  '/audio/speech': '[speech and transcription](../speech.md)',
  '/audio/voices': '[speech and transcription](../speech.md)',
  '/detect': '[detection](../detection.md)',
  '/embeddings': '[embeddings](../embeddings.md)',
  '/rerank': '[reranking](../rerank.md)',
};

/** The pages of all endpoints by file name, and their index. */
export function writeEndpointPages(): Map<string, string> {
  const document = toOpenApi(createRoutes(categories)) as unknown as Document;
  const pages = new Map<string, string>();
  const index: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const name = path
        .slice(1)
        .replaceAll(/[^a-z]+/g, '-')
        .replace(/-$/, '');
      const file = pages.has(`${name}.md`) ? `${name}-${method}.md` : `${name}.md`;
      const title = `${method.toUpperCase()} /v1${path}`;
      pages.set(file, writePage(title, path, operation, document));
      index.push(`| [\`${title}\`](${file}) | ${operation.summary} |`);
    }
  }
  pages.set('README.md', writeIndex(index));
  return pages;
}

function writeIndex(rows: readonly string[]): string {
  return `# Endpoints

Every path below the mounted handler, each with all its fields, defaults and errors. A running service describes itself in the same words:
\`GET /v1/openapi.json\`, and \`GET /v1/models/{model_id}/parameters\` with the bounds and defaults of one model.

| endpoint | |
| --- | --- |
${rows.join('\n')}
`;
}

function writePage(title: string, path: string, operation: Operation, { components }: Document): string {
  const schemaOf = ($ref: string): Schema => components.schemas[$ref.split('/').at(-1)!]!;
  const { parameters = [], requestBody, responses } = operation;
  const guide = guides[path];
  const sample = sampleOf(path);
  return [
    `# ${title}`,
    operation.summary,
    sample && `\`\`\`sh\n${sample}\n\`\`\``,
    guide && `Guides: ${guide}`,
    parameters.length > 0 && `## Parameters\n\n${parameterTable(parameters)}`,
    ...contentSections('Request', requestBody?.content ?? {}, schemaOf),
    requestBody &&
      'An optional field that is `null` counts as left out. Other fields are ignored, except those that would change the answer: they get 400.',
    ...contentSections('Response', responses['200']!.content, schemaOf),
    '## Errors',
    errorTable(responses),
    'The [body of an error and when to ask again](../guides/errors-and-limits.md#codes) are the same everywhere.',
  ]
    .filter((part) => part)
    .join('\n\n');
}

function contentSections(title: string, content: Content, schemaOf: (ref: string) => Schema): string[] {
  return Object.entries(content).map(([mediaType, { schema }]) => {
    const rows = toRows(schemaOf(schema.$ref));
    return `## ${title}: \`${mediaType}\`\n\n${rows.length > 0 ? fieldTable(rows) : (schemaOf(schema.$ref).description ?? '')}`;
  });
}

function fieldTable(rows: readonly Row[]): string {
  const hasDefaults = rows.some(({ byDefault }) => byDefault !== '');
  const lines = rows.map(({ name, type, isRequired, byDefault, description }) => {
    if (type === '') return tableRow([`*${name}*`, description, ...(hasDefaults ? [''] : []), '']);
    const shownDefault = byDefault === '' ? (isRequired ? 'required' : '') : `\`${byDefault}\``;
    return tableRow([`\`${name}\``, type, ...(hasDefaults ? [shownDefault] : []), description]);
  });
  const head = ['field', 'value', ...(hasDefaults ? ['default'] : []), ''];
  return [tableRow(head), tableRow(head.map(() => '---')), ...lines].join('\n');
}

function parameterTable(parameters: NonNullable<Operation['parameters']>): string {
  const rows = parameters.map(({ name, in: place, description = '', required }) =>
    tableRow([`\`${name}\``, place, required ? 'required' : '', description]),
  );
  return [tableRow(['name', 'in', '', '']), tableRow(['---', '---', '---', '---']), ...rows].join('\n');
}

function errorTable(responses: Operation['responses']): string {
  const byCode = new Map(Object.values(wireErrors).map((error) => [error.code, error]));
  const rows = Object.entries(responses).flatMap(([status, { description }]) =>
    status === '200'
      ? []
      : description
          .split(', ')
          .map((code) => tableRow([status, `\`${code}\``, `\`${byCode.get(code)?.type ?? ''}\``])),
  );
  return [tableRow(['status', '`code`', '`type`']), tableRow(['---', '---', '---']), ...rows].join('\n');
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

/** A curl line that the tests of these pages run against the bundled models. */
function sampleOf(path: string): string | undefined {
  const head = `curl --fail-with-body "$URL${path}" -H "Authorization: Bearer $KEY"`;
  for (const category of categories.values()) {
    const { sample } = category;
    if (`/${sample.path}` === path)
      return writeSample(head, sample, `tiny-${modelNames[category.name] ?? category.name}`);
  }
  return undefined;
}

const modelNames: Readonly<Record<string, string>> = {
  detection: 'detect',
  embedding: 'embed',
  transcription: 'whisper',
};

function writeSample(head: string, { body, form, file, pipe }: SampleRequest, model: string): string {
  const saved = file === undefined ? '' : ` \\\n  -o ${file}`;
  const output = pipe === undefined ? saved : `${saved} \\\n  | ${pipe}`;
  if (body === undefined)
    return `${head} \\\n  -F model=${model} ${form?.replace('speech.wav', 'meeting.wav') ?? ''}${output}`;
  if ('image' in body) {
    return `${head} -H 'Content-Type: application/json' \\\n  -d "{\\"model\\": \\"${model}\\", \\"image\\": \\"$(base64 -w0 scene.png)\\"}"${output}`;
  }
  return `${head} -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify({ model, ...body })}'${output}`;
}
