import type { VoiceRegion } from '../../../core/audio/voice-activity.ts';

export interface VoiceGate {
  /** @param samples 16 kHz, mono */
  find(samples: Float32Array): Promise<readonly VoiceRegion[]>;
  release(): Promise<void>;
}

/** Half a second without speech separates two regions. */
export const regionShape = { paddingSeconds: 0.2, minPauseSeconds: 0.1 } as const;
