import { type Members, type Readers, assertDepth, readBoolean, readByType, readList } from '../definition.ts';
import { readBertProcessing, readRobertaProcessing } from './bert.ts';
import type { PostProcessor } from './post-processor.ts';
import { readTemplateProcessing } from './template.ts';
import { trimOffsets } from './trim-offsets.ts';

const readers: Readers<PostProcessor> = {
  BertProcessing: readBertProcessing,
  ByteLevel: readByteLevelProcessing,
  RobertaProcessing: readRobertaProcessing,
  Sequence: readSequence,
  TemplateProcessing: readTemplateProcessing,
};

/** @throws TypeError or RangeError for a malformed definition or an unknown type */
export function readPostProcessor(label: string, value: unknown): PostProcessor {
  return readByType(label, value, readers);
}

function readSequence(label: string, members: Members): PostProcessor {
  assertDepth(label);
  const steps = readList(`${label}.processors`, members['processors']).map((item, index) =>
    readPostProcessor(`${label}.processors[${index}]`, item),
  );
  return {
    addedTokens: (texts) => steps.reduce((sum, step) => sum + step.addedTokens(texts), 0),
    process: (encodings, options) =>
      steps.reduce((processed, step) => step.process(processed, options), encodings),
  };
}

function readByteLevelProcessing(label: string, members: Members): PostProcessor {
  const trims = readBoolean(`${label}.trim_offsets`, members['trim_offsets'], true);
  const addPrefixSpace = readBoolean(`${label}.add_prefix_space`, members['add_prefix_space'], true);
  return {
    addedTokens: () => 0,
    process: (encodings) =>
      trims ? encodings.map((encoding) => trimOffsets(encoding, { addPrefixSpace })) : encodings,
  };
}
