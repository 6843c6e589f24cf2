// Serves the bundled models on http://127.0.0.1:8000/v1, the playground on /, and health checks on /health; `npm start` runs this.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
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
  voice,
} from 'slashv1';
import { serveWebSockets, toNodeListener } from 'slashv1/node';
import { createPlayground } from 'slashv1/playground';
import { createHealthHandler } from 'slashv1/server';
import { curlLines } from './curl-lines.js';

const host = process.env['HOST'] ?? '127.0.0.1';
const port = Number(process.env['PORT'] || 8000);
const key = process.env['SLASHV1_API_KEY'] || `sk-${randomBytes(16).toString('hex')}`;

if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`PORT: expected a number from 0 to 65535, got ${process.env['PORT']}`);
  process.exit(1);
}

const models = {
  'tiny-chat': chat({ source: 'tiny-chat' }),
  'tiny-detect': detection({ source: 'tiny-detect' }),
  'tiny-embed': embedding({ source: 'tiny-embed' }),
  'tiny-image': image({ source: 'tiny-image' }),
  'tiny-rerank': rerank({ source: 'tiny-rerank' }),
  'tiny-speech': speech({ source: 'tiny-speech' }),
  'tiny-vision': chat({ source: 'tiny-vision' }),
  'tiny-whisper': transcription({ source: 'tiny-whisper' }),
};
console.log(`Loading ${Object.keys(models).length} models …`);
const agent = voice({ hears: 'tiny-whisper', thinks: 'tiny-chat', speaks: 'tiny-speech' });
const inference = createInference({
  models: { ...models, 'tiny-agent': agent },
  observers: [
    {
      onModelLoad({ id, category }, { loadMs }) {
        const { demo } = inference.models().find((model) => model.id === id) ?? {};
        const about = demo === undefined ? '' : `demo: ${demo.description}`;
        console.log(`  ${id.padEnd(13)} ${category.padEnd(14)} ${(loadMs / 1000).toFixed(1)} s  ${about}`);
      },
    },
  ],
});
const handler = createHandler(inference, {
  auth: { keys: [{ key, plan: 'owner' }] },
  plans: { owner: { controlsModels: true } },
  keepResponses: true,
});
const api = toNodeListener(handler);
const playground = toNodeListener(createPlayground());
const health = toNodeListener(createHealthHandler(inference));
const server = createServer((request, response) => {
  const [, place] = /^\/(v1|health)(?:[/?]|$)/.exec(request.url ?? '') ?? [];
  if (place === 'v1') return api(request, response);
  return place === 'health' ? health(request, response) : playground(request, response);
});

serveWebSockets(server, handler); // for /v1/realtime
server.on('error', async (error) => {
  console.error(`Can't listen on ${host}:${port}: ${error.message}`);
  process.exitCode = 1;
  await inference.close();
});
server.listen(port, host, async () => {
  const address = server.address();
  const actualPort = typeof address === 'object' && address !== null ? address.port : port;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`;
  try {
    await inference.ready();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
    return shutDown();
  }
  const replacements = inference
    .models()
    .flatMap(({ demo }) => (demo ? [`--model ${demo.replacement}`] : []));
  const lines = curlLines(`${origin}/v1`).map(({ title, line }) => `# ${title}\n${line}`);
  console.log(`
slashv1 serves them on ${origin}/v1, with the key ${key}

Demo models know nothing beyond their lines. Real models in their place, some gigabytes to download:

npx slashv1 serve ${replacements.join(' ')}

Open the playground:

${origin}/#key=${encodeURIComponent(key)}

Or try it from another shell:

export SLASHV1_API_KEY='${key}'

${lines.join('\n\n')}
`);
});

let closing = false;
async function shutDown() {
  if (closing) process.exit(130);
  closing = true;
  server.close();
  await inference.close();
  server.closeAllConnections();
}
process.on('SIGINT', shutDown);
process.on('SIGTERM', shutDown);
