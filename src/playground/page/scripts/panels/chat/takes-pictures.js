/** @typedef {import('../workspace.js').Model} Model */

/** @param {Model} model */
export function takesPictures({ input_modalities: modalities }) {
  return modalities?.includes('image') === true;
}

/** Models on other machines, and those that are not loaded yet, don't say so. @param {Model} model */
export function mayTakePictures(model) {
  return model.input_modalities === undefined || takesPictures(model);
}
