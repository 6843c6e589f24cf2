import type { Descriptions } from '../../../validation/describe-fields.ts';

export const imageDescriptions: Descriptions = {
  stream_options: 'Settings of a stream; only with `stream`.',
  data: 'The images, `n` in number.',
  'ImageEvent.type': 'Kind of the event.',
  steps: 'Number of steps of an image.',
  output_format: 'Format of the picture.',
  background: 'Images have no transparency.',
  quality: 'There is only one quality: `steps` sets it.',
  input_tokens: 'Always 0.',
  input_tokens_details: 'Parts of `input_tokens`.',
  output_tokens: 'Always 0.',
  total_tokens: 'Always 0.',
  image_tokens: 'Always 0.',
  text_tokens: 'Always 0.',
};
