/** Both coordinates of each step of a path. */
export interface WarpingPath {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

const diagonal = 0;
const down = 1;
const right = 2;

/**
 * The cheapest path through a matrix of costs, from its first to its last entry, that never goes back.
 * @param costs `[rows × columns]`
 */
export function dynamicTimeWarping(
  costs: ArrayLike<number>,
  { rows, columns }: { readonly rows: number; readonly columns: number },
): WarpingPath {
  const moves = new Uint8Array(rows * columns);
  let above = new Float64Array(columns + 1).fill(Infinity);
  let current = new Float64Array(columns + 1);
  above[0] = 0;
  for (let row = 0; row < rows; row++) {
    current[0] = Infinity;
    for (let column = 0; column < columns; column++) {
      const fromDiagonal = above[column]!;
      const fromAbove = above[column + 1]!;
      const fromLeft = current[column]!;
      const move =
        fromDiagonal < fromAbove && fromDiagonal < fromLeft
          ? diagonal
          : fromAbove < fromDiagonal && fromAbove < fromLeft
            ? down
            : right;
      const cost = move === diagonal ? fromDiagonal : move === down ? fromAbove : fromLeft;
      current[column + 1] = costs[row * columns + column]! + cost;
      moves[row * columns + column] = move;
    }
    [above, current] = [current, above];
  }
  return trace(moves, rows, columns);
}

function trace(moves: Uint8Array, rows: number, columns: number): WarpingPath {
  const path = { rows: [] as number[], columns: [] as number[] };
  let row = rows - 1;
  let column = columns - 1;
  while (row >= 0 && column >= 0) {
    path.rows.push(row);
    path.columns.push(column);
    const move = row === 0 ? right : column === 0 ? down : moves[row * columns + column]!;
    if (row === 0 && column === 0) break;
    if (move !== right) row--;
    if (move !== down) column--;
  }
  path.rows.reverse();
  path.columns.reverse();
  return path;
}
