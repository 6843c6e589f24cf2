// Samplers beside those of llama.cpp, alone and as chains, on a vocabulary of 151,936: each makes candidates of the logits, applies its
// sampler and draws. Its functions are called directly; its candidates, which llama.cpp fills from the logits at every token, come from
// a copy of filled ones. Processor time, paired: both run one after the other, in changing order.
// Usage: npm run build && node benchmarks/peers/samplers.js [rounds]; needs @node-llama-cpp's libraries, which `npm ci` brings on Linux x64.
import koffi from 'koffi';
import { createRng, createSampler } from 'slashv1/sampling';
import { findLlamaBinaries } from '../../dist/src/runtime/llama/find-binaries.js';
import { cpuTimer, machine, median, shuffle } from '../measure.js';

const rounds = Number(process.argv[2] ?? 25);
const callsPerRound = 10;
const size = 151_936;
const binaries = findLlamaBinaries('none', () => false);
if (!binaries) throw new Error('no libraries of llama.cpp: npm install --no-save node-llama-cpp');
koffi.load(binaries.base);
koffi.load(binaries.ggml);
const library = koffi.load(binaries.llama);
koffi.struct('llama_token_data_array', {
  data: 'void *',
  size: 'size_t',
  selected: 'int64',
  sorted: 'bool',
});
/** @param {string} name @param {string[]} types */
const init = (name, types) => library.func(`llama_sampler_init_${name}`, 'void *', types);
const initTopK = init('top_k', ['int32']);
const initTopP = init('top_p', ['float', 'size_t']);
const initMinP = init('min_p', ['float', 'size_t']);
const initTypical = init('typical', ['float', 'size_t']);
const initTemperature = init('temp', ['float']);
const initDraw = init('dist', ['uint32']);
const apply = library.func('llama_sampler_apply', 'void', ['void *', '_Inout_ llama_token_data_array *']);

const rng = createRng(1);
const gaussian = () => Math.sqrt(-2 * Math.log(1 - rng.next())) * Math.cos(2 * Math.PI * rng.next());
const ranks = Float64Array.from({ length: size }, () => rng.next());
/** @type {Record<string, (token: number) => number>} */
const distributions = {
  peaked: (token) => gaussian() * 2 + (token === 70_000 ? 25 : 0),
  realistic: (token) => -1.2 * Math.log(1 + (ranks[token] ?? 0) * size) + gaussian() * 0.5,
  flat: () => rng.next(),
};

const neutral = { temperature: 1, repeatPenalty: 1, minP: 0 };
/** @type {Record<string, [parameters: object, samplers: unknown[]]>} */
const samplers = {
  'temperature 0.7': [{ ...neutral, temperature: 0.7 }, [initTemperature(0.7)]],
  'top_k 40': [{ ...neutral, topK: 40 }, [initTopK(40)]],
  'top_p 0.95': [{ ...neutral, topP: 0.95 }, [initTopP(0.95, 1)]],
  'min_p 0.05': [{ ...neutral, minP: 0.05 }, [initMinP(0.05, 1)]],
  'typical_p 0.9': [{ ...neutral, typicalP: 0.9 }, [initTypical(0.9, 1)]],
  'top_k, top_p, min_p, temperature': [
    { ...neutral, topK: 40, topP: 0.95, minP: 0.05, temperature: 0.7 },
    [initTopK(40), initTopP(0.95, 1), initMinP(0.05, 1), initTemperature(0.7)],
  ],
};

/**
 * @param {Float32Array} logits
 * @param {unknown[]} chain
 */
function llamaOf(logits, chain) {
  // id, logit and probability: 12 bytes a token.
  const filled = new Int32Array(3 * size);
  const floats = new Float32Array(filled.buffer);
  for (let token = 0; token < size; token++) {
    filled[3 * token] = token;
    floats[3 * token + 1] = logits[token] ?? 0;
  }
  const candidates = new Int32Array(3 * size);
  const draw = initDraw(7);
  return () => {
    candidates.set(filled);
    const array = { data: candidates, size, selected: -1, sorted: false };
    for (const sampler of [...chain, draw]) apply(sampler, array);
    const { selected } = /** @type {{ selected: number | bigint }} */ (array);
    return candidates[3 * Number(selected)] ?? Number.NaN;
  };
}

console.log(`${machine()}; CPU ms for a token, medians of ${rounds} rounds`);
console.log('sampler, logits'.padEnd(48), 'slashv1   llama.cpp   llama.cpp ÷ slashv1: min / median / max');
let checksum = 0;
for (const [name, [parameters, chain]] of Object.entries(samplers)) {
  for (const [distribution, logitOf] of Object.entries(distributions)) {
    const logits = Float32Array.from({ length: size }, (_, token) => logitOf(token));
    const sampler = createSampler(parameters, { vocabularySize: size, seed: 7 });
    /** @type {Record<string, () => number>} */
    const contenders = { own: () => sampler.sample(logits), llama: llamaOf(logits, chain) };
    /** @type {Record<string, number[]>} */
    const times = { own: [], llama: [] };
    for (let round = -3; round < rounds; round++) {
      for (const [contender, run] of shuffle(Object.entries(contenders))) {
        checksum += run();
        const used = cpuTimer();
        for (let call = 0; call < callsPerRound; call++) checksum += run();
        if (round >= 0) times[contender]?.push(used() / callsPerRound);
      }
    }
    const { own = [], llama = [] } = times;
    const ratios = llama.map((time, round) => time / (own[round] ?? Number.NaN));
    const columns = [Math.min(...ratios), median(ratios), Math.max(...ratios)];
    console.log(
      `${name}, ${distribution}`.padEnd(48),
      median(own).toFixed(3).padStart(7),
      median(llama).toFixed(3).padStart(11),
      `     ${columns.map((ratio) => ratio.toFixed(2)).join(' / ')}`,
    );
  }
}
console.log(`checksum ${checksum}`);
