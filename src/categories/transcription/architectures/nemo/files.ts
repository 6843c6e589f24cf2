import { needGraph } from '../../../../folder/graph-files.ts';
import { anywhere, singleGraph, singleStems, type ModelFiles } from '../../../../folder/model-files.ts';

const small = ['config.json', 'vocab.txt'];
const encoderStems = anywhere('encoder-model');
const jointStems = anywhere('decoder_joint-model');
const decoderStems = anywhere('decoder-model');

/** The files of a CTC model of NeMo. */
export const ctcFiles: ModelFiles = {
  small,
  stems: singleStems,
  graphs: (files, dtype) => [singleGraph(files, dtype)],
};

/** The files of a transducer of NeMo: the encoder first. */
export const transducerFiles = withEncoder(jointStems);

/** The files of an encoder-decoder of NeMo: the encoder first. */
export const encoderDecoderFiles = withEncoder(decoderStems);

function withEncoder(others: readonly string[]): ModelFiles {
  return {
    small,
    stems: [...encoderStems, ...others],
    graphs: (files, dtype) => [encoderStems, others].map((stems) => needGraph(files, stems, dtype)),
  };
}
