import { expect, it } from 'vitest';
import { pageForms } from '../../../src/console/pages/parts.ts';
import { tableOf } from '../../../src/output/report/page.ts';
import { planSections } from '../../../src/output/report/plan.ts';

const totals = {
  send: [],
  skip: [{ status: 'invalid', code: 'invalid_phone', rows: 1, firstRow: 2 }],
} as const;

it('has codes in reports, where the documentation explains them, and words on pages', () => {
  const shown = (sections: ReturnType<typeof planSections>): string =>
    sections.map((section) => tableOf(section).text).join('');
  expect(shown(planSections(totals))).toContain('invalid_<wbr>phone');
  expect(shown(planSections(totals, pageForms))).toContain('>invalid phone<');
});
