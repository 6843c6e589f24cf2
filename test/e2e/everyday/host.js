// A service as people write it, which asks itself by HTTP: `node host.js embeddings large upload`. Prints a line of JSON for each answer.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createHandler, createInference } from 'slashv1';
import { toNodeListener } from 'slashv1/node';

const { EVERYDAY_FOLDER, EVERYDAY_ORDER } = process.env;
// Services change their folder, and a relative path means another file then.
if (EVERYDAY_FOLDER) process.chdir(EVERYDAY_FOLDER);
const asked = EVERYDAY_ORDER?.split(' ') ?? process.argv.slice(2);

const inference = createInference({
  models: {
    m: { source: 'tiny-embed' },
    ears: { source: 'tiny-whisper', loadOnDemand: true },
    missing: { source: join(import.meta.dirname, 'missing'), loadOnDemand: true },
  },
});
const server = createServer(toNodeListener(createHandler(inference, { auth: 'none' })));

/** @type {Readonly<Record<string, () => [string, unknown]>>} */
const requests = {
  embeddings: () => ['embeddings', { model: 'm', input: 'Hi' }],
  missing: () => ['embeddings', { model: 'missing', input: 'Hi' }],
  // Parsed in a thread.
  large: () => ['embeddings', { model: 'm', input: 'Hi', metadata: 'x'.repeat(2 ** 21) }],
  upload() {
    const form = new FormData();
    form.append('model', 'ears');
    form.append('file', new Blob([readFileSync(join(import.meta.dirname, '../media/speech.wav'))]), 'a.wav');
    return ['audio/transcriptions', form];
  },
};

server.listen(0, '127.0.0.1', async () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  for (const name of asked) {
    if (name === 'stay') {
      console.log(JSON.stringify({ stays: process.pid }));
      return;
    }
    const [path, content] = requests[name]();
    const init =
      content instanceof FormData
        ? { body: content }
        : { body: JSON.stringify(content), headers: { 'content-type': 'application/json' } };
    const answer = await fetch(`http://127.0.0.1:${port}/v1/${path}`, { method: 'POST', ...init });
    const { error } = /** @type {{ error?: { message: string } }} */ (await answer.json());
    console.log(JSON.stringify({ name, status: answer.status, ...(error && { error: error.message }) }));
  }
  // Workers of a cluster share a port, so another worker's request may still be on its way here.
  await new Promise((resolve) => server.close(resolve));
  await inference.close();
  // The primary of a cluster waits for it.
  if (process.connected) process.disconnect();
});
