import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalogue } from '../../../src/resources/check/catalogue.ts';

const documentPath = new URL('../../../docs/findings.md', import.meta.url);

function render(): string {
  const lines = Object.entries(catalogue).map(([code, meaning]) => `| \`${code}\` | ${meaning} |\n`);
  return `# Findings

For whoever corrects rows: the codes in \`result_code\` and \`NAME.findings.csv\`, which are public and stable. A finding makes
its row \`invalid\`, unless it says that the row is held. The message beside it says what was found.
\`validate\` writes the same rows as a workbook, \`NAME.findings.xlsx\`, and a report, \`NAME.report.html\`.

| code | meaning, and what to do |
|---|---|
${lines.join('')}
For developers: this page is written from \`src/resources/check/catalogue.ts\`; a test compares the two, and writes it anew
with \`UPDATE_DOCS=1\`.
`;
}

describe('docs/findings.md', () => {
  it('says what the catalogue says', () => {
    if (process.env['UPDATE_DOCS'] === '1') writeFileSync(documentPath, render());
    expect(readFileSync(documentPath, 'utf8')).toBe(render());
  });

  it.each([
    'conflicting_duplicate',
    'differs_from_created',
    'unknown_elsewhere',
    'institution_unverifiable',
    'required',
  ])('lists %s', (code) => {
    expect(Object.keys(catalogue)).toContain(code);
  });
});
