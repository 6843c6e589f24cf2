import type { Decoder, DecoderCache } from '../../../../contracts/decoder.ts';
import { GridPositions } from './grid-positions.ts';
import type { PictureTable } from './picture-table.ts';
import type { TokenEmbedder } from './token-embedder.ts';

/** A decoder whose graph takes embeddings, as one that takes tokens and the ids of pictures' rows. */
export function createEmbeddingDecoder(
  inner: Decoder,
  embedder: TokenEmbedder,
  pictures: Pick<PictureTable, 'find'>,
): Decoder {
  const grid = inner.hasGridPositions ? new GridPositions(pictures) : undefined;
  return {
    vocabularySize: inner.vocabularySize,
    ragged: inner.ragged,
    raggedPrompts: inner.raggedPrompts,
    cutsSequences: inner.cutsSequences ?? true,
    pieceTokens: inner.pieceTokens,
    createCache: (rows, room) => inner.createCache(rows, room),
    async gather(rows, replaced, room) {
      // A cache that is replaced may become the new one.
      const gathered = await inner.gather(rows, replaced, room);
      grid?.gather(rows, gathered);
      return gathered;
    },
    async forward(cache, tokens, count, counts) {
      const embedded = await embedder.embed(tokens);
      const positions = grid?.next(cache, tokens, count, counts);
      return inner.forward(cache, tokens, count, counts, { ...embedded, ...(positions && { positions }) });
    },
    ...(inner.forwardAll && {
      async forwardAll(cache: DecoderCache, tokens: Int32Array) {
        const embedded = await embedder.embed(tokens);
        const positions = grid?.next(cache, tokens, tokens.length, undefined);
        return inner.forwardAll!(cache, tokens, { ...embedded, ...(positions && { positions }) });
      },
    }),
    interrupt: () => inner.interrupt?.(),
    async release() {
      await inner.release();
      await embedder.release();
    },
  };
}
