import { expect, it } from 'vitest';
import { tableOf } from '../../../src/output/report/page.ts';

it('has no header cell over a column without a name, such as over buttons', () => {
  const { text } = tableOf({ title: 'To be sent', columns: ['Rows', ''], rows: [[1, 'Look at it']] });
  expect(text).toContain('<th scope="col" class="number">Rows</th><td></td>');
});
