import type { Tensor, TensorMap, TensorSignature } from '../../contracts/graph.ts';
import { readTensor, wrapTensor } from './native-tensor.ts';
import type { SessionCore } from './session-core.ts';
import type { Api } from './load-api.ts';

/** Names of inputs or outputs as the runtime reads them: UTF-8 that ends with a 0, at addresses that stay. */
class NameTable {
  readonly #bytes = new Map<string, Uint8Array>();
  readonly #addresses = new Map<string, bigint>();
  readonly #side: string;

  /** @param side `input` or `output`, for messages */
  constructor(api: Api, signatures: readonly TensorSignature[], side: 'input' | 'output') {
    this.#side = side;
    for (const { name } of signatures) {
      const bytes = new TextEncoder().encode(`${name}\0`);
      this.#bytes.set(name, bytes);
      this.#addresses.set(name, api.addressOf(bytes));
    }
  }

  /** @throws TypeError when there is no such name */
  select(names: readonly string[]): BigUint64Array {
    return BigUint64Array.from(names, (name) => {
      const address = this.#addresses.get(name);
      if (address === undefined) throw new TypeError(`${name}: the graph has no such ${this.#side}`);
      return address;
    });
  }
}

/** Runs a session's graph over tensors of JavaScript; one run at a time. */
export class GraphRunner {
  readonly #core: SessionCore;
  readonly #inputNames: BigUint64Array;
  readonly #inputTable: NameTable;
  readonly #outputTable: NameTable;
  /** Memory that the runtime reads during a run: nothing else may refer to it any more. */
  #held: unknown;

  constructor(core: SessionCore) {
    const { api, inputs, outputs } = core;
    this.#core = core;
    this.#inputTable = new NameTable(api, inputs, 'input');
    this.#outputTable = new NameTable(api, outputs, 'output');
    this.#inputNames = this.#inputTable.select(inputs.map(({ name }) => name));
  }

  /** @param feeds a tensor for every input; others are ignored */
  async run(feeds: TensorMap, fetches: readonly string[], inThisThread = false): Promise<TensorMap> {
    const { api, inputs, session, runOptions } = this.#core;
    const outputNames = this.#outputTable.select(fetches);
    const values = new BigUint64Array(inputs.length);
    const results = new BigUint64Array(fetches.length);
    try {
      const tensors = inputs.map(({ name, type }) => {
        const tensor = feeds[name];
        if (!tensor) throw new Error(`${name}: this input is missing`);
        if (tensor.type !== type) throw new TypeError(`${name}: expected ${type}, got ${tensor.type}`);
        return tensor;
      });
      for (const [index, tensor] of tensors.entries())
        values[index] = wrapTensor(api, tensor, inputs[index]!.name);
      this.#held = [tensors.map(({ data }) => data), outputNames];
      const call = [
        'Run',
        session,
        runOptions,
        this.#inputNames,
        values,
        values.length,
        outputNames,
        results.length,
        results,
      ] as const;
      if (inThisThread) api.call(...call);
      else await api.callAsync(...call);
      const outputs: Record<string, Tensor> = {};
      for (const [index, name] of fetches.entries()) outputs[name] = readTensor(api, results[index]!, name);
      return outputs;
    } finally {
      this.#held = undefined;
      for (const value of values) if (value !== 0n) api.call('ReleaseValue', value);
      for (const value of results) if (value !== 0n) api.call('ReleaseValue', value);
    }
  }

  /** The arrays of the run under way. @internal */
  get held(): unknown {
    return this.#held;
  }
}
