import { decoderGraph, decoderStems, textFiles, type ModelFiles } from '../../models/model-files.ts';

/** The files of a decoder-only language model. */
export const chatFiles: ModelFiles = {
  small: textFiles,
  stems: decoderStems,
  graphs: (files, dtype) => [decoderGraph(files, dtype)],
};
