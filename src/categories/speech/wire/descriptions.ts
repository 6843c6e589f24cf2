import type { Descriptions } from '../../../validation/describe-fields.ts';

export const speechDescriptions: Descriptions = {
  'SpeechEvent.type': 'Kind of the event.',
  words: 'The next words of the text, with their times.',
  input_tokens: 'Always 0.',
  output_tokens: 'Always 0.',
  total_tokens: 'Always 0.',
  voices: 'Voices of all speech models.',
  'voices.id': 'Id of the voice, for `voice` of a request.',
  'voices.name': 'Display name of the voice.',
  model: "Id of the voice's model.",
  'aliases.id': 'Voice name built into clients, such as `alloy`.',
  voice: 'Id of the voice used for it.',
};
