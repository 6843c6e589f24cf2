import { conformance, conformanceElsewhere } from './conformance.ts';
import { onNode } from './mounts.ts';

conformance('node', onNode('/v1'));
conformanceElsewhere('node, below a prefix', onNode('/api/v1', '/api/v1'));
