export { llama } from '../backends/llama/backend.ts';
export type { LlamaBackend } from '../backends/llama/settings.ts';
