import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FindingCode } from '../../../src/kinds/fields/finding-codes.ts';
import { expectDocument } from '../../support/written-document.ts';

const catalogue: Readonly<Record<FindingCode, string>> = JSON.parse(
  readFileSync(new URL('../../../src/kinds/fields/finding-codes.json', import.meta.url), 'utf8'),
);

function render(): string {
  const lines = Object.entries(catalogue).map(([code, meaning]) => `- \`${code}\`: ${meaning}\n`);
  return `# Findings

The codes in \`result_code\` and \`NAME.findings.csv\`, public and stable. A finding makes its row \`invalid\`, unless it says
\`held\`. \`validate\` also writes \`NAME.findings.xlsx\` and \`NAME.report.html\`.

\`--rules FILE\` changes what is required or allowed, by kind or payee type and column
([schema](rules.schema.json)): \`{"customers": {"phone": {"required": true}, "type": {"allowed": ["business"]}}}\`.

${lines.join('')}`;
}

describe('docs/findings.md', () => {
  it('says what the catalogue says', () => {
    expectDocument('findings.md', render());
  });

  it.each([
    'conflicting_duplicate',
    'differs_from_created',
    'unknown_elsewhere',
    'institution_unverifiable',
    'file_may_be_cut',
    'required',
  ])('lists %s', (code) => {
    expect(Object.keys(catalogue)).toContain(code);
  });
});
