import { readFileSync } from 'node:fs';
import { categories } from '../../src/categories/registry.ts';
import { curlLines } from '../../examples/curl-lines.js';
import { toRows, type Row, type Schema } from '../../src/playground/page/scripts/reference/schema-rows.js';
import { wireErrors } from '../../src/http/error-responses.ts';
import { toOpenApi } from '../../src/server/openapi.ts';
import { realtimeSockets } from '../../src/realtime/sockets.ts';
import { createRoutes } from '../../src/server/routes.ts';
import { compactRows, isShown, type Known } from './compact-rows.ts';

/** Answers that the bundled models gave, by the endpoint; long ones shortened. */
export const answersFile = new URL('answers.json', import.meta.url);
const answers = JSON.parse(readFileSync(answersFile, 'utf8')) as Readonly<Record<string, unknown>>;

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
  readonly 'x-websocket-messages'?: readonly Readonly<
    Record<'client' | 'server', { readonly $ref: string }>
  >[];
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
  '/responses/input_tokens': '[responses](../responses.md) · [tokens of a prompt](../tokenize.md)',
  '/responses': '[responses](../responses.md) · [tools](../guides/tools.md)',
  '/conversations': '[responses](../responses.md#conversations)',
  '/images/generations': '[images](../images.md)',
  '/audio/transcriptions': '[speech and transcription](../speech.md)',
  '/audio/translations': '[speech and transcription](../speech.md)',
  '/realtime': '[live transcription](../speech.md#live-transcription) and [voice agents](../voice-agents.md)',
  '/audio/speech': '[speech and transcription](../speech.md)',
  '/audio/voices': '[speech and transcription](../speech.md)',
  '/detect': '[detection](../detection.md)',
  '/embeddings': '[embeddings](../embeddings.md)',
  '/rerank': '[reranking](../rerank.md)',
};

/** The pages of all endpoints by file name, and their index. */
export function writeEndpointPages(): Map<string, string> {
  const document = toOpenApi(createRoutes(categories, realtimeSockets)) as unknown as Document;
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
      pages.set(file, writePage(method.toUpperCase(), path, operation, document));
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

| endpoint | purpose |
| --- | --- |
${rows.join('\n')}
`;
}

function writePage(method: string, path: string, operation: Operation, { components }: Document): string {
  const shown: Shown = { schemaOf: ($ref) => components.schemas[$ref.split('/').at(-1)!]!, known: [] };
  const { parameters = [], requestBody, responses, 'x-websocket-messages': messages } = operation;
  const guide = guides[path];
  return [
    `# ${method} /v1${path}`,
    operation.summary,
    exampleOf(method, path),
    guide && `Guides: ${guide}`,
    parameters.length > 0 && `## Parameters\n\n${parameterTable(parameters)}`,
    ...contentSections('Request', requestBody?.content ?? {}, shown),
    requestBody &&
      'An optional field that is `null` counts as left out. Other fields are ignored, except those that would change the answer: they get 400.',
    ...(messages
      ? [
          responses['101']!.description,
          ...messages.flatMap(({ client, server }, index) => {
            const [from, to] = index === 0 ? ['client', 'server'] : ['client of an agent', 'agent'];
            return [
              ...contentSections(`Messages of the ${from}`, { JSON: { schema: client } }, shown),
              ...contentSections(`Messages of the ${to}`, { JSON: { schema: server } }, shown),
            ];
          }),
        ]
      : contentSections('Response', responses['200']!.content, shown)),
    '## Errors',
    errorTable(responses),
    'The [body of an error and when to ask again](../guides/errors-and-limits.md#codes) are the same everywhere.',
  ]
    .filter((part) => part)
    .join('\n\n');
}

/** The schemas of the document, and what a page has shown of them. */
interface Shown {
  readonly schemaOf: (ref: string) => Schema;
  readonly known: Known;
}

