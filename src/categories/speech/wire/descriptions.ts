import type { Descriptions } from '../../../validation/describe-fields.ts';

export const speechDescriptions: Descriptions = {
  'SpeechEvent.type': 'Kind of the event.',
  words: 'The next words of the text, with their times.',
  input_tokens: 'Always 0.',
  output_tokens: 'Always 0.',
  total_tokens: 'Always 0.',
  voices: 'Voices of all speech models.',
  'voices.id': 'Id of the voice, for `voice` of a request.',
  'voices.name': 'Name of the voice for people.',
  model: 'Id of the model that has the voice.',
  'aliases.id': 'Name of a voice that a client knows, such as `alloy`.',
  voice: 'Id of the voice that it means here.',
};
