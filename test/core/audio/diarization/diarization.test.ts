import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clusterByCentroids, renumber } from '../../../../src/core/audio/diarization/cluster-by-centroids.ts';
import { groupVoices } from '../../../../src/core/audio/diarization/group-voices.ts';
import { decodePowerset, speakersOfPowerset } from '../../../../src/core/audio/diarization/powerset.ts';
import {
  toSpeakerTurns,
  type FrameTurn,
  type SpeakerWindow,
} from '../../../../src/core/audio/diarization/speaker-turns.ts';
import { createKaldiFeatures } from '../../../../src/core/audio/kaldi-features.ts';

interface Golden {
  readonly powerset: { speakers: number; logits: number[]; activity: number[] }[];
  readonly clusters: { vectors: number[][]; threshold: number; clusters: number[] }[];
  readonly groups: {
    embeddings: number[][];
    clear: boolean[];
    threshold: number;
    least: number;
    groups: number[];
  }[];
  readonly turns: {
    windows: (Omit<SpeakerWindow, 'activity'> & { activity: number[] })[];
    mostAtOnce: number;
    turns: FrameTurn[];
  }[];
  readonly features: { frames: number; everyEighth: number[][] };
}

const golden = JSON.parse(
  readFileSync(new URL('golden/diarization.json', import.meta.url), 'utf8'),
) as Golden;

const numbered = (labels: readonly number[]): number[] => [...renumber(Int32Array.from(labels))];

describe('as the references', () => {
  it.each(golden.powerset)('powerset of $speakers speakers', ({ speakers, logits, activity }) => {
    expect([...decodePowerset(Float32Array.from(logits), speakers)]).toEqual(activity);
    expect(speakersOfPowerset(logits.length / activity.length)).toBe(speakers);
  });

  it.each(golden.clusters)('clusters within $threshold', ({ vectors, threshold, clusters }) => {
    const found = clusterByCentroids(
      vectors.map((vector) => Float32Array.from(vector)),
      { threshold },
    );
    expect([...found]).toEqual(numbered(clusters));
  });

  it.each(golden.groups)('groups within $threshold', ({ embeddings, clear, threshold, least, groups }) => {
    const voices = embeddings.map((embedding, index) => ({
      embedding: Float32Array.from(embedding),
      isClear: clear[index]!,
    }));
    const found = groupVoices(voices, { threshold, minVoices: least, maxCompared: 1000 });
    expect([...found]).toEqual(numbered(groups));
  });

  it.each(golden.turns)('turns of at most $mostAtOnce at once', ({ windows, mostAtOnce: maxSimultaneous, turns }) => {
    const typed = windows.map((window) => ({ ...window, activity: Uint8Array.from(window.activity) }));
    expect(toSpeakerTurns(typed, { maxSimultaneous })).toEqual(turns);
  });

  it('filter banks', () => {
    const clip = Float32Array.from({ length: 8000 }, (_, index) => {
      const seconds = index / 16_000;
      return (
        0.3 * Math.sin(2 * Math.PI * 220 * seconds) +
        0.1 * Math.sin(2 * Math.PI * 3100 * seconds * seconds) +
        0.05
      );
    });
    const { data, frames } = createKaldiFeatures({ melBins: 80 }).compute(clip);
    expect(frames).toBe(golden.features.frames);
    let worst = 0;
    for (const [row, expected] of golden.features.everyEighth.entries()) {
      for (const [band, value] of expected.entries())
        worst = Math.max(worst, Math.abs(data[row * 8 * 80 + band]! - value));
    }
    expect(worst).toBeLessThan(5e-3);
  });
});

it('knows no powerset of other sizes', () => {
  expect([1, 3, 5, 6, 8, 46].map(speakersOfPowerset)).toEqual(Array.from({ length: 6 }));
  expect([4, 7, 11, 37].map(speakersOfPowerset)).toEqual([2, 3, 4, 8]);
});

describe('voices', () => {
  const voice = (angle: number, isClear = true) => ({
    embedding: Float32Array.of(Math.cos(angle), Math.sin(angle)),
    isClear,
  });
  const options = { threshold: 0.5, minVoices: 1, maxCompared: 100 };

  it('are none, one or unclear', () => {
    expect([...groupVoices([], options)]).toEqual([]);
    expect([...groupVoices([voice(1)], options)]).toEqual([0]);
    expect([...groupVoices([voice(0, false), voice(2, false)], options)]).toEqual([0, 1]);
    expect([...groupVoices([voice(0), voice(2, false)], options)]).toEqual([0, 0]);
  });

  it('are thinned out evenly, and all of them find their group', () => {
    const voices = Array.from({ length: 400 }, (_, index) => voice(index % 2 === 0 ? 0 : 2));
    const found = groupVoices(voices, { ...options, maxCompared: 30 });
    expect([...found]).toEqual(voices.map((_, index) => index % 2));
  });
});

describe('turns', () => {
  const window = (activity: string, speakers = [0, 1]): SpeakerWindow => ({
    startFrame: 0,
    activity: Uint8Array.from(activity, Number),
    speakers,
  });
  const turnsOf = (activity: string, pauseFrames?: number) =>
    toSpeakerTurns([window(activity)], { pauseFrames }).map((one) => [
      one.speaker,
      one.startFrame,
      one.endFrame,
    ]);

  it('go on over short pauses, unless somebody else speaks', () => {
    expect(turnsOf('110011')).toEqual([
      [0, 0, 2],
      [0, 4, 6],
    ]);
    expect(turnsOf('110011', 2)).toEqual([[0, 0, 6]]);
    expect(turnsOf('110011', 1)).toHaveLength(2);
    expect(turnsOf('1102011', 9)).toEqual([
      [0, 0, 2],
      [1, 3, 4],
      [0, 5, 7],
    ]);
  });

  it('are none of unknown speakers, and of no windows', () => {
    expect(toSpeakerTurns([window('1111', [-1, -1])])).toEqual([]);
    expect(toSpeakerTurns([])).toEqual([]);
  });
});
