import { needGraph } from '../../../../folder/graph-files.ts';
import { anywhere, singleGraph, singleStems, type ModelFiles } from '../../../../folder/model-files.ts';

const small = ['config.json', 'vocab.txt'];
const encoderStems = anywhere('encoder-model');
const jointStems = anywhere('decoder_joint-model');
const decoderStems = anywhere('decoder-model');

export const ctcFiles: ModelFiles = {
  small,
  stems: singleStems,
  graphs: (files, dtype) => [singleGraph(files, dtype)],
};

export const transducerFiles = withEncoder(jointStems);

export const encoderDecoderFiles = withEncoder(decoderStems);

function withEncoder(others: readonly string[]): ModelFiles {
  return {
    small,
    stems: [...encoderStems, ...others],
    graphs: (files, dtype) => [encoderStems, others].map((stems) => needGraph(files, stems, dtype)),
  };
}
