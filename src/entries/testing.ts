export {
  createFakeInference,
  type FakeInference,
  type FakeInferenceOptions,
  type FakeReply,
} from '../testing/fake-inference.ts';
export type { FakeDrawing, FakePainter } from '../testing/fake-image.ts';
export type { FakeSpeaker, FakeSpeech } from '../testing/fake-speech.ts';
export type { FakeListener, FakeTranscript } from '../testing/fake-transcription.ts';
