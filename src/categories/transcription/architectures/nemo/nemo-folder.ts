import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { createNemoFeatures } from '../../../../core/audio/nemo-features.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import { describeValue } from '../../../../core/text/quote.ts';
import { readCount, readJson } from '../../../../folder/model-folder.ts';
import type { ModelFiles } from '../../../../contracts/files.ts';
import { sourceError } from '../../../../folder/model-files.ts';
import { locateModel } from '../../../../folder/source.ts';
import { filled } from '../../../../runtime/tensors.ts';
import { openGraphs } from '../../pipeline/open-graphs.ts';
import type { GraphRunOptions, Session, TensorMap } from '../../../../contracts/graph.ts';

export const blankToken = '<blk>';

export interface NemoParts {
  readonly files: ModelFiles;
  readonly graphs: readonly (readonly string[])[];
  /** Required tokens of the vocabulary. */
  readonly tokens: readonly string[];
  /** Default: the limit per frame of a transducer. */
  readonly limitedBy?: readonly [name: string, fallback: number];
}

/** The models were trained on up to 20 to 40 s and lose words of longer audio. */
export const maxSeconds = 28;

export type NemoModel = Awaited<ReturnType<typeof openNemoModel>>;

export async function openNemoModel(
  spec: ModelSpec,
  backend: SessionBackend,
  { files, graphs, tokens, limitedBy = ['max_tokens_per_step', 10] }: NemoParts,
) {
  const path = locateModel(spec.source);
  const config = await readJson(path, 'config.json');
  const subsampling = readCount(config, 'subsampling_factor', 8);
  const limit = readCount(config, ...limitedBy);
  const pieces = await readPieces(path);
  const needed = tokens.map((token) => pieces.indexOf(token));
  const missing = needed.indexOf(-1);
  if (missing >= 0) throw sourceError(`vocab.txt in ${path} has no ${tokens[missing]}`);
  const wanted = { files, names: graphs, origin: "NeMo's exports" };
  return openGraphs(spec, backend, wanted, ({ sessions, release }) => {
    const [encoder] = sessions as [Session];
    const size = encoder.inputs.find(({ name }) => name === 'audio_signal')!.dims[1];
    const features = createNemoFeatures({
      melBins: readCount(config, 'features_size', typeof size === 'number' ? size : 80),
    });
    return {
      /** In the order of its files. */
      sessions,
      /** Pieces of text by id; a leading space starts a word. */
      pieces,
      /** Ids of the required tokens, in order. */
      needed,
      /** Frames of 10 ms per encoder frame. */
      subsampling,
      /** The token limit of `config.json`. */
      limit,
      mismatch: (scored: number) =>
        sourceError(`vocab.txt has ${pieces.length} tokens, the graph scores ${scored}`),
      async encode(samples: Float32Array, fetches: readonly string[], options: GraphRunOptions) {
        const { data, columns, frames } = features.compute(samples);
        const feeds: TensorMap = {
          audio_signal: { type: 'float32', dims: [1, features.melBins, columns], data },
          length: { type: 'int64', dims: [1], data: BigInt64Array.of(BigInt(frames)) },
        };
        return { outputs: await encoder.run(feeds, fetches, options), frames };
      },
      release,
    };
  });
}

/** States before the first token, for one sequence and an empty past. */
export function emptyStates({ inputs }: Session, prefix: string): TensorMap {
  const states = inputs.filter(({ name }) => name.startsWith(prefix));
  return Object.fromEntries(
    states.map(({ name, dims }) => {
      const [layers, , ...others] = dims;
      const width = others.pop();
      if (typeof layers !== 'number' || typeof width !== 'number')
        throw sourceError(`the graph has no fixed size of ${name}`);
      return [name, filled('float32', [layers, 1, ...others.map(() => 0), width])];
    }),
  );
}

/** Each line has a piece, a space and its id. */
async function readPieces(path: string): Promise<readonly string[]> {
  const text = await readFile(join(path, 'vocab.txt'), 'utf8').catch((error: unknown) => {
    throw sourceError(`vocab.txt is missing in ${path}`, error);
  });
  const pieces: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line === '') continue;
    const [, piece, id] = /^(.+) (\d+)$/u.exec(line) ?? [];
    if (Number(id) !== pieces.length) {
      const reason = `vocab.txt in ${path} has the line ${describeValue(line)}, expected a token and the id ${pieces.length}`;
      throw sourceError(reason);
    }
    pieces.push(piece!.replaceAll('▁', ' '));
  }
  return pieces;
}
