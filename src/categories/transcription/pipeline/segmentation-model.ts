import { decodePowerset, speakersOfPowerset } from '../../../core/audio/diarization/powerset.ts';
import type { Session } from '../../../contracts/graph.ts';
import { builtInSize } from '../../../runtime/tensors.ts';
import { sampleRateHz } from '../recognizer.ts';

/** Receptive field and step of a frame, in samples, in all versions of pyannote's network. */
const fieldSamples = 991;
export const frameStep = 270;
/** Sample in the middle of the first frame. */
export const firstFrame = Math.floor(fieldSamples / 2);
const defaultSeconds = 10;

export type SegmentationModel = Awaited<ReturnType<typeof createSegmentationModel>>;

/** Samples `[1, 1, samples]` → logits of a powerset `[1, frames, classes]`. @see https://huggingface.co/onnx-community/pyannote-segmentation-3.0 */
export async function createSegmentationModel(session: Session) {
  const [input, ...others] = session.inputs;
  const output = session.outputs[0];
  if (input?.dims.length !== 3 || others.length > 0 || output === undefined)
    throw new Error('expected one input of samples, [1, 1, samples]');
  const windowSamples = builtInSize(input.dims[2]) ?? defaultSeconds * sampleRateHz;
  const frames = Math.floor((windowSamples - fieldSamples) / frameStep) + 1;

  const run = async (samples: Float32Array) => {
    const results = await session.run(
      { [input.name]: { type: 'float32', dims: [1, 1, samples.length], data: samples } },
      [output.name],
    );
    return results[output.name]!;
  };
  const { dims } = await run(new Float32Array(windowSamples));
  const speakers = speakersOfPowerset(dims[2] ?? 0);
  if (dims[1] !== frames || speakers === undefined)
    throw new Error(
      `expected logits of [1, ${frames}, 7] for ${windowSamples} samples, got [${dims.join(', ')}]`,
    );
  return {
    windowSamples,
    /** Max speakers of one window. */
    speakers,
    /** @returns per frame, a bit for each speaker; numbering is valid only within the window */
    segment: async (samples: Float32Array) =>
      decodePowerset((await run(samples)).data as Float32Array, speakers),
    release: () => session.release(),
  };
}
