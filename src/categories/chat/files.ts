import {
  decoderGraph,
  decoderStems,
  embeddingGraph,
  embeddingStems,
  textFiles,
  visionGraph,
  visionStems,
  type ModelFiles,
} from '../../folder/model-files.ts';
import { findGraph } from '../../folder/graph-files.ts';

/** The files of a decoder-only language model, those of models that see included. */
export const chatFiles: ModelFiles = {
  small: [...textFiles, 'preprocessor_config.json', 'processor_config.json'],
  stems: [...decoderStems, ...embeddingStems, ...visionStems],
  graphs(files, dtype) {
    const vision = visionGraph(files, dtype);
    return [
      decoderGraph(files, dtype),
      ...(findGraph(files, embeddingStems) === undefined ? [] : [embeddingGraph(files, dtype)]),
      ...(vision === undefined ? [] : [vision]),
    ];
  },
};
