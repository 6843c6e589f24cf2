import type { CategoryModels } from '../../contracts/category.ts';
import { findGraph } from '../../folder/graph-files.ts';
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
import { appendEvent } from './append-event.ts';
import type { ChatEvent } from './events.ts';

/** The files of a decoder-only language model, those of models that see included. */
const chatFiles: ModelFiles = {
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

export const chatModels = {
  name: 'chat',
  files: chatFiles,
  isStateless: false,
  recognize: ({ config: { architectures } }) =>
    Array.isArray(architectures) &&
    architectures.some((name) => /(?:ForCausalLM|LMHeadModel|ForConditionalGeneration)$/.test(String(name))),
  append: appendEvent,
} satisfies CategoryModels<'chat', ChatEvent>;
