import express from 'express';
// Without types of its own; what is used of it here is alike.
// @ts-expect-error
import express4 from 'express4';

import { toExpress } from '../../dist/adapters/express.js';
import { conformance, conformanceElsewhere } from './conformance.ts';
import { onExpress } from './mounts.ts';

conformance(
  'express at /v1',
  onExpress('/v1', '/v1', (app, handler) => app.use('/v1', toExpress(handler))),
);
conformanceElsewhere(
  'express at the root',
  onExpress('/v1', undefined, (app, handler) => app.use(toExpress(handler))),
);
conformanceElsewhere(
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
conformanceElsewhere(
  'express 4 at /v1',
  onExpress('/v1', '/v1', (app, handler) => app.use('/v1', toExpress(handler)), express4 as typeof express),
);
conformanceElsewhere(
  'express 4 after express.json()',
  onExpress(
    '/v1',
    '/v1',
    (app, handler) => app.use((express4 as typeof express).json()).use('/v1', toExpress(handler)),
    express4 as typeof express,
  ),
  { 'malformed JSON': "the host's parser answers", 'a large body': "the host's parser answers" },
);
