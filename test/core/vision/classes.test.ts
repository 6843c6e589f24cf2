import { describe, expect, it } from 'vitest';
import { selectClasses } from '../../../src/core/vision/class-filter.ts';
import { parseClassNames, toClassNames } from '../../../src/core/vision/class-names.ts';

const names = ['person', 'traffic light', 'cup, mug', 'cup', '7', 'Person'];

describe('selectClasses', () => {
  it.each([
    ['person', [0, 5]],
    ['PERSON', [0, 5]],
    [' traffic   light ', [1]],
    ['cup', [3]],
    ['cup, mug', [2]],
    ['cup,mug', []],
    ['person,cup, mug,cup', [0, 2, 3, 5]],
    ['1', [1]],
    ['0, 3', [0, 3]],
    ['7', [4]],
    ['person,,', [0, 5]],
  ])('%j', (classes, expected) => {
    if (expected.length === 0) return expect(() => selectClasses(classes, names)).toThrow(/"mug"/);
    const mask = selectClasses(classes, names);
    expect([...mask.keys()].filter((id) => mask[id] === 1)).toEqual(expected);
  });

  it.each(['', ' ', ',', 'dog', '6', '-1', '1.5', 'person dog', 'person,dog'])('refuses %j', (classes) => {
    expect(() => selectClasses(classes, names)).toThrow(
      /^classes: .*person, traffic light, cup, mug, cup, 7, Person \(ids 0 to 5\)$/,
    );
  });

  it('lists some of many', () => {
    const many = Array.from({ length: 80 }, (_, id) => `class_${id}`);
    expect(() => selectClasses('dog', many)).toThrow(/class_9 and 70 more \(ids 0 to 79\)$/);
  });
});

describe('parseClassNames', () => {
  it.each([
    ["{0: 'person', 1: 'bicycle'}", ['person', 'bicycle']],
    ["{0: \"driver's seat\", 2: 'it\\'s'}", ["driver's seat", 'class_1', "it's"]],
    ['{"0": "cat", "1": "dog"}', ['cat', 'dog']],
    ["{'0': 'cat'}", ['cat']],
    ["['red, blue', 'b']", ['red, blue', 'b']],
    ['["a"]', ['a']],
    ['', []],
    ['{}', []],
  ])('%s', (text, expected) => {
    expect(parseClassNames(text)).toEqual(expected);
  });
});

describe('toClassNames', () => {
  it('leaves out what is no id', () => {
    expect(
      toClassNames([
        [NaN, 'a'],
        [-1, 'b'],
        [1e9, 'c'],
        [0, 'd'],
      ]),
    ).toEqual(['d']);
    expect(toClassNames([])).toEqual([]);
  });
});
