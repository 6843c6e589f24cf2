// How long the host's event loop is held up while chats saturate the model: in worker processes (slashv1), and with
// transformers.js doing the same work in process. Usage: node benchmarks/event-loop.js [seconds]
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { AutoModelForCausalLM, AutoTokenizer, env } from '@huggingface/transformers';
import { chat, createInference } from 'slashv1';
import { machine } from './measure.js';

const seconds = Number(process.argv[2] ?? 8);
const folder = dirname(createRequire(import.meta.url).resolve('@slashv1/tiny-models/package.json'));
const messages = [{ role: /** @type {const} */ ('user'), content: 'Describe a scene with three shapes.' }];

/** @param {() => Promise<unknown>} work */
async function delayDuring(work) {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  await sleep(200);
  histogram.enable();
  await work();
  histogram.disable();
  const { mean, max } = histogram;
  return Object.fromEntries(
    [
      ['mean ms', mean],
      ['p50 ms', histogram.percentile(50)],
      ['p99 ms', histogram.percentile(99)],
      ['max ms', max],
    ].map(([name, nanoseconds]) => [name, Number((Number(nanoseconds) / 1e6).toFixed(2))]),
  );
}

const until = () => performance.now() + seconds * 1000;
/** @type {Record<string, Record<string, number | string>>} */
const table = {};
const idle = await delayDuring(() => sleep(seconds * 1000));
table['idle'] = idle;

const inference = createInference({ models: { 'tiny-chat': chat({ source: 'tiny-chat' }) } });
await inference.ready();
let tokens = 0;
const workers = await delayDuring(async () => {
  const end = until();
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (performance.now() < end) {
        for await (const event of inference.chat({ model: 'tiny-chat', messages, maxTokens: 200 })) {
          if (event.type === 'usage') tokens += event.completionTokens;
        }
      }
    }),
  );
});
table['slashv1, 8 chats at a time'] = { ...workers, tokens };
await inference.close();

env.localModelPath = folder;
env.allowRemoteModels = false;
const tokenizer = await AutoTokenizer.from_pretrained('tiny-chat');
const model = await AutoModelForCausalLM.from_pretrained('tiny-chat', { dtype: 'fp32' });
const inputs = /** @type {any} */ (
  tokenizer.apply_chat_template(messages, { add_generation_prompt: true, return_dict: true })
);
tokens = 0;
const inProcess = await delayDuring(async () => {
  const end = until();
  while (performance.now() < end) {
    const output = /** @type {any} */ (
      await model.generate({ ...inputs, max_new_tokens: 200, do_sample: true })
    );
    tokens += output.dims[1] - inputs.input_ids.dims[1];
  }
});
table['transformers.js in process'] = { ...inProcess, tokens };

const idleP99 = idle['p99 ms'];
for (const row of Object.values(table))
  row['p99 × idle'] = Number((Number(row['p99 ms']) / idleP99).toFixed(2));
console.log(`Event-loop delay of the host over ${seconds} s, ${machine()}`);
console.table(table);
