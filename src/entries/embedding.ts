export { decodeFloat32, encodeFloat32 } from '../core/embedding/base64.ts';
export { partitionByLength, type BatchLimits } from '../core/embedding/batching.ts';
export { assertDimensions, truncateVector, type VectorSizes } from '../core/embedding/dimensions.ts';
export { normalizeInPlace } from '../core/embedding/normalize.ts';
export { pool, type PoolingMode, type TokenSpan } from '../core/embedding/pooling.ts';
export { embeddingParameters, type EmbeddingParameters } from '../categories/embedding/parameters.ts';
