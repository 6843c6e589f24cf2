// A Fastify service with its own routes, and the /v1 API registered below a prefix.
import Fastify from 'fastify';
import { chat, createHandler, createInference } from 'slashv1';
import { toFastify } from 'slashv1/fastify';

const inference = createInference({ models: { 'tiny-chat': chat({ source: 'tiny-chat' }) } });
const handler = createHandler(inference, {
  auth: { keys: [process.env['SLASHV1_API_KEY'] ?? 'sk-example'] },
});

const app = Fastify();
app.get('/', () => ({ service: 'A Fastify service with inference at /v1' }));
await app.register(toFastify(handler), { prefix: '/v1' });
app.addHook('onClose', () => inference.close());

await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' });
console.log(`Listening on ${JSON.stringify(app.server.address())}`);

process.once('SIGTERM', () => app.close());
