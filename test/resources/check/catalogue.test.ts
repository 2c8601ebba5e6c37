import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CodeDescription, catalogue } from '../../../src/resources/check/catalogue.ts';

const documentPath = new URL('../../../docs/findings.md', import.meta.url);

function render(): string {
  const sections = Object.entries<CodeDescription>(catalogue).map(
    ([code, { meaning, example, cure }]) =>
      `## \`${code}\`\n\n${meaning}\n\n- Example: ${example}\n- Cure: ${cure}\n`,
  );
  const introduction = `# Findings

What validation may say about a row. The code stands in \`result_code\` and in \`NAME.findings.csv\`; it is public and
stable. Every finding makes its row \`invalid\`, so that it is not sent, unless the meaning says that the row is held.
The message beside it names what was found and what would be right.

This page is written from the catalogue in the code; a test compares the two, and with \`UPDATE_DOCS=1\` writes it anew.
`;
  return [introduction, ...sections].join('\n');
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
