import { expect, it } from 'vitest';
import { actions, figure, tableMark } from '../../src/account/table.ts';

it('has no header cell over a column whose title is not shown, such as over buttons', () => {
  const { text } = tableMark({
    title: 'To be sent',
    columns: [figure('Rows'), actions],
    rows: [[1, 'Look at it']],
  });
  expect(text).toContain('<th scope="col" class="number">Rows</th><td></td>');
});
