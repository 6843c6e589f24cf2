/** @typedef {import('../workspace.js').Model} Model */

/** @param {Model} model */
export function takesPictures({ input_modalities: modalities }) {
  return modalities?.includes('image') === true;
}

/** Unknown for remote and unloaded models. @param {Model} model */
export function mayTakePictures(model) {
  return model.input_modalities === undefined || takesPictures(model);
}
