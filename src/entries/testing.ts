export {
  createFakeInference,
  type FakeInference,
  type FakeInferenceOptions,
} from '../testing/fake-inference.ts';
export type { FakeAnswer, FakeReply } from '../testing/fake-chat.ts';
export type { Answerer, Scripted } from '../testing/scripts.ts';
export type { FakeDrawing, FakePainter } from '../testing/fake-image.ts';
export type { FakeSpeaker, FakeSpeech } from '../testing/fake-speech.ts';
export type { FakeListener, FakeTranscript } from '../testing/fake-transcription.ts';
