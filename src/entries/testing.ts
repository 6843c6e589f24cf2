export {
  createFakeInference,
  type FakeInference,
  type FakeInferenceOptions,
  type FakeReply,
} from '../testing/fake-inference.ts';
