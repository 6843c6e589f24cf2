import { conformance } from './conformance.ts';
import { onNode } from './mounts.ts';

conformance('node', onNode('/v1'));
conformance('node, below a prefix', onNode('/api/v1', '/api/v1'));
