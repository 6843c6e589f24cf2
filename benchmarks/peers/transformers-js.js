// transformers.js on a hub-style graph. Usage: node benchmarks/peers/transformers-js.js --model FOLDER [options]
import { basename, dirname, resolve } from 'node:path';
import { AutoModelForCausalLM, env, Tensor } from '@huggingface/transformers';
import { promptTokens, runPeer } from './runner.js';

await runPeer('transformers.js', async ({ model: folder, device, threads, spinning }) => {
  env.localModelPath = dirname(resolve(folder));
  env.allowRemoteModels = false;
  const model = await AutoModelForCausalLM.from_pretrained(basename(folder), {
    dtype: 'q4',
    device: /** @type {import('@huggingface/transformers').DeviceType} */ (device),
    session_options: {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      ...(spinning === 'off' && { extra: { session: { intra_op: { allow_spinning: '0' } } } }),
    },
  });
  return {
    version: env.version,
    model: basename(folder),
    async generate(requests, count, onFirstToken) {
      const prompts = requests.map(promptTokens);
      const shape = [prompts.length, prompts[0]?.length ?? 0];
      const ids = BigInt64Array.from(prompts.flat(), BigInt);
      // Called with the prompt, then with every token of all rows.
      let calls = 0;
      const streamer = /** @type {any} */ ({
        put: () => ++calls === 2 && onFirstToken(),
        end: () => {},
      });
      await model.generate({
        inputs: new Tensor('int64', ids, shape),
        attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
        max_new_tokens: count,
        do_sample: false,
        streamer,
      });
      if (calls !== count + 1) throw new Error(`expected ${count} tokens, got ${calls - 1}`);
    },
    close: async () => void (await model.dispose()),
  };
});
