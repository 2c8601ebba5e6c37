import { expect, it } from 'vitest';
import { type AuditEvent, auditHash, problemOfEnd } from '../../../src/domain/controls/audit.ts';

/** A whole chain of this number of events. */
function chainOf(count: number): AuditEvent[] {
  const events: AuditEvent[] = [];
  for (let number = 1; number <= count; number += 1) {
    const previousHash = events.at(-1)?.hash ?? '0'.repeat(64);
    const facts = { chain: 'controls', number, at: '2026-11-23T13:51:41.670651Z', databaseUser: 'postgres' };
    const event = {
      ...facts,
      actor: 'ada',
      channel: 'library',
      event: 'user.added',
      details: '{}',
      previousHash,
    };
    events.push({ ...event, hash: auditHash({ ...event, hash: '' }) });
  }
  return events;
}

const whole = chainOf(6);
const head = { number: 6, hash: whole[5]?.hash ?? '' };

it('the end of a chain fits, however much of it is looked at', () => {
  for (const length of [1, 3, 6]) expect(problemOfEnd(head, 6, whole.slice(6 - length))).toBeNull();
});

it.each<[string, number, readonly AuditEvent[], object]>([
  [
    'an event was changed',
    6,
    whole.slice(3).map((each) => ({ ...each, actor: 'eve' })),
    { code: 'event_changed' },
  ],
  ['an event is missing at the end', 5, whole.slice(2, 5), { code: 'tail_missing', number: 6, head: 6 }],
  ['an event is missing before what is looked at', 5, whole.slice(3), { code: 'event_missing', number: 3 }],
  ['the beginning is missing and all is looked at', 4, whole.slice(2), { code: 'event_missing', number: 1 }],
  [
    'an event was replaced',
    6,
    [...whole.slice(2, 5), ...chainOf(5).slice(4)],
    { code: 'event_missing', number: 6 },
  ],
])('the end of a chain does not fit where %s', (_, all, last, problem) => {
  expect(problemOfEnd(head, all, last)).toMatchObject(problem);
});

it('a chain without a head does not fit', () => {
  expect(problemOfEnd(undefined, 6, whole)).toEqual({ code: 'head_differs', number: null });
});
