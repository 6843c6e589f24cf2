import { chat, createHandler, createInference } from 'slashv1';
import { toFetch } from 'slashv1/fetch';

/** Kept outside this module, which `next dev` reloads. @type {any} */
const kept = globalThis;

function createAnswer() {
  kept.inference = createInference({ models: { 'tiny-chat': chat({ source: 'tiny-chat' }) } });
  return toFetch(
    createHandler(kept.inference, { auth: { keys: [process.env['SLASHV1_API_KEY'] ?? 'sk-local'] } }),
  );
}

/** @param {Request} request @returns {Promise<Response>} */
const answer = (request) => (kept.answer ??= createAnswer())(request);
export { answer as GET, answer as POST, answer as DELETE, answer as OPTIONS };
