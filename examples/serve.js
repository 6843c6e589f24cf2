// Serves the bundled models on http://127.0.0.1:8000/v1 and the playground on /; this is what `npm start` runs.
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
} from 'slashv1';
import { toNodeListener } from 'slashv1/node';
import { createPlayground } from 'slashv1/playground';

const host = process.env['HOST'] ?? '127.0.0.1';
const port = Number(process.env['PORT'] || 8000);
const key = process.env['SLASHV1_API_KEY'] || `sk-${randomBytes(16).toString('hex')}`;

if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`PORT: expected a number from 0 to 65535, got ${process.env['PORT']}`);
  process.exit(1);
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
const api = toNodeListener(createHandler(inference, { auth: { keys: [key] } }));
const playground = toNodeListener(createPlayground());
const server = createServer((request, response) => {
  const isApi = /^\/v1(?:[/?]|$)/.test(request.url ?? '');
  return isApi ? api(request, response) : playground(request, response);
});

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
  const authorized = `-H 'Authorization: Bearer ${key}'`;
  const json = `${authorized} -H 'Content-Type: application/json'`;
  console.log(`slashv1 serves ${inference.models().map(({ id }) => id)} on ${origin}/v1, with the key ${key}

Open the playground:

${origin}/#key=${encodeURIComponent(key)}

Or try it from here:

curl ${origin}/v1/chat/completions ${json} -d '{"model": "tiny-chat", "messages": [{"role": "user", "content": "Describe a scene with two shapes."}]}'

curl ${origin}/v1/images/generations ${json} -d '{"prompt": "a red circle above a blue square", "size": "512x512"}' -o image.json

curl ${origin}/v1/rerank ${json} -d '{"query": "what is above the blue square", "documents": ["There is a red circle above a blue square.", "The weather in Paris is sunny."]}'

curl ${origin}/v1/audio/speech ${json} -d '{"input": "a red circle above a blue square"}' -o speech.wav

curl ${origin}/v1/audio/transcriptions ${authorized} -F file=@speech.wav
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
