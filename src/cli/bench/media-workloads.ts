import { times, sum, speeds, type Measurement } from './statistics.ts';
import type { Sample, Subject, Workload } from './workload.ts';

/** @param image as base64 */
export function detectionWorkload({ inference, model }: Subject, image: string): Workload {
  const send = async (_index: number, signal: AbortSignal): Promise<Sample> => {
    const startedAt = performance.now();
    await inference.detect({ model, image }, { signal });
    return { totalMs: performance.now() - startedAt };
  };
  return {
    description: 'the same picture in each',
    prepare: async (signal) => void (await send(0, signal)),
    send,
    measure: (samples, elapsedMs) => [
      times(
        'picture',
        samples.map(({ totalMs }) => totalMs),
      ),
      { name: 'pictures', unit: 'runs/s', overall: samples.length / (elapsedMs / 1000) },
    ],
  };
}

export interface ImageLoad {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly numInferenceSteps?: number | undefined;
}

interface ImageSample extends Sample {
  readonly steps: number;
}

export function imageWorkload({ inference, model }: Subject, load: ImageLoad): Workload<ImageSample> {
  const { width, height, numInferenceSteps } = load;
  const send = async (index: number, signal: AbortSignal): Promise<ImageSample> => {
    const startedAt = performance.now();
    let steps = 0;
    const given = {
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
      ...(numInferenceSteps === undefined ? {} : { numInferenceSteps }),
    };
    const request = { model, prompt: 'a red circle above a blue square', seed: index, ...given };
    for await (const event of inference.image(request, { signal })) {
      if (event.type === 'image-step') steps++;
    }
    return { totalMs: performance.now() - startedAt, steps };
  };
  const size = width === undefined ? 'pictures of the default size' : `pictures of ${width} × ${height}`;
  return {
    description: numInferenceSteps === undefined ? size : `${size}, ${numInferenceSteps} steps`,
    prepare: async (signal) => void (await send(0, signal)),
    send,
    measure(samples, elapsedMs) {
      const seconds = elapsedMs / 1000;
      const steps = sum(samples.map((sample) => sample.steps));
      return [
        times(
          'picture',
          samples.map(({ totalMs }) => totalMs),
        ),
        { name: 'pictures', unit: 'runs/s', overall: samples.length / seconds },
        ...(steps > 0 ? [{ name: 'steps', unit: 'steps/s', overall: steps / seconds }] : []),
      ];
    },
  };
}

interface AudioSample extends Sample {
  /** Until the first audio or the first segment; `undefined` where the answer comes as a whole. */
  readonly firstMs: number | undefined;
  readonly audioSeconds: number;
}

export const spokenText =
  'A red circle is above a blue square. Two green stars are to the left of a black triangle. What is three plus four? It is seven.';

export function speechWorkload({ inference, model }: Subject): Workload<AudioSample> {
  const send = async (_index: number, signal: AbortSignal): Promise<AudioSample> => {
    const startedAt = performance.now();
    let firstMs: number | undefined;
    let audioSeconds = 0;
    for await (const event of inference.speak({ model, input: spokenText }, { signal })) {
      if (event.type === 'audio') firstMs ??= performance.now() - startedAt;
      if (event.type === 'speech-end') audioSeconds = event.durationSeconds;
    }
    return { totalMs: performance.now() - startedAt, firstMs, audioSeconds };
  };
  return {
    description: `a text of ${spokenText.length} characters in each`,
    prepare: async (signal) => void (await send(0, signal)),
    send,
    measure: (samples, elapsedMs) => measureAudio('first audio', samples, elapsedMs),
  };
}

/** @param audio the bytes of a file */
export function transcriptionWorkload(
  { inference, model }: Subject,
  audio: Uint8Array,
): Workload<AudioSample> {
  const send = async (_index: number, signal: AbortSignal): Promise<AudioSample> => {
    const startedAt = performance.now();
    let firstMs: number | undefined;
    let audioSeconds = 0;
    for await (const event of inference.transcribe({ model, audio }, { signal })) {
      if (event.type === 'segment') firstMs ??= performance.now() - startedAt;
      else if (event.type === 'transcription-end') audioSeconds = event.durationSeconds;
    }
    return { totalMs: performance.now() - startedAt, firstMs, audioSeconds };
  };
  return {
    description: 'the same recording in each',
    prepare: async (signal) => void (await send(0, signal)),
    send,
    measure: (samples, elapsedMs) => measureAudio('first segment', samples, elapsedMs),
  };
}

function measureAudio(
  first: string,
  samples: readonly AudioSample[],
  elapsedMs: number,
): readonly Measurement[] {
  const audioSeconds = sum(samples.map((sample) => sample.audioSeconds));
  const factors = samples.map((sample) => sample.totalMs / 1000 / sample.audioSeconds);
  const firsts = samples.map(({ firstMs }) => firstMs).filter((ms) => ms !== undefined);
  const { p50, p95 } = times('', factors);
  return [
    ...(firsts.length > 0 ? [times(first, firsts)] : []),
    times(
      'whole',
      samples.map(({ totalMs }) => totalMs),
    ),
    { name: 'runs', unit: 'runs/s', overall: samples.length / (elapsedMs / 1000) },
    ...(audioSeconds > 0
      ? [
          { name: 'real-time factor', unit: 's per s of audio', p50, p95 },
          speeds('audio', 's of audio per s', [], audioSeconds / (elapsedMs / 1000)),
        ]
      : []),
  ];
}
