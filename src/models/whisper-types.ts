/** Values of `model_type` of Whisper models. The graphs of Lite-Whisper have the same inputs and outputs. */
export const whisperTypes: ReadonlySet<unknown> = new Set(['whisper', 'lite-whisper']);
