export { createSlashv1, type Slashv1Provider } from '../ai-sdk/create-slashv1.ts';
export type { Slashv1Options } from '../ai-sdk/call.ts';
