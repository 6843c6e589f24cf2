// Greedy answers of llama.cpp through node-llama-cpp itself, 64 tokens each, to the questions in gguf-greedy.json; writes that file.
// Usage: NODE_LLAMA_CPP=FOLDER/node_modules node test/real/golden/gguf-greedy.js FILE.gguf
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [file = ''] = process.argv.slice(2);
const folder = resolve(process.env['NODE_LLAMA_CPP'] ?? 'node_modules', 'node-llama-cpp');
const { version } = JSON.parse(readFileSync(resolve(folder, 'package.json'), 'utf8'));
/** @type {any} */
const { getLlama } = await import(pathToFileURL(resolve(folder, 'dist/index.js')).href);
const golden = new URL('gguf-greedy.json', import.meta.url);
/** @type {{ answers: { question: string }[] }} */
const { answers } = JSON.parse(readFileSync(golden, 'utf8'));

const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, logLevel: 'error' });
const model = await llama.loadModel({ modelPath: resolve(file), gpuLayers: 0 });
const context = await model.createContext({ contextSize: 2048, batchSize: 512, threads: 1 });
const sequence = context.getSequence();
/** @param {string} role @param {string} content */
const turn = (role, content) => `<|im_start|>${role}\n${content}<|im_end|>\n`;
const system = turn('system', 'You are a helpful AI assistant named SmolLM, trained by Hugging Face');
const written = [];
for (const { question } of answers) {
  await sequence.clearHistory();
  const prompt = model.tokenize(`${system}${turn('user', question)}<|im_start|>assistant\n`, true);
  const tokens = [];
  for await (const token of sequence.evaluate(prompt, { temperature: 0 })) {
    if (model.isEogToken(token)) break;
    tokens.push(token);
    if (tokens.length === 64) break;
  }
  written.push({
    question,
    promptTokens: prompt.length,
    tokens: tokens.length,
    text: model.detokenize(tokens),
  });
}
const source = {
  'node-llama-cpp': version,
  'llama.cpp': llama.llamaCppRelease.release,
  model: model.filename,
};
writeFileSync(golden, `${JSON.stringify({ source, answers: written }, null, 2)}\n`);
await llama.dispose();