function contentSections(title: string, content: Content, { schemaOf, known }: Shown): string[] {
  return Object.entries(content).map(([mediaType, { schema }]) => {
    const all = toRows(schemaOf(schema.$ref));
    const rows = compactRows(all, known);
    return [
      `## ${title}: \`${mediaType}\``,
      rows.length > 0 ? fieldTable(rows) : (schemaOf(schema.$ref).description ?? ''),
      !all.every(isShown) &&
        `Fields within these are in the [OpenAPI document](openapi-json.md), schema \`${schema.$ref.split('/').at(-1)!}\`.`,
    ]
      .filter((part) => part !== false)
      .join('\n\n');
  });
}

function fieldTable(rows: readonly Row[]): string {
  const hasDefaults = rows.some(({ byDefault }) => byDefault !== '');
  const lines = rows.map(({ name, type, isRequired, byDefault, description }) => {
    if (type === '') return tableRow([`*${name}*`, description, ...(hasDefaults ? [''] : []), '']);
    const shownDefault = byDefault === '' ? (isRequired ? 'required' : '') : `\`${byDefault}\``;
    return tableRow([`\`${name}\``, type, ...(hasDefaults ? [shownDefault] : []), description]);
  });
  const head = ['field', 'value', ...(hasDefaults ? ['default'] : []), 'meaning'];
  return [tableRow(head), tableRow(head.map(() => '---')), ...lines].join('\n');
}

function parameterTable(parameters: NonNullable<Operation['parameters']>): string {
  const rows = parameters.map(({ name, in: place, description = '', required }) =>
    tableRow([`\`${name}\``, place, required ? 'yes' : 'no', description]),
  );
  return [
    tableRow(['name', 'in', 'required', 'meaning']),
    tableRow(['---', '---', '---', '---']),
    ...rows,
  ].join('\n');
}

