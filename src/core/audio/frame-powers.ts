/** Cut twice below: speech has enough above it, and rumble and hum little. */
const highPassHertz = 300;

/** Measures the power of frames in a stream of samples. */
export interface FramePowers {
  /** Samples of one frame. */
  readonly frameSamples: number;
  /** Samples so far. */
  readonly total: number;
  /** @param samples the next ones of one channel, −1 to 1, any number; not kept */
  push(samples: Float32Array, onFrame: (power: number) => void): void;
  /** Ends the stream; a frame that is incomplete counts. The next `push` begins another stream. */
  flush(onFrame: (power: number) => void): void;
}

/** Measures frames without what is below 300 Hz, which two high-pass filters of the first order take out. */
export function createFramePowers(sampleRateHz: number, frameSeconds: number): FramePowers {
  const frameSamples = Math.round(frameSeconds * sampleRateHz);
  const keptByHighPass = Math.exp((-2 * Math.PI * highPassHertz) / sampleRateHz);
  const begin = () => ({ energy: 0, previous: Number.NaN, passedOnce: 0, passedTwice: 0 });
  let total = 0;
  let state = begin();
  // In local variables: each number that functions share would be allocated anew for each sample.
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
    get total() {
      return total;
    },
    push(samples, onFrame) {
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
    flush(onFrame) {
      if (total % frameSamples > 0) onFrame(state.energy / (total % frameSamples));
      total = 0;
      state = begin();
    },
  };
}

function finite(sample: number): number {
  return Number.isFinite(sample) ? sample : 0;
}

/** Length of half a syllable. */
const frameSeconds = 0.09;
/** Fewer frames are too few to tell. */
const leastFrames = 12;
/** Speech as loud as white noise rises 4 dB above it; noise of any color varies by 1.6 dB. */
const mostRatio = 10 ** 0.2;

/** Whether audio is as loud all the time as no speech is, however loud it is itself: hiss, hum, a fan. */
export function isSteadyNoise(samples: Float32Array, sampleRateHz: number): boolean {
  const powers: number[] = [];
  createFramePowers(sampleRateHz, frameSeconds).push(samples, (power) => powers.push(power));
  return powers.length >= leastFrames && Math.max(...powers) <= mostRatio * Math.min(...powers);
}
