/** A model that speaks short texts. */
export interface TextSynthesizer {
  readonly sampleRateHz: number;
  /** Names of its voices, the usual one first. */
  readonly voices: readonly string[];
  /** Whether `speed` acts. */
  readonly hasSpeed: boolean;
  /** @returns samples from −1 to 1, mono */
  speak(text: string, voice: string, speed: number): Promise<Float32Array>;
  release(): Promise<void>;
}
