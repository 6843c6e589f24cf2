import type { Instruction, Part } from './program.ts';

export function classOf(set: string): Part {
  return { set, mayBeEmpty: false, emit: (program) => program.addClass('takeOne', set) };
}

export function sequence(...parts: readonly Part[]): Part {
  if (parts.length === 1) return parts[0]!;
  return {
    mayBeEmpty: parts.every((part) => part.mayBeEmpty),
    emit(program, context) {
      for (const part of context.isBack ? parts.toReversed() : parts) program.emit(part, context);
    },
  };
}

/** The first part that leads to a match. */
export function choice(...parts: readonly Part[]): Part {
  if (parts.length === 1) return parts[0]!;
  return {
    mayBeEmpty: parts.some((part) => part.mayBeEmpty),
    emit(program, context) {
      const jumps = parts.slice(0, -1).map((part) => {
        const fork = program.addChoice('fork', context, { target: program.end + 1 });
        program.emit(part, context);
        const jump = program.add('jump');
        fork.other = program.end;
        return jump;
      });
      program.emit(parts.at(-1)!, context);
      for (const jump of jumps) jump.target = program.end;
    },
  };
}

/** Minimum and maximum repetitions, and whether the maximum is tried first, last, or exclusively. */
export interface Repetition {
  readonly min: number;
  readonly max: number;
  readonly mode: 'greedy' | 'lazy' | 'possessive';
}

export function repeat(part: Part, { min, max, mode }: Repetition): Part {
  const { set } = part;
  if (mode === 'possessive' && set === undefined) return atomic(repeat(part, { min, max, mode: 'greedy' }));
  const [enter, leave] = mode === 'lazy' ? (['other', 'target'] as const) : (['target', 'other'] as const);
  const isRun = max === Infinity && set !== undefined && mode !== 'lazy';
  const isLoop = max === Infinity && !isRun;
  const copies = isRun ? min : isLoop ? Math.max(1, min) : max;
  return {
    mayBeEmpty: min === 0 || part.mayBeEmpty,
    emit(program, context) {
      const options: Instruction[] = [];
      const addOption = (start: number, repeats: boolean): void => {
        const option = program.addChoice(mode === 'possessive' ? 'either' : 'fork', context, {
          isLoop: repeats,
        });
        option[enter] = start;
        options.push(option);
      };
      let last = 0;
      for (let copy = 0; copy < copies; copy++) {
        if (copy >= min) addOption(program.end + 1, false);
        last = program.end;
        program.emit(part, context);
      }
      if (isRun)
        program.addChoice(mode === 'greedy' ? 'takeMost' : 'takeAll', context, { set: program.indexOf(set) });
      if (isLoop) addOption(last, true);
      for (const option of options) option[leave] = program.end;
    },
  };
}

/** A part that doesn't backtrack once it has matched. */
export function atomic(part: Part): Part {
  return {
    mayBeEmpty: part.mayBeEmpty,
    emit: (program, { isBack }) => program.addApart('commit', part, { isBack, isAsserted: false }),
  };
}

/** A lookahead or lookbehind assertion. */
export function look(part: Part, sign: '=' | '!' | '<=' | '<!'): Part {
  const isBehind = sign.startsWith('<');
  const isNegated = sign.endsWith('!');
  return {
    mayBeEmpty: true,
    emit(program, { isBack }) {
      if (part.set === undefined) {
        program.addApart('assert', part, { isBack: isBehind, isAsserted: true }, { isBehind, isNegated });
      } else if (isBack === isBehind) {
        program.addClass('lookAhead', part.set, { isNegated });
      } else {
        program.add('lookBack', { isNegated });
        program.addClass('takeOne', part.set);
      }
    },
  };
}
