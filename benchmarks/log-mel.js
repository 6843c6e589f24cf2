// The log-mel spectrogram of 30 s of audio, beside the extractor of transformers.js:
// `npm run build && node benchmarks/log-mel.js`. CPU time, so that other work on the machine counts little.
import { WhisperFeatureExtractor } from '@huggingface/transformers';
import { createLogMel } from 'slashv1/audio';
import { compare, cpuTimer, machine, printRatios } from './measure.js';

const rounds = 15;
const callsPerRound = 5;
const sampleRateHz = 16_000;
const hopLength = 160;
const fftSize = 400;

let state = 1;
/** Noise that is louder and softer in turn, the same in every run. */
function audio(seconds = 30) {
  return Float32Array.from({ length: seconds * sampleRateHz }, (_, index) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 31 - 1) * Math.sin(index / 3000) ** 2;
  });
}

console.log(`${machine()}, CPU ms per 30 s of audio, median of ${rounds} rounds`);
const samples = audio();
for (const melBins of [80, 128]) {
  const extractor = new WhisperFeatureExtractor({
    feature_size: melBins,
    sampling_rate: sampleRateHz,
    hop_length: hopLength,
    n_fft: fftSize,
    n_samples: samples.length,
    nb_max_frames: samples.length / hopLength,
  });
  const logMel = createLogMel({ melBins });
  const out = new Float32Array(melBins * logMel.frames);

  const reference = (await extractor(samples)).input_features.data;
  const difference = logMel
    .compute(samples)
    .reduce((most, value, index) => Math.max(most, Math.abs(value - reference[index])), 0);

  /** @param {() => unknown} run */
  const timed = (run) => async () => {
    const elapsed = cpuTimer();
    for (let call = 0; call < callsPerRound; call++) await run();
    return elapsed() / callsPerRound;
  };
  const results = await compare(
    {
      'slashv1, computeInto': timed(() => logMel.computeInto(out, samples)),
      'slashv1, compute': timed(() => logMel.compute(samples)),
      'transformers.js': timed(() => extractor(samples)),
    },
    rounds,
  );
  printRatios(`${melBins} mel bins; largest difference ${difference.toExponential(1)}`, results, {
    unit: 'ms',
    baseline: 'slashv1, computeInto',
  });
}
