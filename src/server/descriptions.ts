import type { Descriptions } from '../validation/describe-fields.ts';

export const serverDescriptions: Descriptions = {
  object: 'Kind of this object; constant.',
  type: 'Kind of this object; its other fields depend on it.',
  error: 'Why the request failed.',
  'error.message': 'Human-readable reason; the wording may change.',
  'error.type': 'Group of the error, such as `invalid_request_error` or `server_error`.',
  'error.code': "Machine-readable reason: one of the endpoint's codes.",
  'error.param': 'Path of the invalid field, such as `messages[0].role`, if any; else `null`.',
  model: 'Id of the model that answered.',
  usage: 'Tokens used by the request.',
  total_tokens: 'Tokens of input and output together.',
  'path.model_id': 'Id of a model, as `GET /v1/models` lists it.',

  'ModelList.data': 'All configured models, loaded or not.',
  'model/id': 'Name of the model in requests.',
  'model/created': 'Unix time in seconds of the model files; 0 if unknown.',
  'model/name': 'Display name of the model; default: its id.',
  category: 'Kind of the model, such as `chat`; `unknown` if it must be loaded to find out.',
  'model/state':
    '`ready` accepts requests immediately, `unloaded` loads on the next request; absent if the service reports no states.',
  'progress.phase': 'Files are downloaded, then verified, then opened; a phase may be skipped.',
  model_id: 'Id of the model.',
  model_name: 'Display name of the model.',
  'ModelParameters.parameters':
    'Type, bounds, default and description of each parameter, by name in requests.',
  'parameters.type': 'Type of the value.',
  'parameters.min': 'Minimum, if any.',
  'parameters.max': 'Maximum, if any.',
  'parameters.default': 'Default value, if any.',
  'parameters.step': 'Step for form controls, such as a slider, if any.',
  'parameters.section': 'Section of a form: `advanced` may be hidden.',
  'parameters.description': 'Description of the parameter.',
};
