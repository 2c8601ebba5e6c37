import { describe, expect, it } from 'vitest';
import { commandStepNames, rowRemedyText } from '../../../src/account/words/row-words.ts';
import { pageStepNames } from '../../../src/console/pages/page-words.ts';
import {
  decidedReasons,
  matchStates,
  type RowRemedy,
  type UnclearState,
} from '../../../src/domain/rows/row-state.ts';

const unclear = matchStates.filter(
  (state): state is UnclearState =>
    !['matched', 'matched_within_tolerance', 'expected', 'not_covered'].includes(state),
);

const remedies: readonly RowRemedy[] = [
  { action: 'ask_provider' },
  { action: 'resume_interrupted' },
  { action: 'resume', needsOwnApiKey: true, runsOutAt: '2026-11-20T10:03:00.000Z' },
  { action: 'resume', needsOwnApiKey: false, runsOutAt: null },
  ...[...decidedReasons, null].map((reason): RowRemedy => ({ action: 'decide', reason })),
  { action: 'confirm_found', id: 'o-1' },
  { action: 'resolve_as_created', row: 7, id: 'o-1' },
  { action: 'resolve_as_not_created', row: 7 },
  { action: 'find_id', row: 7 },
  ...unclear.map((state): RowRemedy => ({ action: 'look_into', state })),
];

/** What only somebody at a terminal does by these names. */
const commandWords = /\b(?:resume|resolve|not-created|in the failed file)\b/;

describe('what can be done about a row', () => {
  it.each(remedies)('is shown on a page without the names of commands: %o', (remedy) => {
    expect(rowRemedyText(remedy, pageStepNames)).not.toMatch(commandWords);
    expect(rowRemedyText(remedy, commandStepNames)).not.toContain('undefined');
  });

  it('names verdicts and steps as each way in does', () => {
    const both = (remedy: RowRemedy) =>
      [commandStepNames, pageStepNames].map((names) => rowRemedyText(remedy, names));
    expect(both({ action: 'decide', reason: 'differs_from_created' })).toEqual([
      'existing if the earlier object stands, send if this is another one',
      '"An earlier object stands for it" if the earlier object stands, "Send it all the same" if this is another one',
    ]);
    expect(both({ action: 'resolve_as_created', row: 7, id: 'o-1' })).toEqual([
      'resolve row 7 as created with the id o-1',
      'decide about row 7: "It was created" with the id o-1',
    ]);
    expect(both({ action: 'look_into', state: 'missing_there' })[1]).toContain('do not send it again');
  });
});
