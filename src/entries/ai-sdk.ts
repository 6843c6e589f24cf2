export { createSlashv1, type Slashv1Options, type Slashv1Provider } from '../ai-sdk/create-slashv1.ts';
