import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import { mutations } from '../runtime/audio/mutations.ts';
import { mediaPath } from '../runtime/audio/read-all.ts';
import { silentFlac, silentMp3 } from '../runtime/audio/silence.ts';
import { hostileImages } from '../runtime/hostile-images.ts';
import { constrainedChat, longPatterns } from './long-patterns.ts';

/** The status of an answer, or how the connection ended. */
export type Outcome = number | 'left' | 'closed' | '503 without Retry-After';

/** One kind of attack. */
export interface Attack {
  readonly name: string;
  /** The model whose worker it reaches, if any. */
  readonly model?: string;
  /** @param number another variant for each */
  send(origin: string, number: number): Promise<Outcome>;
}

/** After so long an attacker leaves. */
const patienceMs = 8000;
const hangMs = 3000;
const chat = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'Hello!' }];

/** Sends a request; the answer is read to its end. */
export async function sendRequest(
  origin: string,
  path: string,
  body: object | string | FormData,
  leaveAfterMs: number,
): Promise<Outcome> {
  const isForm = body instanceof FormData;
  const signal = AbortSignal.timeout(leaveAfterMs);
  try {
    const response = await fetch(origin + path, {
      method: 'POST',
      body: isForm || typeof body === 'string' ? body : JSON.stringify(body),
      ...(!isForm && { headers: { 'content-type': 'application/json' } }),
      signal,
    });
    await response.arrayBuffer();
    const saysWhen = Number(response.headers.get('retry-after')) > 0;
    return response.status === 503 && !saysWhen ? '503 without Retry-After' : response.status;
  } catch {
    return signal.aborted ? 'left' : 'closed';
  }
}

/** A form with a recording. */
export function recordingForm(bytes: Uint8Array, fields: Readonly<Record<string, string>> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('model', 'tiny-whisper');
  form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'recording');
  return form;
}

/** Sends these bytes over a connection that stays open for a while, and reads nothing from it. */
async function hang(origin: string, start: string): Promise<Outcome> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  let isOpen = true;
  socket.on('error', () => undefined).once('close', () => (isOpen = false));
  socket.pause().write(start);
  await delay(hangMs);
  socket.destroy();
  return isOpen ? 'left' : 'closed';
}

const head = (path: string, type: string, length: number): string =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;
const fields = (text: string): string => `{"model":"tiny-chat","messages":[],${text}}`;
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Bodies of megabytes, made once. */
const largeBodies = [
  fields(`"logit_bias":{${Array.from({ length: 2 ** 20 }, (_, token) => `"${token}":1`).join(',')}}`),
  `{"model":"tiny-chat","messages":[${'{"role":"user","content":"hi"},'.repeat(400_000)}{}]}`,
  `{"model":"tiny-chat","messages":[${'{"role":"user","content":"hi"},'.repeat(16_000)}{}]}`,
  `{"model":"tiny-chat","messages":[{"role":"user","content":"${'\\"ab'.repeat(3_900_000)}"}]}`,
  `{"model":"tiny-chat","messages":[{"role":"user","content":"${'abcdefgh '.repeat(1_700_000)}"}]}`,
  fields(`"metadata":${nested(1_000_000)}`),
  fields(`"tool_choice":"${'a'.repeat(5_000_000)}"`),
  '['.repeat(15_000_000),
];

const tokenIds = `{"model":"tiny-embed","input":[${'12,'.repeat(500_000)}12]}`;

/** Schemas in schemas in schemas. */
const nestedSchemas = [
  `${'{"properties":{"p":'.repeat(20_000)}{}${'}}'.repeat(20_000)}`,
  `${'{"type":"array","minItems":1,"items":'.repeat(2000)}{}${'}'.repeat(2000)}`,
  `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`,
  `${'{"allOf":['.repeat(5000)}{}${']}'.repeat(5000)}`,
  `{"const":${nested(20_000)}}`,
  `{"pattern":"${'('.repeat(9000)}${')'.repeat(9000)}"}`,
  `{"$ref":"#/${'a'.repeat(400_000)}"}`,
];

const rawRequests = [
  'GET / HTTP/9.9\r\n\r\n',
  '\0\x01\x02\xff'.repeat(1000),
  `GET /v1/models HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`,
  `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
  `POST ${chat} HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  `POST ${chat} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nffffffff\r\n{`,
  'GET /v1/models HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
  'GET /v1/models HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(200),
  'GET /v1/../../etc/passwd HTTP/1.1\r\nhost: a\r\n\r\n',
  `POST ${chat} HTTP/1.1\r\nhost: a\r\ncontent-`,
];

