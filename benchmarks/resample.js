// Resampling ten seconds of audio: `npm run build && node benchmarks/resample.js`. CPU time, and how many times faster than
// it plays; beside it wavefile's resampler, and what both make of a tone of 1 kHz.
import { default as wavefile } from 'wavefile';
import { resample } from 'slashv1/audio';
import { compare, cpuTimer, machine, printRatios } from './measure.js';

const rounds = 5;
const seconds = 10;
const hertz = 1000;

/** @param {number} rateHz */
function tone(rateHz) {
  return Float32Array.from(
    { length: seconds * rateHz },
    (_, index) => 0.5 * Math.sin((2 * Math.PI * hertz * index) / rateHz),
  );
}

/** @param {Float32Array} samples @param {{ fromHz: number, toHz: number }} rates */
function resampleWithWavefile(samples, { fromHz, toHz }) {
  const file = new wavefile.WaveFile();
  file.fromScratch(1, fromHz, '32f', samples);
  file.toSampleRate(toHz, { method: 'cubic' });
  return Float32Array.from(/** @type {Float64Array} */ (/** @type {unknown} */ (file.getSamples())));
}

/** The tone as it is at the time of every sample, over everything else, in dB. @param {Float32Array} samples @param {number} rateHz */
function signalToNoise(samples, rateHz) {
  const ideal = tone(rateHz);
  let [signal, noise] = [0, 0];
  for (let index = rateHz; index < samples.length - rateHz; index++) {
    const expected = ideal[index] ?? 0;
    signal += expected ** 2;
    noise += ((samples[index] ?? 0) - expected) ** 2;
  }
  return 10 * Math.log10(signal / noise);
}

/** @param {() => unknown} run */
const timed = (run) => () => {
  const elapsed = cpuTimer();
  run();
  return elapsed();
};

console.log(`${machine()}, CPU ms per ${seconds} s of audio, median of ${rounds} rounds`);
for (const [fromHz, toHz] of /** @type {[number, number][]} */ ([
  [48_000, 16_000],
  [44_100, 16_000],
  [8000, 16_000],
  [22_050, 24_000],
])) {
  const rates = { fromHz, toHz };
  const samples = tone(fromHz);
  const results = await compare(
    {
      slashv1: timed(() => resample(samples, rates)),
      wavefile: timed(() => resampleWithWavefile(samples, rates)),
    },
    rounds,
  );
  const ours = signalToNoise(resample(samples, rates), toHz);
  const theirs = signalToNoise(resampleWithWavefile(samples, rates), toHz);
  const speed = (seconds * 1000) / (results['slashv1'] ?? Number.NaN);
  printRatios(
    `${fromHz} → ${toHz} Hz: ${speed.toFixed(0)} × real time; signal to noise ${ours.toFixed(0)} dB, wavefile ${theirs.toFixed(0)} dB`,
    results,
    { unit: 'ms', baseline: 'slashv1' },
  );
}
