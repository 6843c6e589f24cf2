// llama.cpp through node-llama-cpp, which is not a dependency of this project: install it in a folder of its own and
// name the folder. Usage: node benchmarks/peers/llama-cpp.js --model FILE.gguf --node-modules FOLDER [options]
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promptTokens, runPeer } from './runner.js';

/** @type {Record<string, string | false>} llama.cpp's build for a device of ours */
const gpus = { cpu: false, cuda: 'cuda', webgpu: process.platform === 'darwin' ? 'metal' : 'vulkan' };

await runPeer(
  'llama.cpp',
  async ({ model: path, device, threads, contexts, streams, tokens, nodeModules, spinning }) => {
    if (spinning === 'off') throw new Error('--spinning: node-llama-cpp has no setting for it');
    const { getLlama, version } = await importNodeLlama(nodeModules);
    const gpu = gpus[device];
    if (gpu === undefined)
      throw new Error(`--device: expected ${Object.keys(gpus).join(', ')}, got ${device}`);
    const llama = await getLlama({ gpu, build: 'never', skipDownload: true, logLevel: 'error' });
    const model = await llama.loadModel({ modelPath: resolve(path), gpuLayers: gpu ? 'max' : 0 });
    const sequences = Math.max(1, ...streams);
    const context = await model.createContext({
      // Of every sequence.
      contextSize: Math.max(64, ...contexts) + tokens + 32,
      sequences,
      batchSize: 512,
      threads: { ideal: threads, min: threads },
    });
    const all = Array.from({ length: sequences }, () => context.getSequence());

    return {
      version: `${version}, llama.cpp ${llama.llamaCppRelease.release}${gpu ? `, ${gpu}` : ''}`,
      model: basename(path),
      async generate(requests, count, onFirstToken) {
        for (const sequence of all) await sequence.clearHistory();
        await Promise.all(
          requests.map(async (request, index) => {
            let generated = 0;
            const answer = all[index].evaluate(promptTokens(request), {
              temperature: 0,
              yieldEogToken: true,
            });
            for await (const token of answer) {
              void token;
              if (++generated === 1) onFirstToken();
              if (generated === count) break;
            }
            if (generated < count) throw new Error(`expected ${count} tokens, got ${generated}`);
          }),
        );
      },
      close: () => llama.dispose(),
    };
  },
);

/** @param {string | undefined} nodeModules */
async function importNodeLlama(nodeModules = process.env['NODE_LLAMA_CPP']) {
  if (nodeModules === undefined) {
    throw new Error(
      '--node-modules: expected the node_modules folder with node-llama-cpp: npm install --prefix FOLDER node-llama-cpp',
    );
  }
  const folder = resolve(nodeModules, 'node-llama-cpp');
  const { version } = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8'));
  /** @type {any} */
  const { getLlama } = await import(pathToFileURL(resolve(folder, 'dist/index.js')).href);
  return { getLlama, version };
}
