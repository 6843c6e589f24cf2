import type { Descriptions } from '../../../validation/describe-fields.ts';

export const detectionDescriptions: Descriptions = {
  class_name: 'Name of the class, such as `dog`.',
  class_id: 'Number of the class in the model, from 0.',
  confidence: 'Score of the object, 0 to 1, with four decimals.',
  box: 'Corners of the object: `x1`, `y1` at the top left, `x2`, `y2` at the bottom right.',
  width: 'Width in pixels.',
  height: 'Height in pixels.',
};
