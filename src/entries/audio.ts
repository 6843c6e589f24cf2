export { downmix } from '../core/audio/downmix.ts';
export { createLogMel, type LogMel, type LogMelOptions } from '../core/audio/log-mel.ts';
export { createResampler, resample, type Resampler, type SampleRates } from '../core/audio/resample.ts';
export { toSrt, toVtt, type Subtitle } from '../core/audio/subtitles.ts';
export {
  createVoiceActivityDetector,
  findVoiceActivity,
  type VoiceActivityDetector,
  type VoiceActivityOptions,
  type VoiceRegion,
} from '../core/audio/voice-activity.ts';
