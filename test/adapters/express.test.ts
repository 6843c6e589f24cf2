import express from 'express';

import { toExpress } from '../../dist/adapters/express.js';
import { conformance } from './conformance.ts';
import { onExpress } from './mounts.ts';

conformance(
  'express at /v1',
  onExpress('/v1', '/v1', (app, handler) => app.use('/v1', toExpress(handler))),
);
conformance(
  'express at the root',
  onExpress('/v1', undefined, (app, handler) => app.use(toExpress(handler))),
);
conformance(
  'express in a router below a prefix',
  onExpress('/api/v1', '/api/v1', (app, handler) =>
    app.use('/api', express.Router().use('/v1', toExpress(handler))),
  ),
);
conformance(
  'express after express.json()',
  onExpress('/v1', '/v1', (app, handler) => app.use(express.json()).use('/v1', toExpress(handler))),
  { 'malformed JSON': "the host's parser answers", 'a large body': "the host's parser answers" },
);
