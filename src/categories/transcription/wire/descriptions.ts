import type { Descriptions } from '../../../validation/describe-fields.ts';

/** Fields of recognized speech, in answers and realtime sessions. */
export const heardDescriptions: Descriptions = {
  usage: 'Audio or tokens used by the request.',
  'usage.type': 'Unit of the counts.',
  delta: 'The next characters of the transcript.',
  input_token_details: 'Parts of `input_tokens`.',
  audio_tokens: 'Tokens of audio: all of `input_tokens`.',
  total_tokens: 'Tokens of input and output together.',
};

export const transcriptionDescriptions: Descriptions = {
  ...heardDescriptions,
  task: 'Whether the text is in the language of the audio, or translated into English.',
  text: 'The whole transcript.',
  segments: 'Pieces of the transcript with times; absent in `verbose_json` if only words were requested.',
  'transcript.text.segment/id': 'Id of the segment, from `seg_001`.',
  'transcript.text.segment/text': 'Text of the segment.',
  'segments.text': 'Text of the segment.',
  tokens: "Ids of the text's tokens.",
  temperature: 'Decoding temperature of the segment.',
  avg_logprob: 'Mean log probability of the tokens; lower is less certain.',
  compression_ratio: 'Length of the text divided by its compressed length; high for repetitions.',
  no_speech_prob: 'Probability that the window has no speech, 0 to 1; 0 for models without one.',
  words: 'Words with times; absent unless requested by `timestamp_granularities`.',
  word: 'Text of the word.',
  'TranscriptionEvent.type': 'Kind of the event.',
  id: 'Number of the segment, from 0.',
};
