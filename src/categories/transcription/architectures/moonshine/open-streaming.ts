import type { SessionBackend } from '../../../../contracts/sessions.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import { openModelFolder } from '../../../../folder/model-folder.ts';
import { locateModel } from '../../../../folder/source.ts';
import type { Carried, Session, Tensor, TensorMap, TensorSignature } from '../../../../contracts/graph.ts';
import { filled, int64 } from '../../../../runtime/tensors.ts';
import { bindGraph } from '../../../../runtime/bound-graph.ts';
import { openGraphs } from '../../pipeline/open-graphs.ts';
import type { StretchRecognizer } from '../../recognizer.ts';
import { streamingFiles as files } from './files.ts';
import { createWriter } from './writer.ts';

const samplesName = 'audio_chunk';
const spokenNames = ['k_self', 'v_self'];
const heardNames = ['k_cross', 'v_cross'];
const spoken = spokenNames.map((name): Carried => [name, toOut(name)]);
const names = [
  [samplesName, 'features'],
  ['features', 'encoded'],
  ['encoded', 'pos_offset', 'memory'],
  ['memory', ...heardNames],
  ['token', ...spokenNames, ...heardNames.map(toOut), 'logits', ...spokenNames.map(toOut)],
];
const origin = "Moonshine's streaming export";
/** Min input of the encoder. */
const minFeatures = 2;

/** Each stretch is read in one piece, as if it started the recording. */
export async function openStreaming(spec: ModelSpec, backend: SessionBackend): Promise<StretchRecognizer> {
  const { traits, write } = createWriter(await openModelFolder(locateModel(spec.source)));
  return openGraphs(spec, backend, { files, names, origin }, ({ sessions, release }) => {
    const [frontend, encoder, adapter, crossKv, decoder] = sessions as [
      Session,
      Session,
      Session,
      Session,
      Session,
    ];
    const before = zeros(frontend.inputs.filter(({ name }) => name !== samplesName));
    const nothing = zeros(decoder.inputs.filter(({ name }) => spokenNames.includes(name)));
    return {
      ...traits,
      async recognize(samples, { signal }) {
        const options = { signal };
        const audio: Tensor = { type: 'float32', dims: [1, samples.length], data: samples };
        const features = await frontend.run({ ...before, [samplesName]: audio }, ['features'], options);
        if (features['features']!.dims[1]! < minFeatures) return { text: '', tokens: [], averageLogprob: 0 };
        const encoded = await encoder.run(features, ['encoded'], options);
        const memory = await adapter.run({ ...encoded, pos_offset: int64([1], [0]) }, ['memory'], options);
        const heard = await crossKv.run(memory, heardNames, options);
        const text = bindGraph(decoder);
        try {
          const read = BigInt64Array.of(0n);
          text.feedAll({ ...nothing, token: { type: 'int64', dims: [1, 1], data: read } });
          for (const name of heardNames) text.feed(toOut(name), heard[name]!);
          text.keep(spokenNames.map(toOut));
          text.fetch('logits', [1, 1]);
          const next = async (token: number): Promise<Float32Array> => {
            read[0] = BigInt(token);
            await text.run({ signal, isShort: true });
            text.carry(spoken);
            return text.readNumbers('logits');
          };
          return await write(next, { samples: samples.length, signal });
        } finally {
          text.release();
        }
      },
      release,
    };
  });
}

/** Output name of a tensor that a run creates or carries over. */
function toOut(name: string): string {
  return `out_${name}`;
}

/** Dynamic dimensions count the frames read. */
function zeros(inputs: readonly TensorSignature[]): TensorMap {
  const sizeOf = (dim: number | string): number => (typeof dim === 'number' ? dim : 0);
  return Object.fromEntries(inputs.map(({ name, type, dims }) => [name, filled(type, dims.map(sizeOf))]));
}
