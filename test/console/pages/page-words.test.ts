import { describe, expect, it } from 'vitest';
import { stepText } from '../../../src/account/next-steps.ts';
import { consoleWords, pageText } from '../../../src/console/pages/page-words.ts';
import type { Remedy } from '../../../src/domain/failures/paybatch-error.ts';
import { allSettings } from '../../../src/domain/settings/definitions.ts';
import { requestParts, say } from '../../../src/domain/settings/message.ts';
import { machineSettingNames } from '../../../src/domain/settings/setting.ts';
import { sampleAccount } from '../../support/accounts.ts';

const everySetting = [...allSettings.map(({ name }) => name), ...machineSettingNames, ...requestParts];

describe('a sentence on a page', () => {
  it.each(everySetting)('says what %s is, and not how programs call it', (setting) => {
    const said = pageText(say`${{ setting }} counts, and ${{ setting }} too.`);
    expect(said).not.toMatch(/\bsetting [a-z`]|\b[a-z]+[A-Z]/);
    expect(said).toMatch(/^(The|How) .* counts, and (the|how) .* too\.$/);
  });

  it('does not name the built-in sandbox by its number', () => {
    const origin = 'local-sandbox:8644d525-361c-49c7-b3ff-4e22596667b5';
    expect(pageText(say`sandbox at ${{ origin }} answers`)).toBe('sandbox at the built-in sandbox answers');
  });

  it('leaves names unchanged that are no setting of paybatch', () => {
    const named = 'the setting maxInvalid, which somebody has written into a note';
    expect(pageText(named)).toBe(named);
  });
});

describe('what helps, for somebody who clicks', () => {
  it.each<readonly [Remedy, string]>([
    [{ action: 'again' }, 'try again'],
    [
      { action: 'set', oneOf: [{ setting: 'hidden', value: 'skip' }] },
      'choose that hidden rows are left out',
    ],
    [
      { action: 'set', purpose: 'name a server', oneOf: [{ setting: 'databaseUrl' }] },
      'name a server: the operator of paybatch sets the configuration of the database',
    ],
    [
      { action: 'check', settings: ['baseUrl'], remark: 'redirects are never followed' },
      'the operator of paybatch checks the address of the API (redirects are never followed)',
    ],
    [
      { action: 'leave_out', settings: [{ setting: 'join' }] },
      'the operator of paybatch leaves out the choice to join other runs',
    ],
    [
      {
        action: 'advice',
        text: say`correct ${{ setting: 'databaseUrl' }}`,
        next: { action: 'doctor' },
      },
      'correct the configuration of the database, then the page "Checks"',
    ],
  ])('%j', (remedy, text) => {
    expect(consoleWords.remedy(remedy)).toBe(text);
  });

  it('is never to type a command, or to find a file that only the command line writes', () => {
    const files = { results: null, failed: 'results/people.failed.csv', log: null, report: null };
    const doubt = {
      oldestSentAt: '2026-11-01T00:00:00Z',
      oldestRunsOutAt: '2026-11-02T00:00:00Z',
      nextRunsOutAt: null,
      expired: 1,
      unsettled: 1,
    };
    const counts = { not_sent: 3, unknown: 2, held: 1, waiting: 4, rejected: 5, invalid: 6 };
    const closing = { by: 'amina', at: '2026-11-01T00:00:00Z', note: 'wrong month' };
    const steps = [
      ...sampleAccount({ counts, doubt, contradicted: 1, unrecorded: 1 }, { files }).next,
      ...sampleAccount({ counts, closing }, { files }).next,
    ];
    const texts = steps.map((step) => stepText(step, true));
    expect(texts.length).toBeGreaterThan(7);
    expect(texts.filter((text) => /\bimport\b|resume|verdicts|save it/.test(text))).toEqual([]);
  });
});
