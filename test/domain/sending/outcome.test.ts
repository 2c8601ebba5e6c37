import { describe, expect, it } from 'vitest';
import { type Attempt, conclude, type Outcome } from '../../../src/domain/sending/outcome.ts';

const fresh = { isEarlierTryUnknown: false };
const doubtful = { isEarlierTryUnknown: true };

const created: Outcome = { kind: 'created', objectId: 'x' };
const refused: Outcome = { kind: 'refused', code: 'bad_iban', message: 'the IBAN is wrong' };
const lost: Outcome = { kind: 'unknown', reason: 'connection_lost' };
const conflict: Outcome = { kind: 'conflict', message: 'in progress' };
const throttled: Outcome = { kind: 'throttled', waitInMs: null };
const notSent: Outcome = { kind: 'not_sent', reason: 'connection_refused' };

function attemptsOf(outcomes: readonly Outcome[]): Attempt[] {
  return outcomes.map((outcome, index) => ({
    number: index + 1,
    outcome: outcome.kind,
    reason: 'reason' in outcome ? outcome.reason : outcome.kind,
    httpStatus: null,
    objectId: null,
    durationInMs: 1,
    answer: null,
  }));
}

const concludeAfter = (history: typeof fresh, ...outcomes: readonly Outcome[]) =>
  conclude(history, attemptsOf(outcomes), outcomes.at(-1) ?? null);

describe('a row’s conclusion', () => {
  it('is created once any try is confirmed, whatever came before', () => {
    expect(concludeAfter(doubtful, lost, conflict, throttled, created)).toMatchObject({
      state: 'created',
      objectId: 'x',
      code: null,
      message: null,
    });
  });

  it('is rejected when nothing of its key was ever in doubt', () => {
    const conclusion = concludeAfter(fresh, notSent, throttled, refused);
    expect(conclusion).toMatchObject({ state: 'rejected', code: 'bad_iban', message: 'the IBAN is wrong' });
    expect(conclusion.attempts).toHaveLength(3);
  });

  it('is held when a refusal follows an unknown try, in this claim or before it', () => {
    for (const conclusion of [concludeAfter(fresh, lost, refused), concludeAfter(doubtful, refused)]) {
      expect(conclusion).toMatchObject({ state: 'held', code: 'contradicting_answers', objectId: null });
      expect(conclusion.message).toContain('the IBAN is wrong');
    }
  });

  it('is held when a conflict outlasts its tries, and nothing of its own key can be the cause', () => {
    expect(concludeAfter(fresh, conflict, conflict)).toMatchObject({ state: 'held', code: 'conflict' });
    expect(concludeAfter(fresh, notSent, throttled, conflict)).toMatchObject({ state: 'held' });
  });

  it('is unknown when a conflict outlasts its tries while an earlier try may still be under way', () => {
    for (const conclusion of [
      concludeAfter(fresh, lost, conflict, conflict),
      concludeAfter(doubtful, conflict, conflict),
    ]) {
      expect(conclusion).toMatchObject({ state: 'unknown', code: 'conflict', objectId: null });
      expect(conclusion.message).toContain('still under way');
    }
  });

  it('is unknown, with what the API says, when a confirmation names an error', () => {
    const apiError = { code: 'kyc_pending', message: 'not yet' };
    const named: Outcome = { kind: 'unknown', reason: 'error_in_answer', apiError };
    expect(concludeAfter(fresh, named)).toMatchObject({
      state: 'unknown',
      code: 'kyc_pending',
      message: expect.stringContaining('not yet'),
    });
    const unnamed: Outcome = { ...named, apiError: { code: null, message: null } };
    expect(concludeAfter(fresh, unnamed)).toMatchObject({ state: 'unknown', code: 'error_in_answer' });
  });

  it('is created, with a code and what differs, when the answer contradicts the request', () => {
    const differences = [
      { field: 'amount', sent: '100.00', answered: '200.00' },
      { field: 'iban', sent: '***00', answered: '***12' },
    ];
    expect(concludeAfter(fresh, { kind: 'created', objectId: 'x', differences })).toMatchObject({
      state: 'created',
      objectId: 'x',
      code: 'answer_differs',
      message:
        'created, but the answer contradicts what was sent: amount (sent 100.00, answered 200.00), iban (sent ***00, answered ***12)',
    });
  });

  it('is unknown, for the last reason there was, when the tries end in doubt', () => {
    const timeout: Outcome = { kind: 'unknown', reason: 'timeout' };
    expect(concludeAfter(fresh, lost, timeout)).toMatchObject({ state: 'unknown', code: 'timeout' });
  });

  it('stays unknown when what follows the doubt was not carried out', () => {
    expect(concludeAfter(fresh, lost, throttled)).toMatchObject({
      state: 'unknown',
      code: 'connection_lost',
    });
    expect(concludeAfter(doubtful, notSent)).toMatchObject({ state: 'unknown', code: 'connection_refused' });
  });

  it('stays ready when nothing was ever carried out', () => {
    expect(concludeAfter(fresh, throttled)).toMatchObject({ state: 'ready', code: 'throttled' });
    expect(concludeAfter(fresh, notSent)).toMatchObject({ state: 'ready', code: 'connection_refused' });
  });

  it('keeps the earlier state when nothing was sent', () => {
    expect(conclude(fresh, [], null)).toEqual({
      state: 'ready',
      objectId: null,
      code: null,
      message: null,
      attempts: [],
    });
    expect(conclude(doubtful, [], null)).toMatchObject({ state: 'unknown', code: null });
  });

  it('keeps the doubt of a broken-off claim: a conflict means that something is under way', () => {
    expect(conclude(fresh, attemptsOf([conflict]), null)).toMatchObject({
      state: 'unknown',
      code: 'conflict',
    });
  });

  it('forgets a try that stopped the run, but not the unknown one before it', () => {
    const stop: Outcome = { kind: 'stop', reason: 'credentials', message: '' };
    expect(concludeAfter(fresh, stop)).toMatchObject({ state: 'ready', code: 'credentials' });
    expect(concludeAfter(fresh, lost, stop)).toMatchObject({ state: 'unknown', code: 'connection_lost' });
  });

  it.each(['redirect', 'not_the_api'] as const)('never forgets a request that ended with %s', (reason) => {
    const outcome: Outcome = { kind: 'unknown', reason, stop: { reason, message: '' } };
    expect(concludeAfter(fresh, outcome)).toMatchObject({ state: 'unknown', code: reason });
    expect(conclude(fresh, attemptsOf([outcome]), null)).toMatchObject({ state: 'unknown', code: reason });
  });
});