const innerAddresses = [
  'http://127.0.0.1:22/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::1]/a.png',
  'http://[::ffff:127.0.0.1]/a.png',
  'http://0x7f.1/a.png',
  'http://2130706433/',
  'file:///etc/passwd',
  'http://localhost/a.png',
];

/** All attacks of these tests; makes the files that they send. */
export async function createAttacks(): Promise<readonly Attack[]> {
  const white = sharp({ create: { width: 8190, height: 8190, channels: 3, background: 'white' } });
  const largePictures = await Promise.all([
    white.clone().png().toBuffer(),
    white.clone().webp({ quality: 1 }).toBuffer(),
    white.clone().jpeg({ progressive: true }).toBuffer(),
    white.clone().gif({ effort: 1 }).toBuffer(),
  ]);
  const pictures = await hostileImages();
  const recordings = new Map(
    readdirSync(mediaPath(''))
      .filter((name) => !/\.(?:py|json)$/.test(name))
      .map((name) => [name, new Uint8Array(readFileSync(mediaPath(name)))]),
  );
  const broken = [...mutations(recordings, { count: 2000, seed: 16 })];
  const silence = [silentFlac(4 * 3600), silentMp3(3600)];
  const detect = (image: string): object => ({ model: 'tiny-detect', image });
  return [
    {
      name: 'long patterns',
      model: 'tiny-chat',
      send: (origin, number) => {
        const schema = longPatterns[number % longPatterns.length]!(number);
        return sendRequest(origin, chat, constrainedChat(schema, 40), patienceMs);
      },
    },
    {
      name: 'large JSON',
      model: 'tiny-chat',
      send: (origin, number) => {
        return sendRequest(origin, chat, largeBodies[number % largeBodies.length]!, patienceMs);
      },
    },
    {
      name: 'half a million token ids',
      model: 'tiny-embed',
      send: (origin) => sendRequest(origin, '/v1/embeddings', tokenIds, patienceMs),
    },
    {
      name: 'nested schemas',
      model: 'tiny-chat',
      send: (origin, number) => {
        const schema = nestedSchemas[number % nestedSchemas.length]!;
        const format = `{"type":"json_schema","json_schema":{"name":"n","schema":${schema}}}`;
        const body = `{"model":"tiny-chat","messages":${JSON.stringify(messages)},"max_tokens":9,"response_format":${format}}`;
        return sendRequest(origin, chat, body, patienceMs);
      },
    },
    {
      name: 'large pictures',
      model: 'tiny-detect',
      send: (origin, number) => {
        const image = largePictures[number % largePictures.length]!.toString('base64');
        return sendRequest(origin, '/v1/detect', detect(image), patienceMs);
      },
    },
    {
      name: 'broken pictures',
      model: 'tiny-detect',
      send: (origin, number) => {
        const image = pictures[number % pictures.length]!.bytes.toString('base64');
        return sendRequest(origin, '/v1/detect', detect(image), patienceMs);
      },
    },
    {
      name: 'broken recordings',
      model: 'tiny-whisper',
      send: (origin, number) => {
        const form = recordingForm(broken[number % broken.length]!.bytes);
        return sendRequest(origin, '/v1/audio/transcriptions', form, patienceMs);
      },
    },
    {
      name: 'hours of silence',
      model: 'tiny-whisper',
      send: (origin, number) => {
        const form = recordingForm(silence[number % silence.length]!);
        return sendRequest(origin, '/v1/audio/transcriptions', form, 2000);
      },
    },
    {
      name: 'addresses of inner networks',
      model: 'tiny-detect',
      send: (origin, number) => {
        const image = innerAddresses[number % innerAddresses.length]!;
        return sendRequest(origin, '/v1/detect', detect(image), patienceMs);
      },
    },
    {
      name: 'answers of a hostile server',
      send: (origin) => sendRequest(origin, chat, { model: 'hostile', messages }, patienceMs),
    },
    {
      name: 'half a form',
      send: (origin) => {
        const start = head('/v1/audio/transcriptions', 'multipart/form-data; boundary=b', 100_000);
        const part = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nRIFF';
        return hang(origin, start + part);
      },
    },
    {
      name: 'half a body',
      send: (origin) => hang(origin, `${head(chat, 'application/json', 100_000)}{"model":`),
    },
    {
      name: 'streams that nobody reads',
      model: 'tiny-chat',
      send: (origin) => {
        const body = JSON.stringify({ model: 'tiny-chat', messages, stream: true, max_tokens: 200, n: 4 });
        return hang(origin, head(chat, 'application/json', body.length) + body);
      },
    },
    {
      name: 'what is hardly HTTP',
      send: (origin, number) => hang(origin, rawRequests[number % rawRequests.length]!),
    },
  ];
}
