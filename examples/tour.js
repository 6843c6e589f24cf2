// A round trip through all seven kinds of models, over HTTP and with the `openai` package: the chat model calls a tool with
// a scene, the image model draws it, a vision chat model describes it, detection finds its shapes, the findings are spoken
// and transcribed, the transcript's embedding is nearest to the original scene, and reranking ranks it first.
// `npm run tour` runs this.
// Usage: node examples/tour.js [rounds, default 1] [folder, default tour]
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import OpenAI, { toFile } from 'openai';
import sharp from 'sharp';
import {
  chat,
  createHandler,
  createInference,
  detection,
  embedding,
  image,
  rerank,
  speech,
  transcription,
} from 'slashv1';
import { toNodeListener } from 'slashv1/node';

const rounds = Number(process.argv[2] ?? 1);
const folder = resolve(process.argv[3] ?? 'tour');
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error('Usage: npm run tour -- [rounds] [folder], by default 1 and tour');
  process.exit(2);
}
const size = 512;
const otherScenes = 50;

const colors = ['red', 'green', 'blue', 'yellow', 'orange', 'purple', 'pink', 'black'];
const shapes = ['circle', 'square', 'triangle', 'diamond', 'cross', 'star'];
const numbers = ['no', 'one', 'two', 'three', 'four'];
const requests = [
  'Draw a scene with two shapes.',
  'Draw a picture with one shape.',
  'Draw a scene with three shapes.',
];

/** @typedef {{ color: string, shape: string, count: number }} Group */
/** @typedef {{ class_name: string, confidence: number, box: { x1: number, y1: number, x2: number, y2: number } }} Found */

/** @type {import('openai').OpenAI.ChatCompletionTool} */
const drawScene = {
  type: 'function',
  function: {
    name: 'draw_scene',
    description: 'Draw a picture of a scene.',
    parameters: {
      type: 'object',
      properties: { scene: { type: 'string', description: 'The scene in words.' } },
      required: ['scene'],
    },
  },
};

/** @param {string} text @returns {Group[]} the things in a scene */
function groupsIn(text) {
  const found = text.matchAll(
    /\b(an?|one|two|three|four) (red|green|blue|yellow|orange|purple|pink|black) (circle|square|triangle|diamond|cross|star)(?:e?s)?\b/g,
  );
  return [...found].map(([, count = '', color = '', shape = '']) => ({
    color,
    shape,
    count: Math.max(1, numbers.indexOf(count)),
  }));
}

/** @param {readonly string[]} names @returns names in a stable order */
const sorted = (names) => names.toSorted().join(', ');

/** @param {readonly Group[]} groups */
const namesOf = (groups) =>
  groups.flatMap(({ color, shape, count }) => Array.from({ length: count }, () => `${color} ${shape}`));

/** @param {string} name @param {number} count @returns {string} `two red crosses` */
function counted(name, count) {
  if (count === 1) return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
  return `${numbers[count] ?? count} ${name}${/[sx]$/.test(name) ? 'es' : 's'}`;
}

/** @param {readonly Found[]} found @returns {string} a sentence with things and places */
function describe(found) {
  const counts = new Map();
  for (const { class_name: name } of found) counts.set(name, (counts.get(name) ?? 0) + 1);
  const groups = [...counts].map(([name, count]) => counted(name, count));
  const [first, second] = found;
  if (first === undefined) return 'I see nothing.';
  if (second === undefined || found.length !== 2 || counts.size !== 2)
    return `I see ${groups.join(' and ')}.`;
  const across = (first.box.x1 + first.box.x2 - second.box.x1 - second.box.x2) / 2;
  const down = (first.box.y1 + first.box.y2 - second.box.y1 - second.box.y2) / 2;
  const sideways = across < 0 ? 'to the left of' : 'to the right of';
  const relation = Math.abs(across) > Math.abs(down) ? sideways : down < 0 ? 'above' : 'below';
  return `I see ${groups[0]} ${relation} ${groups[1]}.`;
}

/** @param {string} text @returns {string} without punctuation */
const wordsOf = (text) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9 ]/g, '')
    .trim();

/** @param {number} seed @param {string} scene @returns {string[]} scenes different from this one */
function inventScenes(seed, scene) {
  let state = seed + 1;
  /** @template T @param {readonly T[]} list @returns {T} */
  const pick = (list) => {
    state = (state * 48_271) % 2_147_483_647;
    return /** @type {T} */ (list[state % list.length]);
  };
  const scenes = new Set();
  while (scenes.size < otherScenes) {
    const thing = () => counted(`${pick(colors)} ${pick(shapes)}`, 1);
    const invented = `${thing()} ${pick(['above', 'below', 'to the left of', 'to the right of'])} ${thing()}`;
    if (sorted(namesOf(groupsIn(invented))) !== sorted(namesOf(groupsIn(scene)))) scenes.add(invented);
  }
  return [...scenes];
}

/** @param {readonly number[]} a @param {readonly number[]} b */
const similarity = (a, b) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

/** @param {Buffer} png @param {readonly Found[]} found */
function withBoxes(png, found) {
  const drawn = found.map(
    ({ class_name: name, confidence, box: { x1, y1, x2, y2 } }) =>
      `<rect x="${x1}" y="${y1}" width="${x2 - x1}" height="${y2 - y1}" fill="none" stroke="#444" stroke-width="2" stroke-dasharray="6 4"/>` +
      `<text x="${x1}" y="${Math.max(14, y1 - 6)}" font-family="sans-serif" font-size="14" fill="#444">${name} ${confidence.toFixed(2)}</text>`,
  );
  const overlay = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">${drawn.join('')}</svg>`;
  return sharp(png)
    .composite([{ input: Buffer.from(overlay) }])
    .png()
    .toBuffer();
}

