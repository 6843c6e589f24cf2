import { needGraph } from '../../../../models/graph-files.ts';
import { anywhere, textFiles, type ModelFiles } from '../../../../models/model-files.ts';

const encoderStems = anywhere('encoder_model');
const decoderStems = anywhere('decoder_model_merged');

/** The files of a Moonshine: the encoder first. */
export const moonshineFiles: ModelFiles = {
  small: [...textFiles, 'preprocessor_config.json'],
  stems: [...encoderStems, ...decoderStems],
  graphs: (files, dtype) => [encoderStems, decoderStems].map((stems) => needGraph(files, stems, dtype)),
};
