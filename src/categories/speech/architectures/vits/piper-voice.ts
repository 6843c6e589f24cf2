import { basename, join } from 'node:path';
import { z } from 'zod';
import type { ModelSpec } from '../../../../contracts/model.ts';
import { localFiles } from '../../../../models/graph-files.ts';
import { sourceError } from '../../../../models/model-files.ts';
import { readJson } from '../../../../models/model-folder.ts';
import { locateModel } from '../../../../models/source.ts';
import type { SpeechSettings } from '../../settings.ts';
import { piperGraph } from './piper-files.ts';
import { createPiperReader } from './piper-reader.ts';
import { createPiperSymbols } from './piper-symbols.ts';
import type { VitsVoice } from './vits-voice.ts';

const ids = z.array(z.int());

/** The used part of `*.onnx.json`, with the numbers of `piper-tts` for those that are left out. */
const configSchema = z.object({
  audio: z.object({ sample_rate: z.int().positive() }),
  espeak: z.object({ voice: z.string() }),
  language: z.object({ code: z.string() }).partial().default({}),
  inference: z
    .object({ noise_scale: z.number(), length_scale: z.number().positive(), noise_w: z.number() })
    .partial()
    .default({}),
  phoneme_type: z.string().default('espeak'),
  phoneme_id_map: z
    .record(z.string(), ids)
    .refine((map) => ['_', '^', '$'].every((symbol) => symbol in map), {
      error: 'expected ids of _, ^ and $',
    }),
  vowel_clusters: z.array(z.array(z.string())).default([]),
  num_speakers: z.int().positive().default(1),
  speaker_id_map: z.record(z.string(), z.int()).default({}),
  default_speaker_id: z.int().default(0),
});

export type PiperConfig = z.infer<typeof configSchema>;

/**
 * Reads a voice of Piper, `name.onnx.json` beside `name.onnx`.
 *
 * @returns `undefined` where there is none
 * @throws InferenceError `invalid_request` naming the member of the file that is at fault, or the package that is missing
 */
export async function openPiperVoice({
  source,
  phonemizer,
}: ModelSpec<SpeechSettings>): Promise<VitsVoice | undefined> {
  const path = locateModel(source);
  const graph = source.endsWith('.onnx') ? basename(source) : piperGraph(localFiles(path));
  if (graph === undefined) return undefined;
  const config = await readConfig(path, `${graph}.json`);
  const name = basename(graph, '.onnx');
  const language = config.language.code?.replace('_', '-') ?? config.espeak.voice;
  const speakers = speakersOf(name, config);
  const symbols = createPiperSymbols(config);
  const {
    noise_scale: noise = 0.667,
    length_scale: length = 1,
    noise_w: durationNoise = 0.8,
  } = config.inference;
  return {
    graph: join(path, graph),
    sampleRateHz: config.audio.sample_rate,
    voices: (speakers.size > 0 ? [...speakers.keys()] : [name]).map((id) => ({ id, name: id, language })),
    speakers,
    scales: { noise, length, durationNoise },
    ...(await createPiperReader(config, { name, language, phonemizer, knows: symbols.knows })),
    ...symbols,
  };
}

async function readConfig(path: string, name: string): Promise<PiperConfig> {
  const { success, data, error } = configSchema.safeParse(await readJson(path, name));
  if (success) return data;
  const [issue] = error.issues;
  throw sourceError(`${name}: ${issue!.path.join('.')}: ${issue!.message}`, error);
}

/** Voice, `name/speaker`, → number of the speaker, the usual one first; empty where there is one. */
function speakersOf(
  name: string,
  { num_speakers: count, speaker_id_map: map, default_speaker_id: usual }: PiperConfig,
): ReadonlyMap<string, number> {
  if (count === 1) return new Map();
  const named = Object.entries(map);
  const all = named.length > 0 ? named : Array.from({ length: count }, (_, id) => [String(id), id] as const);
  const inOrder = all.toSorted(([, one], [, other]) => Number(other === usual) - Number(one === usual));
  return new Map(inOrder.map(([speaker, id]) => [`${name}/${speaker}`, id]));
}
