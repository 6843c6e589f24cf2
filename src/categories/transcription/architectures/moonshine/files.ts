import { anywhere, severalGraphs, textFiles } from '../../../../folder/model-files.ts';

export const moonshineFiles = severalGraphs(
  [...textFiles, 'preprocessor_config.json'],
  ['encoder_model', 'decoder_model_merged'].map((name) => anywhere(name)),
);

/** The files of a streaming Moonshine, graphs in order of execution. */
export const streamingFiles = severalGraphs(
  textFiles,
  ['frontend', 'encoder', 'adapter', 'cross_kv', 'decoder_kv'].map((name) => anywhere(name)),
);
