import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/stability.md');
const workflow = read('.github/workflows/ci.yml');
const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };

const promised = (row: string): string[] => {
  const [, cell] = new RegExp(`^\\| ${row} +\\| ([^|]+?) +\\|$`, 'm').exec(page)!;
  return cell!.split(', ');
};
const tested = (name: string): string[] => {
  const [, list] = new RegExp(`^ +${name}: \\[(.+)\\]$`, 'm').exec(workflow)!;
  return list!.split(', ');
};

it.each([
  ['Node', 'node'],
  ['systems', 'os'],
])('the matrix promises the %s that CI tests', (row, name) => {
  expect(promised(row)).toEqual(tested(name));
});

it('the oldest Node of the matrix is the oldest that the package takes', () => {
  const [oldest] = promised('Node, on ubuntu-latest alone');
  expect(workflow).toContain(`include: [{ os: ubuntu-latest, node: ${oldest} }]`);
  expect(engines.node).toMatch(new RegExp(`^>=${oldest}\\.`));
});

it('the bare system of the matrix has a job', () => {
  const [image] = promised('a bare system, with Node and npm alone');
  expect(workflow).toContain(`container: ${image}`);
});
