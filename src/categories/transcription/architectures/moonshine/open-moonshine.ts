import type { SessionBackend } from '../../../../contracts/sessions.ts';
import type { ModelSpec } from '../../../../contracts/model.ts';
import { openModelFolder, readCount } from '../../../../folder/model-folder.ts';
import { sourceError } from '../../../../folder/model-files.ts';
import { locateModel } from '../../../../folder/source.ts';
import type { GraphRunOptions, Session, TensorMap } from '../../../../contracts/graph.ts';
import { filled } from '../../../../runtime/tensors.ts';
import { runKept } from '../../../../runtime/bound-graph.ts';
import { toFloat32 } from '../../../../runtime/encoder/token-inputs.ts';
import { RecognitionDecoder, type DecoderText, type EncodedAudio } from '../../pipeline/text-decoder.ts';
import { openGraphs } from '../../pipeline/open-graphs.ts';
import type { StretchRecognizer } from '../../recognizer.ts';
import { moonshineFiles } from './files.ts';
import { createWriter } from './writer.ts';

const encoderMask = 'encoder_attention_mask';

export async function openMoonshine(spec: ModelSpec, sessions: SessionBackend): Promise<StretchRecognizer> {
  const folder = await openModelFolder(locateModel(spec.source));
  const { traits, write } = createWriter(folder);
  const { config } = folder;
  const heads = {
    decoderHeads: readCount(config, 'decoder_num_key_value_heads'),
    headSize: readCount(config, 'hidden_size') / readCount(config, 'decoder_num_attention_heads'),
  };
  return openGraphs(spec, sessions, { files: moonshineFiles }, ({ sessions: opened, release }) => {
    const [encoder, decoder] = opened as [Session, Session];
    const encode = encoderOf(encoder);
    const texts = new RecognitionDecoder(heads, { first: decoder, next: decoder, others: [encoderMask] });
    const wantsMask = decoder.inputs.some(({ name }) => name === encoderMask);
    return {
      ...traits,
      async recognize(samples, { signal }) {
        const options = { signal };
        const audio = await encode(samples, options);
        const others = wantsMask ? { [encoderMask]: filled('int64', [1, samples.length], 1) } : {};
        let text: DecoderText | undefined;
        const next = async (token: number): Promise<Float32Array> => {
          if (text) return text.step(token, options);
          text = await texts.begin(audio, [token], { ...options, others });
          return toFloat32(text.logits);
        };
        try {
          return await write(next, { samples: samples.length, signal });
        } finally {
          text?.release();
          audio.release();
        }
      },
      release,
    };
  });
}

function encoderOf(
  session: Session,
): (samples: Float32Array, options: GraphRunOptions) => Promise<EncodedAudio> {
  const names = session.inputs.map(({ name }) => name);
  const [output] = session.outputs;
  if (
    !names.includes('input_values') ||
    names.some((name) => !['input_values', 'attention_mask'].includes(name)) ||
    !output
  ) {
    throw sourceError(`expected an encoder with the input input_values, got ${names.join(', ')}`);
  }
  const wantsMask = names.includes('attention_mask');
  return async (samples, options) => {
    const feeds: TensorMap = {
      input_values: { type: 'float32', dims: [1, samples.length], data: samples },
      ...(wantsMask && { attention_mask: filled('int64', [1, samples.length], 1) }),
    };
    return (await runKept(session, feeds, [output.name], options))[0]!;
  };
}
