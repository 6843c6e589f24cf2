/** Two filters attenuate everything below: rumble and hum are mostly there, speech has enough power above. */
const highPassHertz = 300;

type OnFrame = (power: number) => void;

/** Measures the power of each frame in a stream of samples, after two first-order high-pass filters at 300 Hz. */
export function createFramePowers(sampleRateHz: number, frameSeconds: number) {
  const frameSamples = Math.round(frameSeconds * sampleRateHz);
  const keptByHighPass = Math.exp((-2 * Math.PI * highPassHertz) / sampleRateHz);
  const begin = () => ({ energy: 0, previous: Number.NaN, passedOnce: 0, passedTwice: 0 });
  let total = 0;
  let state = begin();
  // In local variables: V8 would allocate every number in a shared closure variable again for each sample.
  const measure = (samples: Float32Array, from: number, to: number): void => {
    let { energy, previous, passedOnce, passedTwice } = state;
    if (Number.isNaN(previous)) previous = finite(samples[from]!);
    for (let at = from; at < to; at++) {
      const sample = finite(samples[at]!);
      const passed = keptByHighPass * (passedOnce + sample - previous);
      passedTwice = keptByHighPass * (passedTwice + passed - passedOnce);
      previous = sample;
      passedOnce = passed;
      energy += passedTwice * passedTwice;
    }
    state = { energy, previous, passedOnce, passedTwice };
  };
  return {
    frameSamples,
    /** Samples so far. */
    get total() {
      return total;
    },
    /** @param samples the next samples of one channel, −1 to 1, any number; not kept */
    push(samples: Float32Array, onFrame: OnFrame): void {
      for (let at = 0; at < samples.length;) {
        const end = Math.min(samples.length, at + frameSamples - (total % frameSamples));
        measure(samples, at, end);
        total += end - at;
        at = end;
        if (total % frameSamples > 0) return;
        const power = state.energy / frameSamples;
        state.energy = 0;
        onFrame(power);
      }
    },
    /** Ends the stream; an incomplete frame counts. The next `push` begins a new stream. */
    flush(onFrame: OnFrame): void {
      if (total % frameSamples > 0) onFrame(state.energy / (total % frameSamples));
      total = 0;
      state = begin();
    },
  };
}

function finite(sample: number): number {
  return Number.isFinite(sample) ? sample : 0;
}

/** Half the length of a syllable. */
const frameSeconds = 0.09;
/** Fewer frames aren't significant. */
const minFrames = 12;
/** Speech as loud as white noise rises 4 dB above it; noise of any color varies by 1.6 dB. */
const maxRatio = 10 ** 0.2;

/** Whether the loudness varies less than that of any speech, at any volume: hiss, hum, a fan. */
export function isSteadyNoise(samples: Float32Array, sampleRateHz: number): boolean {
  const powers: number[] = [];
  createFramePowers(sampleRateHz, frameSeconds).push(samples, (power) => powers.push(power));
  return powers.length >= minFrames && Math.max(...powers) <= maxRatio * Math.min(...powers);
}
