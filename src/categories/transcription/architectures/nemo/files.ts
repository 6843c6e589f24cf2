import { anywhere, oneGraph, severalGraphs } from '../../../../folder/model-files.ts';

const small = ['config.json', 'vocab.txt'];
const encoderStems = anywhere('encoder-model');

export const ctcFiles = oneGraph(small);

export const transducerFiles = severalGraphs(small, [encoderStems, anywhere('decoder_joint-model')]);

export const encoderDecoderFiles = severalGraphs(small, [encoderStems, anywhere('decoder-model')]);