function errorTable(responses: Operation['responses']): string {
  const byCode = new Map(Object.values(wireErrors).map((error) => [error.code, error]));
  const rows = Object.entries(responses).flatMap(([status, { description }]) =>
    status === '200' || status === '101'
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

const base = 'http://127.0.0.1:8000/v1';
const exportKey =
  '# The key of your service: SLASHV1_API_KEY=sk-local npm start\nexport SLASHV1_API_KEY=sk-local';
const lines = curlLines(base);

/** Endpoints whose request needs the file that another one makes. */
const before: Readonly<Record<string, string>> = {
  '/detect': '/images/generations',
  '/audio/transcriptions': '/audio/speech',
};

const header = '-H "Authorization: Bearer $SLASHV1_API_KEY"';
/** In place of an answer that is no JSON. */
const describeFile = `-w '{"content_type":"%{content_type}","size_download":%{size_download}}'`;

/** A request whose response is kept, and its id. */
const keep = (fields: string): string =>
  `ID=$(${lineOf('/responses')!.replace('{', `{${fields},`)} | node -p 'JSON.parse(require("fs").readFileSync(0)).id')`;

const json = "-H 'Content-Type: application/json'";
const item = '{"role":"user","content":"Describe a scene with two shapes."}';
const conversations = `${base}/conversations`;
/** A conversation that has an item, and its id. */
const converse = `ID=$(curl -sS ${conversations} ${header} ${json} -d '{"items":[${item}]}' | node -p 'JSON.parse(require("fs").readFileSync(0)).id')`;
/** The id of its item. */
const findItem = `ITEM=$(curl -sS ${conversations}/$ID/items ${header} | node -p 'JSON.parse(require("fs").readFileSync(0)).data[0].id')`;

const transcribeLive = `node --input-type=module -e '
import { readFileSync } from "node:fs";
import WebSocket from "ws";

const headers = { authorization: \`Bearer \${process.env.SLASHV1_API_KEY}\` };
const socket = new WebSocket("${base}/realtime?intent=transcription", { headers });
socket.on("open", () => {
  const audio = readFileSync("speech.wav").subarray(44).toString("base64"); // 24 kHz, 16 bits, one channel
  socket.send(JSON.stringify({ type: "input_audio_buffer.append", audio }));
  socket.send(JSON.stringify({ type: "input_audio_buffer.commit" }));
});
socket.on("message", (message) => {
  if (!String(message).includes("transcription.completed")) return;
  console.log(String(message));
  socket.close();
});
'`;

/** Requests of endpoints for which `examples/curl-lines.js` has none, or one whose answer goes to a file. */
const requestsOf = (endpoint: string): readonly string[] | undefined =>
  ({
    'POST /models/{model_id}/load': [`curl -sS -X POST ${base}/models/tiny-rerank/load ${header}`],
    'POST /models/{model_id}/unload': [`curl -sS -X POST ${base}/models/tiny-rerank/unload ${header}`],
    'POST /images/generations': [lineOf('/images/generations')!.split(' | ')[0]!],
    'POST /audio/speech': [`${lineOf('/audio/speech')} ${describeFile}`],
    'POST /audio/translations': [
      '# The recording says: El perro es grande. La casa es muy bonita.',
      `curl -sS ${base}/audio/translations ${header} -F file=@spanish.wav -F model=whisper-base`,
    ],
    'GET /openapi.json': [`${lineOf('/openapi.json')} -o openapi.json ${describeFile}`],
    'GET /realtime': [lineOf('/audio/speech')!, transcribeLive],
    'GET /responses/{response_id}': [keep('"store":true'), `curl -sS ${base}/responses/$ID ${header}`],
    'DELETE /responses/{response_id}': [
      keep('"store":true'),
      `curl -sS -X DELETE ${base}/responses/$ID ${header}`,
    ],
    'GET /responses/{response_id}/input_items': [
      keep('"store":true'),
      `curl -sS ${base}/responses/$ID/input_items ${header}`,
    ],
    'POST /conversations': [
      `curl -sS ${conversations} ${header} ${json} -d '{"items":[${item}],"metadata":{"topic":"shapes"}}'`,
    ],
    'GET /conversations/{conversation_id}': [converse, `curl -sS ${conversations}/$ID ${header}`],
    'POST /conversations/{conversation_id}': [
      converse,
      `curl -sS ${conversations}/$ID ${header} ${json} -d '{"metadata":{"topic":"shapes"}}'`,
    ],
    'DELETE /conversations/{conversation_id}': [
      converse,
      `curl -sS -X DELETE ${conversations}/$ID ${header}`,
    ],
    'GET /conversations/{conversation_id}/items': [converse, `curl -sS ${conversations}/$ID/items ${header}`],
    'POST /conversations/{conversation_id}/items': [
      converse,
      `curl -sS ${conversations}/$ID/items ${header} ${json} -d '{"items":[${item.replace('two', 'three')}]}'`,
    ],
    'GET /conversations/{conversation_id}/items/{item_id}': [
      converse,
      findItem,
      `curl -sS ${conversations}/$ID/items/$ITEM ${header}`,
    ],
    'DELETE /conversations/{conversation_id}/items/{item_id}': [
      converse,
      findItem,
      `curl -sS -X DELETE ${conversations}/$ID/items/$ITEM ${header}`,
    ],
    'POST /responses/{response_id}/cancel': [
      '# The penalties make a long answer, which repeats itself.',
      keep('"background":true,"frequency_penalty":-2,"repeat_penalty":0.1,"max_output_tokens":1900'),
      `curl -sS -X POST ${base}/responses/$ID/cancel ${header}`,
    ],
  })[endpoint];

const notRun: Readonly<Record<string, string>> = {
  '/audio/translations': 'the bundled recognizer does not translate',
};

/** The first request that `examples/curl-lines.js` has for a path. */
function lineOf(path: string): string | undefined {
  const url = `${base}${path.replace('{model_id}', 'tiny-chat')} `;
  return lines.find((one) => one.line.includes(url))?.line;
}

/** A request that the tests of these pages run against the bundled models, and its answer. */
function exampleOf(method: string, path: string): string | undefined {
  const requests =
    requestsOf(`${method} ${path}`) ??
    [lineOf(before[path] ?? ''), lineOf(path)].filter((line) => line !== undefined);
  if (requests.length === 0) return undefined;
  const code = [exportKey, ...requests]
    .join('\n')
    .replaceAll(/ (?=-H '|-d '\{|\| (?:node|curl) )/g, ' \\\n  ');
  const answer = answers[`${method} /v1${path}`];
  const shown = answer && `\n\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``;
  const remark = notRun[path] ? `<!-- not run: ${notRun[path]} -->\n\n` : '';
  return `${remark}\`\`\`sh\n${code}\n\`\`\`${shown ?? ''}`;
}
