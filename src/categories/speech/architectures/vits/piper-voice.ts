import { basename, join } from 'node:path';
import type { ModelSpec } from '../../../../contracts/model.ts';
import { localFiles } from '../../../../folder/graph-files.ts';
import { locateModel } from '../../../../folder/source.ts';
import type { SpeechSettings } from '../../settings.ts';
import { piperGraph } from './files.ts';
import { readPiperConfig } from './piper-config.ts';
import { createPiperReader } from './piper-reader.ts';
import { createPiperSymbols } from './piper-symbols.ts';
import type { VitsVoice } from './vits-voice.ts';

/** Reads a voice of Piper, `name.onnx.json` beside `name.onnx`. */
export async function openPiperVoice({
  source,
  phonemizer,
}: ModelSpec<SpeechSettings>): Promise<VitsVoice | undefined> {
  const path = locateModel(source);
  const graph = source.endsWith('.onnx') ? basename(source) : piperGraph(localFiles(path));
  if (graph === undefined) return undefined;
  const config = await readPiperConfig(path, `${graph}.json`);
  const { language, sampleRateHz, scales } = config;
  const name = basename(graph, '.onnx');
  const speakers = new Map(Array.from(config.speakers, ([speaker, id]) => [`${name}/${speaker}`, id]));
  const symbols = createPiperSymbols(config);
  return {
    graph: join(path, graph),
    sampleRateHz,
    voices: (speakers.size > 0 ? [...speakers.keys()] : [name]).map((id) => ({ id, name: id, language })),
    speakers,
    scales,
    ...(await createPiperReader(config, { name, phonemizer, knows: symbols.knows })),
    ...symbols,
    hasPlaces: true,
  };
}
