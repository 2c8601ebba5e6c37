import { expect, it } from 'vitest';
import { withoutFolders } from '../../../src/console/pages/page-words.ts';

const folders = [
  { path: '/srv/pay', name: 'the folder of the ledger' },
  { path: '/srv/pay-uploads', name: 'the folder of uploads' },
  { path: '/srv/pay/out (1)', name: 'the folder of results' },
];

it.each([
  ['no room to write /srv/pay/out (1)/people.run.jsonl.', 'no room to write people.run.jsonl.'],
  ['/srv/pay-uploads/1f/1/my list.csv cannot be read', 'my list.csv cannot be read'],
  ['You may not write "/srv/pay/out (1)".', 'You may not write "the folder of results".'],
  ['mkdir /srv/pay/base (ENOSPC)', 'mkdir base (ENOSPC)'],
  ['/srv/pay and /srv/pay-uploads', 'the folder of the ledger and the folder of uploads'],
  ['/srv/payments/x stays', '/srv/payments/x stays'],
])('shows %j without its folder', (text, told) => {
  expect(withoutFolders(text, folders)).toBe(told);
});
