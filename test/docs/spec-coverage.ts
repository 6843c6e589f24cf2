/** A part of the specification with its sentences, in order. */
export interface SpecificationPart {
  readonly section: string;
  readonly sentences: readonly SpecificationSentence[];
}

/** A sentence or a row of a table, and what proves it. */
export interface SpecificationSentence {
  readonly text: string;
  /** `file > describe > title`, with a table's placeholders where all of its cases are meant. */
  readonly tests: readonly string[];
  /** What was decided where the specification leaves something open. */
  readonly note?: string;
}

/** The page about the specification as `docs/spec-coverage.json` has it. */
export function writeSpecCoveragePage(parts: readonly SpecificationPart[]): string {
  const sentences = parts.flatMap((part) => part.sentences);
  const tests = new Set(sentences.flatMap((sentence) => sentence.tests));
  let number = 0;
  const rows = (part: SpecificationPart): string =>
    part.sentences
      .map(({ text, tests: proofs, note }) => {
        number += 1;
        const said = note === undefined ? cell(text) : `${cell(text)}<br>_${cell(note)}_`;
        return `| ${number} | ${said} | ${proofs.map(linkOf).join('<br>')} |`;
      })
      .join('\n');
  return `# Coverage of the specification

This table lists every sentence of the "Inference API Specification" and every row of its tables, with the tests that prove it:
${sentences.length} sentences and rows, ${tests.size} tests. \`%s\`, \`%d\` and \`%j\` stand for all cases of a test that runs
over a table. Where the specification says "not shown", the tests prove the decision in italics.

${parts.map((part) => `## ${part.section}\n\n| | sentence or row | proved by |\n| --- | --- | --- |\n${rows(part)}`).join('\n\n')}
`;
}

function linkOf(test: string): string {
  const [file, ...titles] = test.split(' > ');
  return `[${titles.map(cell).join(' › ')}](../${file})`;
}

function cell(text: string): string {
  return text
    .replaceAll('|', String.raw`\|`)
    .replaceAll('[', String.raw`\[`)
    .replaceAll(']', String.raw`\]`);
}
