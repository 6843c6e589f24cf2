import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { float, int, int64s, ints, model, node, value } from '../../../runtime/onnx-writer.ts';

export interface StairSpeakerOptions {
  /** Name of the input of ids. */
  readonly ids?: string | undefined;
  readonly hasSpeed?: boolean | undefined;
  /** Whether it gives the frames of each id, or computes them for itself; default: neither. */
  readonly durations?: 'output' | 'inner' | undefined;
}

/** Samples of one phoneme at speed 1. */
export const stairLength = 2400;

/** How loud a phoneme with this id is, in a style that begins with `gain`. */
export const stairHeight = (id: number, gain = 1): number => 0.005 * id * gain;

/**
 * A speech graph with Kokoro's contract, written by hand: each phoneme is 0.1 s of one sample value, its id × 0.005 × the
 * first number of the style; padding is silent.
 */
export function stairSpeaker({
  ids = 'input_ids',
  hasSpeed = true,
  durations,
}: StairSpeakerOptions = {}): Uint8Array {
  const frames = [
    node('Mul', ['floats', 'nothing'], 'none'),
    node('Div', ['frames', 'speed'], 'framesAtSpeed'),
    node('Add', ['none', 'framesAtSpeed'], 'exact'),
    node('Round', ['exact'], 'rounded'),
    node('Clip', ['rounded', 'single'], durations === 'output' ? 'durations' : 'inside'),
  ];
  const nodes = [
    node('Cast', [ids], 'floats', [int('to', 1)]),
    node('Transpose', ['floats'], 'column', [ints('perm', [1, 0])]),
    node('Slice', ['style', 'zero', 'one', 'one'], 'gain'),
    node('Mul', ['column', 'gain'], 'gained'),
    node('Mul', ['gained', 'unit'], 'steps'),
    hasSpeed
      ? node('Div', ['length', 'speed'], 'lengthAtSpeed')
      : node('Identity', ['length'], 'lengthAtSpeed'),
    node('Cast', ['lengthAtSpeed'], 'count', [int('to', 7)]),
    node('Concat', ['one', 'count'], 'shape', [int('axis', 0)]),
    node('Expand', ['steps', 'shape'], 'stairs'),
    node('Reshape', ['stairs', 'flat'], 'waveform'),
    ...(durations === undefined ? [] : frames),
  ];
  return model({
    name: 'stairs',
    nodes,
    constants: [
      int64s('zero', [0]),
      int64s('one', [1]),
      int64s('flat', [1, -1]),
      float('unit', stairHeight(1)),
      float('length', stairLength),
      float('nothing', 0),
      float('frames', stairLength / 600),
      float('single', 1),
    ],
    inputs: [
      value(ids, [1, 'length'], 'int64'),
      value('style', [1, 256]),
      ...(hasSpeed ? [value('speed', [1])] : []),
    ],
    outputs: [
      value('waveform', [1, 'samples']),
      ...(durations === 'output' ? [value('durations', [1, 'length'])] : []),
    ],
  });
}

/** A table of styles like Kokoro's; the first number of each row is what `gainAt` gives for it. */
export function styleTable(gainAt: (row: number) => number, rows = 510): Uint8Array {
  const table = new Float32Array(rows * 256);
  for (let row = 0; row < rows; row++) table[row * 256] = gainAt(row);
  return new Uint8Array(table.buffer);
}

export interface SpeakerFolderOptions extends StairSpeakerOptions {
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** Voice id → its table. */
  readonly voices?: Readonly<Record<string, Uint8Array>> | undefined;
}

/** Marks first, so that they are quiet, then the phonemes of English. */
export const vocabulary: Readonly<Record<string, number>> = Object.fromEntries(
  Array.from(' ,.!?;:—…"()ˈˌAIOWYbdfhijklmnpstuvwzɑæɔðʤəɛɜɡɪŋθɹʃʧʊʌʒ', (phoneme, at) => [phoneme, at + 1]),
);

/** Writes a model of {@link stairSpeaker} into a folder in the hub's layout. */
export async function writeSpeaker(
  folder: string,
  {
    config = { vocab: vocabulary },
    voices = { af_heart: styleTable(() => 1) },
    ...graph
  }: SpeakerFolderOptions = {},
): Promise<string> {
  await mkdir(join(folder, 'onnx'), { recursive: true });
  await mkdir(join(folder, 'voices'), { recursive: true });
  await writeFile(join(folder, 'onnx', 'model.onnx'), stairSpeaker(graph));
  await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  for (const [voice, table] of Object.entries(voices)) {
    await writeFile(join(folder, 'voices', `${voice}.bin`), table);
  }
  return folder;
}
