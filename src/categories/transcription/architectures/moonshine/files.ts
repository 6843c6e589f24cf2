import { needGraph } from '../../../../folder/graph-files.ts';
import { anywhere, textFiles, type ModelFiles } from '../../../../folder/model-files.ts';

const encoderStems = anywhere('encoder_model');
const decoderStems = anywhere('decoder_model_merged');

export const moonshineFiles: ModelFiles = {
  small: [...textFiles, 'preprocessor_config.json'],
  stems: [...encoderStems, ...decoderStems],
  graphs: (files, dtype) => [encoderStems, decoderStems].map((stems) => needGraph(files, stems, dtype)),
};

const streamingStems = ['frontend', 'encoder', 'adapter', 'cross_kv', 'decoder_kv'].map((name) =>
  anywhere(name),
);

/** The files of a streaming Moonshine, the graphs in the order in which they run. */
export const streamingFiles: ModelFiles = {
  small: textFiles,
  stems: streamingStems.flat(),
  graphs: (files, dtype) => streamingStems.map((stems) => needGraph(files, stems, dtype)),
};
