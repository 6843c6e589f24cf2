import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../..');
const apiKey = 'sk-of-the-client-tests';

/** Whether a path of a client works: a program prints one of these as a line of JSON for each path.
 * @typedef {{ client: string, path: string, ok: boolean, reason?: string }} Outcome
 */

/** Starts the service of `npm start` on a free port; resolves when its models are loaded. */
export async function startService() {
  const env = { ...process.env, PORT: '0', SLASHV1_API_KEY: apiKey };
  const service = spawn(process.execPath, [join(root, 'examples/serve.js')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: service.stdout })) {
    const baseURL = / on (http:\S+\/v1),/.exec(line)?.[1];
    if (baseURL === undefined) continue;
    service.stdout.resume();
    return { baseURL, stop: () => service.kill() };
  }
  throw new Error('The service did not start.');
}

/**
 * Runs the program of a client to its end.
 * @param {{ command: string, file: string, name: string }} program @param {string} baseURL
 * @returns {Promise<Outcome[]>}
 */
export async function outcomesOf({ command, file, name }, baseURL) {
  const env = {
    ...process.env,
    BASE_URL: baseURL,
    API_KEY: apiKey,
    SLASHV1: root,
    RECORDING: join(root, 'test/e2e/media/speech.wav'),
    PICTURE: join(root, 'test/e2e/media/picture.png'),
    MODELS: join(root, 'examples/models'),
  };
  const child = spawn(command, [file], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  /** @type {Outcome[]} */
  const outcomes = [];
  let errors = '';
  child.stderr.on('data', (text) => (errors += text));
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{"client"')) outcomes.push(JSON.parse(line));
  }
  const [code] = await ended;
  if (code !== 0) outcomes.push({ client: name, path: 'start', ok: false, reason: errors.slice(-2000) });
  return outcomes;
}
