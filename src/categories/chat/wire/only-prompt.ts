import { renameFields } from '../../../validation/rename-fields.ts';

/** Makes an error about the one prompt of a request name the field that the prompt came from. */
export function onlyPromptAs(place: string): (thrown: unknown) => unknown {
  return (thrown) => renameFields(thrown, (field) => field.replace(/^prompt\[0\]/, place));
}
