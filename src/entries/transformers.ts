export { transformers } from '../backends/transformers/backend.ts';
export type { TransformersBackend } from '../backends/transformers/settings.ts';
