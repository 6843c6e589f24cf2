// What the chat pipeline gains on tiny-chat: 8 chats together against 8 in turn, a second turn against a cold one, and
// what a token costs as the context grows. Processor time, one thread. Usage: node benchmarks/chat-pipeline.js [rounds]
import { loadPipeline } from '../dist/src/loading/load-pipeline.js';
import { completeChatRequest } from '../dist/src/categories/chat/request.js';
import { compare, cpuTimer, machine, printRatios } from './measure.js';

const rounds = Number(process.argv[2] ?? 7);
const endTokens = [0, 1, 2];
const pipeline = await loadPipeline({ id: 'tiny-chat', category: 'chat', source: 'tiny-chat', threads: 1 });

/**
 * @param {string} content
 * @param {number} maxTokens
 */
async function chat(content, maxTokens, seed = /** @type {number | undefined} */ (undefined)) {
  const request = completeChatRequest({
    model: 'tiny-chat',
    messages: [{ role: 'user', content }],
    maxTokens,
    logitBias: new Map(endTokens.map((token) => [token, -100])),
    seed,
  });
  for await (const event of pipeline.run(request)) void event;
}

/** @param {() => Promise<unknown>} work */
async function cpuOf(work) {
  const used = cpuTimer();
  await work();
  return used();
}

console.log(machine());
const question = 'Describe a scene with three shapes.';
const together = await compare(
  {
    '8 in turn': () =>
      cpuOf(async () => {
        for (let index = 0; index < 8; index++) await chat(question, 128);
      }),
    '8 together': () => cpuOf(() => Promise.all(Array.from({ length: 8 }, () => chat(question, 128)))),
  },
  rounds,
);
printRatios('8 chats of 128 tokens', together, { unit: 'CPU ms', baseline: '8 together', digits: 0 });

let turn = 0;
/** About 1,000 tokens that no earlier conversation began with. */
const history = () => `${++turn} ` + 'There is a red circle above a blue square. '.repeat(100);
/** @type {string} */
let shared = '';
const turns = await compare(
  {
    'cold, 1,000 tokens': () => cpuOf(() => chat(history(), 1)),
    'second turn': async () => {
      shared = history();
      await chat(shared, 1);
      return cpuOf(() => chat(`${shared}What color is the circle?`, 1));
    },
  },
  rounds,
);
printRatios('First token', turns, { unit: 'CPU ms', baseline: 'cold, 1,000 tokens' });

/** @param {number} length */
const perTokenAt = (length) => async () => {
  const prompt = 'red '.repeat(length - 100);
  // Seeded, so that nothing is reused: both runs compute the prompt.
  const one = await cpuOf(() => chat(prompt, 1, 1));
  const many = await cpuOf(() => chat(prompt, 65, 1));
  return (many - one) / 64;
};
const growth = await compare({ 128: perTokenAt(128), 512: perTokenAt(512), 1900: perTokenAt(1900) }, rounds);
printRatios('A token at a context of', growth, { unit: 'CPU ms', baseline: '128' });
await pipeline.close();
