import { conformance } from './conformance.ts';
import { onFetch } from './mounts.ts';

conformance('fetch', onFetch('/v1'));
conformance('fetch, below a prefix', onFetch('/api/v1', '/api/v1'));
