import { chat, createHandler, createInference } from 'slashv1';
import { toFetch } from 'slashv1/fetch';

/** Kept outside of the module, which the development server loads again and again. @type {any} */
const kept = globalThis;
kept.inference ??= createInference({ models: { 'tiny-chat': chat({ source: 'tiny-chat' }) } });

const answer = toFetch(
  createHandler(kept.inference, { auth: { keys: [process.env['API_KEY'] ?? 'sk-local'] } }),
);

export { answer as GET, answer as POST };
export const runtime = 'nodejs';
export const maxDuration = 300;
