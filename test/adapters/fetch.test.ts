import { conformance, conformanceElsewhere } from './conformance.ts';
import { onFetch } from './mounts.ts';

conformance('fetch', onFetch('/v1'));
conformanceElsewhere('fetch, below a prefix', onFetch('/api/v1', '/api/v1'));
