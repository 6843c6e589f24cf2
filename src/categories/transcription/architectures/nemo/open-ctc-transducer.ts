import type { SessionBackend } from '../../../../contracts/sessions.ts';
import { beginTransducerSearch } from '../../../../core/audio/transducer.ts';
import { assertWanted } from '../../../../errors.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import { filled } from '../../../../runtime/tensors.ts';
import type { Carried } from '../../../../contracts/graph.ts';
import { bindGraph } from '../../../../runtime/bound-graph.ts';
import { toFloat32 } from '../../../../runtime/encoder/token-inputs.ts';
import type { StretchRecognizer } from '../../recognizer.ts';
import { transducerFiles, ctcFiles } from './files.ts';
import { blankToken, emptyStates, maxSeconds, openNemoModel } from './nemo-folder.ts';
import { toStretch } from './to-stretch.ts';
import { decodeCtc } from '../../../../core/audio/ctc.ts';

const shared = {
  maxSeconds,
  contextLength: 0,
  languages: [],
  leavesOutWords: true,
  abilities: new Set(['wordTimestamps'] as const),
};

export async function openCtc(spec: ModelSpec, sessions: SessionBackend): Promise<StretchRecognizer> {
  const graphs = [['audio_signal', 'length', 'logprobs']];
  const model = await openNemoModel(spec, sessions, { files: ctcFiles, graphs, tokens: [blankToken] });
  const [blank] = model.needed as [number];
  return {
    ...shared,
    async recognize(samples, { signal, kept }) {
      const { outputs, frames: heard } = await model.encode(samples, ['logprobs'], { signal });
      const scores = outputs['logprobs']!;
      const [, columns = 0, vocabularySize = 0] = scores.dims;
      if (vocabularySize > model.pieces.length || vocabularySize <= blank)
        throw model.mismatch(vocabularySize);
      // The last column is padding.
      const frames = Math.min(columns, Math.ceil(heard / model.subsampling));
      const logprobs = toFloat32(scores).subarray(0, frames * vocabularySize);
      const path = decodeCtc(logprobs, { frames, vocabularySize, blank });
      return { ...toStretch(path.tokens, model, kept), averageLogprob: path.averageLogprob };
    },
    release: () => model.release(),
  };
}

const encoderNames = ['audio_signal', 'length', 'outputs', 'encoded_lengths'];
const carried = ['states_1', 'states_2'].map((name): Carried => [`input_${name}`, `output_${name}`]);
const jointNames = ['encoder_outputs', 'targets', 'target_length', ...carried.flat(), 'outputs'];

/** They share one prediction up to the next token, and the prediction network costs more than they do. */
const framesAhead = 8;

export async function openTransducer(spec: ModelSpec, sessions: SessionBackend): Promise<StretchRecognizer> {
  const graphs = [encoderNames, jointNames];
  const model = await openNemoModel(spec, sessions, { files: transducerFiles, graphs, tokens: [blankToken] });
  const { needed, limit: maxTokensPerFrame, pieces } = model;
  const [blank] = needed as [number];
  const joint = model.sessions[1]!;
  const start = emptyStates(joint, 'input_states_');
  const isOpen = typeof joint.inputs.find(({ name }) => name === 'encoder_outputs')!.dims[2] === 'string';
  const maxAhead = isOpen ? framesAhead : 1;
  const targetType = joint.inputs.find(({ name }) => name === 'targets')!.type;

  return {
    ...shared,
    async recognize(samples, { signal, kept }) {
      const { outputs } = await model.encode(samples, ['outputs', 'encoded_lengths'], { signal });
      const [, width = 0, columns = 0] = outputs['outputs']!.dims;
      const encoded = toFloat32(outputs['outputs']!);
      const frames = Math.min(columns, Number(outputs['encoded_lengths']!.data[0]));
      const vocabularySize = pieces.length;
      const search = beginTransducerSearch({ frames, vocabularySize, blank, maxTokensPerFrame });
      const graph = bindGraph(joint);
      try {
        const target = filled(targetType, [1, 1], blank);
        graph.feedAll({ ...start, targets: target, target_length: filled(targetType, [1], 1) });
        graph.keep(carried.map(([, output]) => output));
        let heard = new Float32Array(0);
        while (search.frame < frames) {
          assertWanted(signal);
          const first = search.frame;
          const ahead = Math.min(maxAhead, frames - first);
          if (heard.length !== width * ahead) {
            heard = new Float32Array(width * ahead);
            graph.feed('encoder_outputs', { type: 'float32', dims: [1, width, ahead], data: heard });
            graph.fetch('outputs', [1, ahead, 1]);
          }
          for (let row = 0; row < width; row++) {
            const at = row * columns + first;
            heard.set(encoded.subarray(at, at + ahead), row * ahead);
          }
          target.data.set(filled(targetType, [1], search.previous).data as never);
          await graph.run({ signal, isShort: true });
          const logits = graph.readNumbers('outputs');
          const size = logits.length / ahead;
          if (size < vocabularySize) throw model.mismatch(size);
          while (search.frame < first + ahead) {
            const at = (search.frame - first) * size;
            if (!search.advance(logits.subarray(at, at + size))) continue;
            graph.carry(carried);
            break;
          }
        }
      } finally {
        graph.release();
      }
      const { tokens } = search;
      const logprobs = tokens.reduce((sum, { logprob }) => sum + logprob, 0);
      return { ...toStretch(tokens, model, kept), averageLogprob: logprobs / Math.max(1, tokens.length) };
    },
    release: () => model.release(),
  };
}