const inference = createInference({
  models: {
    'tiny-chat': chat({ source: 'tiny-chat' }),
    'tiny-detect': detection({ source: 'tiny-detect' }),
    'tiny-embed': embedding({ source: 'tiny-embed' }),
    'tiny-image': image({ source: 'tiny-image' }),
    'tiny-rerank': rerank({ source: 'tiny-rerank' }),
    'tiny-speech': speech({ source: 'tiny-speech' }),
    'tiny-vision': chat({ source: 'tiny-vision' }),
    'tiny-whisper': transcription({ source: 'tiny-whisper' }),
  },
});
const server = createServer(toNodeListener(createHandler(inference, { auth: { keys: ['tour'] } })));
await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
const address = /** @type {import('node:net').AddressInfo} */ (server.address());
const baseURL = `http://127.0.0.1:${address.port}/v1`;
const client = new OpenAI({ baseURL, apiKey: 'tour' });

/** @param {string} path @param {object} body @returns {Promise<unknown>} the response; for endpoints missing from the package `openai` */
async function post(path, body) {
  const headers = { authorization: 'Bearer tour', 'content-type': 'application/json' };
  const response = await fetch(baseURL + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return response.json();
}

/** @param {number} seed @returns {Promise<boolean>} true if every step succeeded */
async function round(seed) {
  /** @param {string} what @param {boolean} [holds] */
  const tell = (what, holds) => {
    console.log(`  ${holds === undefined ? ' ' : holds ? '✓' : '✗'} ${what}`);
    return holds ?? true;
  };
  const request = requests[seed % requests.length] ?? '';
  console.log(`\nRound ${seed}`);
  tell(`You ask: ${request}`);
  const answer = await client.chat.completions.create({
    model: 'tiny-chat',
    seed,
    messages: [{ role: 'user', content: request }],
    tools: [drawScene],
  });
  const call = answer.choices[0]?.message.tool_calls?.[0];
  const scene = call?.type === 'function' ? String(JSON.parse(call.function.arguments).scene ?? '') : '';
  const wanted = namesOf(groupsIn(scene));
  if (!tell(`tiny-chat calls draw_scene(${JSON.stringify(scene)})`, wanted.length > 0)) return false;

  const picture = await client.images.generate(
    /** @type {any} */ ({ model: 'tiny-image', prompt: scene, size: `${size}x${size}`, seed }),
  );
  const png = Buffer.from(picture.data?.[0]?.b64_json ?? '', 'base64');
  tell('tiny-image draws it', png.length > 0);

  const seen = await client.chat.completions.create({
    model: 'tiny-vision',
    temperature: 0,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
          { type: 'text', text: 'What is in this picture?' },
        ],
      },
    ],
  });
  const description = seen.choices[0]?.message.content ?? '';
  const isSeen = tell(
    `tiny-vision sees: ${description}`,
    sorted(namesOf(groupsIn(description.toLowerCase()))) === sorted(wanted),
  );

  const { detections: found } = /** @type {{ detections: Found[] }} */ (
    await post('/detect', { model: 'tiny-detect', image: png.toString('base64'), image_size: size })
  );
  const names = found.map(({ class_name: name }) => name);
  const isFound = tell(`tiny-detect finds ${sorted(names) || 'nothing'}`, sorted(names) === sorted(wanted));

  const sentence = describe(found);
  const spoken = await client.audio.speech.create({
    model: 'tiny-speech',
    voice: 'af_heart',
    input: sentence,
  });
  const wav = Buffer.from(await spoken.arrayBuffer());
  tell(`tiny-speech says: ${sentence}`);
  const { text } = await client.audio.transcriptions.create({
    model: 'tiny-whisper',
    file: await toFile(wav, 'speech.wav'),
  });
  const isHeard = tell(`tiny-whisper hears: ${text}`, wordsOf(text) === wordsOf(sentence));

  const scenes = [scene, ...inventScenes(seed, scene)];
  const { data } = await client.embeddings.create({ model: 'tiny-embed', input: [text, ...scenes] });
  const [heard = [], ...vectors] = data.map(({ embedding: vector }) => vector);
  const scores = vectors.map((vector) => similarity(heard, vector));
  const nearest = scores.indexOf(Math.max(...scores));
  const isNearest = tell(
    `tiny-embed finds nearest among ${scenes.length}: ${scenes[nearest]}`,
    nearest === 0,
  );

  // A square above a circle also matches "a square".
  const others = scenes.filter((other) => !wanted.every((thing) => namesOf(groupsIn(other)).includes(thing)));
  const { results } = /** @type {{ results: { index: number, relevance_score: number }[] }} */ (
    await post('/rerank', { model: 'tiny-rerank', query: scene, documents: [...others, text] })
  );
  const best = results[0]?.index ?? 0;
  const isFirst = tell(
    `tiny-rerank puts first of ${results.length}: ${others[best] ?? text}`,
    best === others.length,
  );

  const name = `round-${String(seed).padStart(2, '0')}`;
  await writeFile(join(folder, `${name}.png`), await withBoxes(png, found));
  await writeFile(join(folder, `${name}.wav`), wav);
  await writeFile(
    join(folder, `${name}.txt`),
    `${request}\n${scene}\n${description}\n${sentence}\n${text}\n`,
  );
  return isSeen && isFound && isHeard && isNearest && isFirst;
}

try {
  await mkdir(folder, { recursive: true });
  await inference.ready();
  let held = 0;
  for (let seed = 1; seed <= rounds; seed += 1) held += (await round(seed)) ? 1 : 0;
  console.log(`\nAll steps held in ${held} of ${rounds}. Pictures, sound and transcripts are in ${folder}`);
} finally {
  await inference.close();
  server.close();
  server.closeAllConnections();
}
