// An Express service with its own routes and body parser, and the /v1 API mounted in it.
import express from 'express';
import { chat, createHandler, createInference } from 'slashv1';
import { toExpress } from 'slashv1/express';

const inference = createInference({ models: { 'tiny-chat': chat({ source: 'tiny-chat' }) } });
const handler = createHandler(inference, {
  auth: { keys: [process.env['SLASHV1_API_KEY'] ?? 'sk-example'] },
});

const app = express();
// Before express.json(), whose limit of 100 kB would apply otherwise.
app.use('/v1', toExpress(handler));
app.use(express.json());
app.get('/', (_request, response) => {
  response.send('An Express service with inference at /v1');
});

const server = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', (error) => {
  if (error) throw error;
  console.log(`Listening on ${JSON.stringify(server.address())}`);
});

process.once('SIGTERM', async () => {
  server.close();
  await inference.close();
});
