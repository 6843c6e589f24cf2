import type { Size } from '../box.ts';
import {
  cropped,
  readFilter,
  readNormalization,
  readNumber,
  readObject,
  resized,
  symmetricNormalization,
  toPlanesInto,
  type Picture,
  type VisionConfig,
  type VisionFamily,
} from './family.ts';

const maxSide = 4096;
const token = '<image>';
const around = '<fake_token_around_image>';
const whole = '<global-img>';

/**
 * Idefics 3 and SmolVLM: a picture is split into square tiles, followed by the whole picture.
 * @see https://huggingface.co/docs/transformers/model_doc/idefics3
 */
export function createIdefics3({ config, preprocessor }: VisionConfig): VisionFamily {
  const filter = readFilter(preprocessor, 'lanczos');
  const normalization = readNormalization(preprocessor, symmetricNormalization);
  const longest = readNumber(readObject(preprocessor, 'size'), 'longest_edge', 4 * 364);
  const side = readNumber(readObject(preprocessor, 'max_image_size'), 'longest_edge', 364);
  const splits = preprocessor['do_image_splitting'] !== false;
  const vision = readObject(config, 'vision_config');
  const patches = readNumber(vision, 'image_size', side) / readNumber(vision, 'patch_size', 14);
  const length = Math.floor((patches / readNumber(config, 'scale_factor', 2)) ** 2);
  const tokens = token.repeat(length);
  return {
    placeholder: token,
    pictureToken: token,
    prepare(picture) {
      const first = resized(picture, firstSize(picture, longest), filter);
      const { tiles, rows, columns } = splits
        ? cut(resized(first, wholeTiles(first, side), filter))
        : { tiles: [square(first)], rows: 0, columns: 0 };
      const count = tiles.length;
      const area = 3 * side * side;
      const values = new Float32Array(count * area);
      for (const [index, tile] of tiles.entries())
        toPlanesInto(values.subarray(index * area, (index + 1) * area), tile, normalization);
      return {
        inputs: {
          pixel_values: { type: 'float32', dims: [1, count, 3, side, side], data: values },
          pixel_attention_mask: {
            type: 'bool',
            dims: [1, count, side, side],
            data: new Uint8Array(count * side * side).fill(1),
          },
        },
        text: textOf(rows, columns),
        length: count * length,
      };
    },
  };

  function square(picture: Picture): Picture {
    return resized(picture, { width: side, height: side }, filter);
  }

  /** Tiles row by row, then the whole picture; a single tile only once. */
  function cut(picture: Picture): { tiles: readonly Picture[]; rows: number; columns: number } {
    const [rows, columns] = [picture.height / side, picture.width / side];
    if (rows === 1 && columns === 1) return { tiles: [picture], rows: 0, columns: 0 };
    const tiles = Array.from({ length: rows * columns }, (_, index) =>
      cropped(picture, {
        left: (index % columns) * side,
        top: Math.floor(index / columns) * side,
        width: side,
        height: side,
      }),
    );
    return { tiles: [...tiles, square(picture)], rows, columns };
  }

  function textOf(rows: number, columns: number): string {
    let text = '';
    for (let row = 1; row <= rows; row++) {
      for (let column = 1; column <= columns; column++)
        text += `${around}<row_${row}_col_${column}>${tokens}`;
      text += '\n';
    }
    return `${text}${rows > 0 ? '\n' : ''}${around}${whole}${tokens}${around}`;
  }
}

/** Scales the longer side to `longest` and makes the shorter one even. */
function firstSize(size: Size, longest: number): Size {
  const even = (side: number): number => Math.max(1, Math.trunc(side) + (Math.trunc(side) % 2));
  const first = proportional(size, longest, even);
  const isTooLarge = Math.max(first.width, first.height) > maxSide;
  return isTooLarge ? proportional(first, maxSide, (side) => Math.max(1, Math.trunc(side))) : first;
}

/** Rounds both sides up to whole tiles. */
function wholeTiles(size: Size, side: number): Size {
  const up = (length: number): number => Math.ceil(length / side) * side;
  return proportional(size, up(Math.max(size.width, size.height)), (length) => up(Math.trunc(length)));
}

/** A size with the same aspect ratio, by its longer side; the shorter side is rounded. */
function proportional({ width, height }: Size, longer: number, round: (side: number) => number): Size {
  const ratio = width / height;
  return width >= height
    ? { width: longer, height: round(longer / ratio) }
    : { width: round(longer * ratio), height: longer };
}
