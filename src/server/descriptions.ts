import type { Descriptions } from '../validation/describe-fields.ts';

/** Fields of errors and models, and fields shared by all categories. */
export const serverDescriptions: Descriptions = {
  object: 'Kind of this object; the text is always the same.',
  type: 'Kind of this object; its other fields depend on it.',
  error: 'Why the request failed.',
  'error.message': 'The reason, for people; its wording may change.',
  'error.type': 'Group of the error, such as `invalid_request_error` or `server_error`.',
  'error.code': 'The reason, for programs: one of the codes of the endpoint.',
  'error.param': 'Path of the field at fault, such as `messages[0].role`; `null` if no field is.',
  model: 'Id of the model that answered.',
  usage: 'Tokens that the request has used.',
  total_tokens: 'Tokens that were read and written together.',
  'path.model_id': 'Id of a model, as `GET /v1/models` lists it.',

  'ModelList.data': 'All models that are configured, loaded or not.',
  'model/id': 'Name of the model in requests.',
  'model/created': "Unix time in seconds at which the model's files were made; 0 if that is not known.",
  'model/name': 'Name of the model for people; default: its id.',
  category: 'Kind of the model, such as `chat`; `unknown` if only loading the model can show it.',
  'model/state':
    '`ready` takes requests at once, `unloaded` loads at the first one; left out if the service tells no states.',
  'progress.phase':
    'Files are downloaded, then compared with their hashes, then opened; a phase may be skipped.',
  model_id: 'Id of the model.',
  model_name: 'Name of the model for people.',
  'ModelParameters.parameters':
    'Type, bounds, default and meaning of each parameter, by its name in requests.',
  'parameters.type': 'Type of the value.',
  'parameters.min': 'Least value; left out if the parameter has none.',
  'parameters.max': 'Greatest value; left out if the parameter has none.',
  'parameters.default': 'Value for requests that leave the parameter out; left out if it has none.',
  'parameters.step': 'Distance of values in a form, such as a slider; left out if the parameter has none.',
  'parameters.section': 'Part of a form: `advanced` may be hidden.',
  'parameters.description': 'Meaning of the parameter.',
};
