import type { Limiter } from '../../../concurrency/limit-concurrency.ts';
import type { SpeakerTurn } from '../../../core/audio/diarization/assign-speakers.ts';
import { groupVoices, type Voice } from '../../../core/audio/diarization/group-voices.ts';
import { toSpeakerTurns } from '../../../core/audio/diarization/speaker-turns.ts';
import { assertWanted, whileWanted } from '../../../errors.ts';
import { sampleRateHz } from '../recognizer.ts';
import { firstFrame, frameStep, type SegmentationModel, type VoiceEmbedder } from './diarization-models.ts';

export interface DiarizationTools {
  readonly segmentation: SegmentationModel;
  readonly embedder: VoiceEmbedder;
  /** See `GroupingOptions`. */
  readonly threshold: number;
  release(): Promise<void>;
}

interface DiarizationJob {
  /** All recordings take turns by window. */
  readonly inTurn: Limiter;
  readonly signal?: AbortSignal | undefined;
  readonly owner?: string | undefined;
}

/** Windows begin every tenth of their length. */
const windowsPerLength = 10;
/** A voice is clear if it is alone for a fifth of its window. */
const clearShare = 0.2;
/** 0.25 s; fewer frames don't identify a voice. */
const minFrames = 15;
const minVoices = 12;
/** Bounds time and memory, which grow with its square. */
const maxCompared = 2000;
/** Half a second. */
const pauseFrames = Math.round((0.5 * sampleRateHz) / frameStep);

interface HeardWindow {
  readonly startFrame: number;
  readonly activity: Uint8Array;
  /** Voice index of each of the window's speakers; −1 for an unassigned speaker. */
  readonly voices: readonly number[];
}

export type Diarizer = ReturnType<typeof createDiarizer>;

/** Window by window while the recording is read, then all windows together. */
export function createDiarizer(tools: DiarizationTools, job: DiarizationJob) {
  const { segmentation, embedder } = tools;
  const { inTurn, signal } = job;
  const windows: HeardWindow[] = [];
  const known: Voice[] = [];

  const hear = async (samples: Float32Array, start: number): Promise<void> => {
    assertWanted(signal);
    const activity = await segmentation.segment(samples);
    const voices: number[] = [];
    for (let speaker = 0; speaker < segmentation.speakers; speaker++) {
      assertWanted(signal);
      const bit = 1 << speaker;
      const all = activity.map((bits) => bits & bit);
      const alone = activity.map((bits) => Number(bits === bit));
      const aloneFrames = alone.reduce((sum, one) => sum + one, 0);
      const own = cutFrames(samples, aloneFrames >= minFrames ? alone : all);
      const embedding = own.length >= minFrames * frameStep ? await embedder.embed(own) : undefined;
      voices.push(embedding ? known.length : -1);
      if (embedding) known.push({ embedding, isClear: aloneFrames >= clearShare * activity.length });
    }
    windows.push({ startFrame: Math.round(start / frameStep), activity, voices });
  };
  const hearInTurn = (samples: Float32Array, start: number): Promise<void> =>
    whileWanted(
      signal,
      inTurn(() => hear(samples, start), job),
    );

  return {
    async *listen(blocks: AsyncIterable<Float32Array>): AsyncGenerator<Float32Array> {
      const { windowSamples } = segmentation;
      const step = Math.round(windowSamples / windowsPerLength);
      const window = new Float32Array(windowSamples);
      let start = 0;
      let filled = 0;
      let heard = 0;
      for await (const block of blocks) {
        for (let taken = 0; taken < block.length;) {
          const piece = block.subarray(taken, taken + windowSamples - filled);
          window.set(piece, filled);
          taken += piece.length;
          filled += piece.length;
          if (filled < windowSamples) continue;
          await hearInTurn(window, start);
          heard = start + windowSamples;
          window.copyWithin(0, step);
          start += step;
          filled -= step;
        }
        yield block;
      }
      if (start + filled > heard) await hearInTurn(window.fill(0, filled), start);
    },
    /** Speaker turns in order; call it after the last block. */
    turns(): SpeakerTurn[] {
      const groups = groupVoices(known, { threshold: tools.threshold, minVoices, maxCompared });
      const grouped = windows.map(({ startFrame, activity, voices }) => ({
        startFrame,
        activity,
        speakers: voices.map((voice) => (voice < 0 ? -1 : groups[voice]!)),
      }));
      const secondsOf = (frame: number): number => (firstFrame + frame * frameStep) / sampleRateHz;
      return toSpeakerTurns(grouped, { maxSimultaneous: 1, pauseFrames }).map(
        ({ speaker, startFrame, endFrame }) => ({
          speaker,
          startSeconds: secondsOf(startFrame),
          endSeconds: secondsOf(endFrame),
        }),
      );
    },
  };
}

/** The samples of the non-zero frames, concatenated. */
function cutFrames(samples: Float32Array, frames: Uint8Array): Float32Array {
  const cut = new Float32Array(frameStep * frames.reduce((sum, one) => sum + Number(one !== 0), 0));
  let length = 0;
  for (const [frame, one] of frames.entries()) {
    if (one === 0) continue;
    const start = firstFrame - frameStep / 2 + frame * frameStep;
    cut.set(samples.subarray(start, start + frameStep), length);
    length += frameStep;
  }
  return cut;
}
