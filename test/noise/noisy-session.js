// A double of sessions: every run that reads several rows at once rounds differently from one that reads a row alone, as the
// kernels of other processors do. The same shapes give the same noise, so only results of different shapes differ.

/** Added to or taken from every number of such a run. */
const amplitude = Number(process.env.TEST_NOISE ?? 0);
/** Inputs whose first two dimensions are sequences and their tokens. */
const rowInputs = ['input_ids', 'inputs_embeds', 'decoder_input_ids'];
/** Inputs whose first dimension is the number of pictures or recordings. */
const mediaInputs = ['pixel_values', 'images', 'sample', 'hidden_states', 'input_features', 'latent_sample'];
let quietCalls = 0;

/** @param {(...args: any[]) => Promise<any>} createSession */
export function noisy(createSession) {
  return async (/** @type {any[]} */ ...args) => noisySession(await createSession(...args));
}

/**
 * Sessions add no noise during a call.
 *
 * @param {(...args: any[]) => Promise<any>} call
 */
export function quiet(call) {
  return async (/** @type {any[]} */ ...args) => {
    quietCalls++;
    try {
      return await call(...args);
    } finally {
      quietCalls--;
    }
  };
}

/** @param {any} session */
function noisySession(session) {
  return {
    ...session,
    async run(/** @type {any} */ feeds, /** @type {any} */ ...rest) {
      const outputs = await session.run(feeds, ...rest);
      const rows = readRows((name) => feeds[name]?.dims);
      for (const [name, { data, type, dims }] of Object.entries(outputs))
        addNoise(data, { type, dims, name, rows });
      return outputs;
    },
    ...(session.createBinding && { createBinding: () => noisyBinding(session.createBinding()) }),
  };
}

/** @param {any} binding */
function noisyBinding(binding) {
  /** @type {Map<string, any>} */
  const inputs = new Map();
  /** @type {Map<string, any>} */
  const outputs = new Map();
  /** @type {number[]} */
  let rows = [];
  const begin = () => {
    rows = readRows((name) => inputs.get(name)?.dims);
    if (isAlone(rows)) return [];
    // Caches are read and written in place: this run wrote what it changed.
    return [...outputs].map(([name, tensor]) => {
      const isShared = [...inputs.values()].includes(tensor);
      return { name, tensor, before: isShared ? tensor.data?.slice() : undefined };
    });
  };
  const end = (/** @type {ReturnType<typeof begin>} */ written) => {
    for (const { name, tensor, before } of written) {
      if (tensor.data) {
        const { data, type, dims } = tensor;
        addNoise(data, { type, dims, name, rows, before });
      }
    }
  };
  return {
    bindInput(/** @type {string} */ name, /** @type {any} */ tensor) {
      binding.bindInput(name, tensor);
      inputs.set(name, tensor);
    },
    bindOutput(/** @type {string} */ name, /** @type {any} */ tensor) {
      binding.bindOutput(name, tensor);
      outputs.set(name, tensor);
    },
    allocateOutput(/** @type {string} */ name, /** @type {any} */ device) {
      binding.allocateOutput(name, device);
      outputs.delete(name);
    },
    async run(/** @type {any} */ options) {
      const written = begin();
      await binding.run(options);
      end(written);
    },
    output(/** @type {string} */ name) {
      const tensor = binding.output(name);
      const ofRun = rows;
      const read = tensor.read.bind(tensor);
      tensor.read = () => {
        const result = read();
        addNoise(result.data, { ...result, name, rows: ofRun });
        return result;
      };
      return tensor;
    },
    release: () => binding.release(),
  };
}

/**
 * Sequences and tokens of each; of pictures and recordings their number.
 *
 * @param {(name: string) => readonly number[] | undefined} dimsOf
 */
function readRows(dimsOf) {
  // Synthesizers read the tokens of one text, always together.
  if (dimsOf('style')) return [1, 1];
  const dims = rowInputs.map(dimsOf).find((one) => one !== undefined);
  if (dims !== undefined) return dims.slice(0, 2);
  const media = mediaInputs.map(dimsOf).find((one) => one !== undefined);
  return [media?.[0] ?? 1, 1];
}

/** @param {readonly number[]} rows */
const isAlone = (rows) => rows.every((count) => count === 1);

/**
 * @param {any} data
 * @param {{ type: string, dims: readonly number[], name: string, rows: readonly number[], before?: any }} place
 */
function addNoise(data, { type, dims, name, rows, before }) {
  if (quietCalls > 0 || isAlone(rows)) return;
  let seed = 2166136261;
  for (const part of [...rows, ...Buffer.from(name)]) seed = Math.imul(seed ^ part, 16777619);
  const change = (/** @type {number} */ index, /** @type {number} */ key) => {
    const isUp = Math.imul(Math.imul(seed ^ key, 2654435761) ^ (key >> 7), 2246822519) < 0;
    if (type === 'float32') data[index] += isUp ? amplitude : -amplitude;
    // The last bit of half precision is about as much, for numbers near one.
    else if (type === 'float16' && isUp && (data[index] & 0x7fff) < 0x7bff) data[index] ^= 1;
  };
  if (!/^present.*(?:key|value)$/.test(name) || dims.length !== 4) {
    for (let index = 0; index < data.length; index++) change(index, index);
    return;
  }
  // Caches keep what earlier runs have written; this one wrote the slots at the end, or those that it changed in place.
  const [, , slots = 0, size = 0] = dims;
  for (let start = 0, head = 0; start < data.length; start += slots * size, head++) {
    for (let slot = 0, written = 0; slot < slots; slot++) {
      const at = start + slot * size;
      const isNew = before ? isChanged(data, before, at, at + size) : slot >= slots - (rows[1] ?? 0);
      if (!isNew) continue;
      for (let index = 0; index < size; index++) change(at + index, (head * 4096 + written) * size + index);
      written++;
    }
  }
}

/**
 * @param {any} data
 * @param {any} before
 * @param {number} start
 * @param {number} end
 */
function isChanged(data, before, start, end) {
  for (let index = start; index < end; index++) if (data[index] !== before[index]) return true;
  return false;
}
