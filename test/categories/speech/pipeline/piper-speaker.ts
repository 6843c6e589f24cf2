import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { float, int, int64s, ints, model, node, value } from '../../../runtime/onnx-writer.ts';

/** Samples of one id at speed 1 and length scale 1. */
export const stepLength = 480;

/** How loud an id is, spoken by a speaker. */
export const stepHeight = (id: number, speaker = 0): number => 0.005 * id * (1 + speaker);

/** Added to each sample, times the noise scale. */
export const noiseHeight = 0.1;

interface PiperGraphOptions {
  readonly hasSpeakers?: boolean;
  /** Whether it computes the frames of each id, for itself. */
  readonly hasDurations?: boolean;
}

/**
 * A graph with the inputs and output of Piper's, written by hand: each id is one step of one sample value, and the noise is
 * the same everywhere.
 */
export function piperGraph({
  hasSpeakers = false,
  hasDurations = false,
}: PiperGraphOptions = {}): Uint8Array {
  const frames = [
    node('Mul', ['floats', 'nothing'], 'none'),
    node('Add', ['none', 'lengthScale'], 'exact'),
    node('Ceil', ['exact'], '/Ceil_output_0'),
  ];
  const speaker = hasSpeakers
    ? [node('Cast', ['sid'], 'sidFloat', [int('to', 1)]), node('Add', ['sidFloat', 'oneFloat'], 'gain')]
    : [node('Identity', ['oneFloat'], 'gain')];
  const nodes = [
    node('Cast', ['input'], 'floats', [int('to', 1)]),
    node('Transpose', ['floats'], 'column', [ints('perm', [1, 0])]),
    ...speaker,
    node('Mul', ['column', 'gain'], 'gained'),
    node('Mul', ['gained', 'unit'], 'quiet'),
    node('Slice', ['scales', 'zero', 'one'], 'noiseScale'),
    node('Mul', ['noiseScale', 'noiseUnit'], 'noise'),
    node('Add', ['quiet', 'noise'], 'steps'),
    node('Slice', ['scales', 'one', 'two'], 'lengthScale'),
    node('Mul', ['lengthScale', 'length'], 'scaledLength'),
    node('Cast', ['scaledLength'], 'count', [int('to', 7)]),
    node('Concat', ['one', 'count'], 'shape', [int('axis', 0)]),
    node('Expand', ['steps', 'shape'], 'stairs'),
    node('Reshape', ['stairs', 'flat'], 'output'),
    ...(hasDurations ? frames : []),
  ];
  return model({
    name: 'piper',
    nodes,
    constants: [
      int64s('zero', [0]),
      int64s('one', [1]),
      int64s('two', [2]),
      int64s('flat', [1, 1, 1, -1]),
      float('oneFloat', 1),
      float('unit', stepHeight(1)),
      float('noiseUnit', noiseHeight),
      float('length', stepLength),
      float('nothing', 0),
    ],
    inputs: [
      value('input', ['batch', 'phonemes'], 'int64'),
      value('input_lengths', ['batch'], 'int64'),
      value('scales', [3]),
      ...(hasSpeakers ? [value('sid', ['batch'], 'int64')] : []),
    ],
    outputs: [value('output', ['batch', 1, 1, 'time'])],
  });
}

/** Small letters as symbols, without noise. */
export const textConfig = {
  audio: { sample_rate: 16_000 },
  espeak: { voice: 'cy' },
  language: { code: 'cy_GB' },
  inference: { noise_scale: 0, length_scale: 1, noise_w: 0 },
  phoneme_type: 'text',
  num_speakers: 1,
  /** Of the graph. */
  hasDurations: false,
  phoneme_id_map: Object.fromEntries(Array.from('_^$ .,abcdefgh', (symbol, at) => [symbol, [at]])),
};

/** Writes voices of Piper, by name. */
export async function writeVoices(folder: string, voices: Readonly<Record<string, object>>): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [name, more] of Object.entries(voices)) {
    const config = { ...textConfig, ...more };
    const graph = piperGraph({ hasSpeakers: config.num_speakers > 1, hasDurations: config.hasDurations });
    await writeFile(join(folder, `${name}.onnx`), graph);
    await writeFile(join(folder, `${name}.onnx.json`), JSON.stringify(config));
  }
  return folder;
}
