import { expect, it } from 'vitest';
import type { Frame } from '../../../src/console/pages/layout.ts';
import { consoleWords } from '../../../src/console/pages/page-words.ts';
import { remediesOffer } from '../../../src/console/pages/remedies.ts';
import type { Remedy } from '../../../src/domain/failures/paybatch-error.ts';

const frame: Frame = {
  mode: 'sandbox',
  unprovenKey: null,
  place: 'the built-in sandbox',
  viewer: 'amina',
  hasUsers: false,
  may: () => true,
  csrf: 'token',
  isForTrying: true,
  folders: [],
  address: '/',
  kept: null,
};

it('offers once what helps in two ways', () => {
  const remedies: readonly Remedy[] = [
    { action: 'set', oneOf: [{ setting: 'mapping' }] },
    { action: 'mapping', file: 'people.csv', effect: 'asks how its values are written' },
    { action: 'again' },
  ];
  const offered = remediesOffer(frame, remedies, { upload: 'u' }, consoleWords)?.text ?? '';
  expect(offered.match(/Say how the file is read/g)).toHaveLength(1);
  expect(offered).toContain('href="/uploads/u/mapping"');
  expect(offered).toContain('What helps: try again.');
});
