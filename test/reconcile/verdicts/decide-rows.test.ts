import { describe, expect, it } from 'vitest';
import {
  decide,
  type GivenVerdict,
  type ResolvableRow,
  type VerdictDecision,
} from '../../../src/reconcile/verdicts/decide-rows.ts';

function judge(given: Partial<GivenVerdict>, row: Partial<ResolvableRow> = {}): VerdictDecision | string {
  return decide(
    { row: 2, verdict: 'created', id: null, note: '', key: null, attempts: null, ...given },
    {
      state: 'unknown',
      resource: 'recipients/sepa',
      firstSentAt: '2026-01-01T00:00:00.000Z',
      code: null,
      otherObjectId: null,
      ...row,
    },
  );
}

describe('a verdict on a row', () => {
  it('is for unknown and held rows only', () => {
    for (const state of [
      'created',
      'existing',
      'staged',
      'ready',
      'sending',
      'rejected',
      'invalid',
    ] as const) {
      expect(judge({ verdict: 'send' }, { state })).toContain('only held and unknown rows');
    }
    expect(judge({ verdict: 'send' }, { state: 'held' })).toMatchObject({ fromState: 'held', to: 'staged' });
  });

  it('finds a row created only where it was sent, and only with an id', () => {
    expect(judge({ id: 'x' })).toMatchObject({ to: 'created', objectId: 'x' });
    expect(judge({})).toContain("needs the object's id");
    expect(judge({ id: 'x' }, { state: 'held', firstSentAt: null })).toContain('never sent');
  });

  it('rules an object out only where one may have been made', () => {
    expect(judge({ verdict: 'not-created' })).toMatchObject({ to: 'staged', objectId: null });
    expect(judge({ verdict: 'not-created' }, { state: 'held', firstSentAt: null })).toContain('never sent');
    expect(judge({ verdict: 'not-created', id: 'x' })).toContain('takes no id');
  });

  it('is refused for a row whose payee type is unknown', () => {
    for (const verdict of ['send', 'existing'] as const)
      expect(judge({ verdict }, { state: 'held', firstSentAt: null, resource: null })).toContain(
        'its payee type is not known yet',
      );
  });

  it('takes the id that is stated, and otherwise that of the other object', () => {
    const held = { state: 'held', firstSentAt: null } as const;
    expect(judge({ verdict: 'existing' }, { ...held, otherObjectId: 'o' })).toMatchObject({ objectId: 'o' });
    expect(judge({ verdict: 'existing', id: 'g' }, { ...held, otherObjectId: 'o' })).toMatchObject({
      to: 'existing',
      objectId: 'g',
    });
    expect(judge({ verdict: 'existing' }, held)).toContain('give the id');
  });
});
