import { describe, expect, it } from 'vitest';
import type { Sender } from '../../src/api/sender.ts';
import type { MissingResponse, RepeatedAnswer } from '../../src/domain/rows/result-row.ts';
import type { Attempt, Conclusion } from '../../src/domain/sending/outcome.ts';
import { RunStop } from '../../src/domain/sending/stops.ts';
import { fingerprintOf } from '../../src/kinds/request.ts';
import { type RefillContext, refillFacts } from '../../src/send/refill-facts.ts';
import { fakeClock, fakeRunLog, fakeSubmission } from './fakes.ts';

const path = '/v1/accounts';

function rowWithout(row: number, given: Partial<MissingResponse> = {}): MissingResponse {
  const body = Buffer.from(`{"label":"${row}"}`);
  return {
    row,
    resource: 'accounts',
    generation: 1,
    objectId: `object-${row}`,
    idempotencyKey: `key-${row}`,
    path,
    body,
    fingerprint: fingerprintOf(path, body),
    attempts: 1,
    keyTimeLeftInMs: 60_000,
    obstacle: null,
    ...given,
  };
}

const rows = (count: number): MissingResponse[] =>
  Array.from({ length: count }, (_, at) => rowWithout(at + 2));

function answered(given: Partial<Attempt>): Conclusion {
  const attempt: Attempt = {
    number: 2,
    outcome: 'created',
    reason: null,
    httpStatus: 201,
    objectId: null,
    durationInMs: 1,
    answer: '{}',
    ...given,
  };
  const state = attempt.outcome === 'created' ? 'created' : 'held';
  return { state, objectId: attempt.objectId, code: null, message: null, attempts: [attempt] };
}

const rowOf = (key: string): string => key.replace('key-', '');

const same = (key: string): Conclusion => answered({ objectId: `object-${rowOf(key)}` });

function bench(
  listed: readonly MissingResponse[],
  answer: (key: string) => Conclusion,
  given: Partial<RefillContext> = {},
) {
  const runLog = fakeRunLog();
  const sent: string[] = [];
  const recorded: RepeatedAnswer[] = [];
  const inFlight = { now: 0, most: 0, whenFirstCame: 0 };
  const send: Sender['send'] = async ({ idempotencyKey }, { mayLeave }) => {
    const mayGo = await mayLeave();
    if (mayGo === false) return { ...answered({}), state: 'unknown', objectId: null, attempts: [] };
    const { onDisk } = runLog;
    expect(onDisk.some((event) => event.event === 'row.staged' && event.key === idempotencyKey)).toBe(true);
    sent.push(idempotencyKey);
    inFlight.now += 1;
    inFlight.most = Math.max(inFlight.most, inFlight.now);
    await Promise.resolve();
    if (sent.length === 1) inFlight.whenFirstCame = inFlight.now;
    inFlight.now -= 1;
    return answer(idempotencyKey);
  };
  const context: RefillContext = {
    ledger: {
      listMissingResponses: async (_, { afterRow, limit }) =>
        listed.filter(({ row }) => row > afterRow).slice(0, limit),
      recordRepeatedAnswers: async (_batch, _run, answers) => {
        recorded.push(...answers);
        return new Set(answers.map(({ row }) => row));
      },
    },
    sender: { send, isApiInDoubt: () => false },
    runLog,
    ...fakeSubmission(),
    keyAgeInMs: 86_400_000,
    onProgress: () => {},
    ...given,
  };
  return { context, runLog, sent, recorded, inFlight };
}

describe('the refill of facts', () => {
  it('sends one row alone, and the others together once the API has repeated its answer', async () => {
    const { context, recorded, inFlight, sent } = bench(rows(450), same);
    expect(await refillFacts(context)).toMatchObject({ filled: 450, missing: new Map() });
    expect(recorded).toHaveLength(450);
    expect([sent[0], inFlight.whenFirstCame, inFlight.most]).toEqual(['key-2', 1, 4]);
  });

  it('sends nothing that cannot be proven to be the very request', async () => {
    const other = rowWithout(3, { body: Buffer.from('{"label":"another"}') });
    const elsewhere = rowWithout(4, { path: '/v1/customers' });
    const old = rowWithout(5, { obstacle: 'key_too_old' });
    const { context, sent } = bench([rowWithout(2), other, elsewhere, old], same);
    const { filled, missing } = await refillFacts(context);
    expect([filled, [...missing], sent]).toEqual([
      1,
      [
        ['not_proven', 2],
        ['key_too_old', 1],
      ],
      ['key-2'],
    ]);
  });

  it.each<[string, Partial<Attempt>]>([
    ['other_object', { objectId: 'other' }],
    ['refused', { outcome: 'refused', httpStatus: 422 }],
    ['refused', { outcome: 'conflict', httpStatus: 409 }],
  ])('ends with the first answer that is not repeated: %s', async (reason, given) => {
    const { context, sent, recorded } = bench(rows(300), () => answered(given));
    const { filled, missing } = await refillFacts(context);
    expect([filled, [...missing], sent]).toEqual([
      0,
      [
        [reason, 1],
        ['not_asked', 299],
      ],
      ['key-2'],
    ]);
    expect(recorded).toHaveLength(1);
  });

  it('continues, one by one, past rows that have no answer', async () => {
    const silent = answered({ outcome: 'unknown', httpStatus: null, answer: null });
    const { context, inFlight } = bench(rows(7), (key) => (key < 'key-4' ? silent : same(key)));
    const { filled, missing } = await refillFacts(context);
    expect([filled, [...missing], inFlight.whenFirstCame]).toEqual([5, [['no_answer', 2]], 1]);
  });

  it('says which answers are too large to be kept', async () => {
    const { context } = bench(rows(2), (key) => answered({ objectId: `object-${rowOf(key)}`, answer: null }));
    expect(await refillFacts(context)).toMatchObject({ filled: 0, missing: new Map([['too_large', 2]]) });
  });

  it('sends nothing once the batch is lost, a key has grown too old, or the run is to stop', async () => {
    const halt = new AbortController();
    halt.abort();
    let calls = 0;
    const later = { ...fakeClock, monotonicInMs: () => (calls++ === 0 ? 0 : 60_000) };
    for (const given of [{ holdsBatch: () => false }, { halt }, { clock: later }]) {
      calls = 0;
      const { context, sent } = bench(rows(3), same, given);
      const { missing } = await refillFacts(context);
      expect([[...missing], sent]).toEqual([[['not_asked', 3]], []]);
    }
  });

  it('records what was answered before the run had to stop', async () => {
    const { context, recorded } = bench(rows(4), (key) => {
      if (key === 'key-4') throw new RunStop('credentials', 'the key is refused');
      return same(key);
    });
    await expect(refillFacts(context)).rejects.toThrow('the key is refused');
    expect(recorded.map(({ row }) => row)).toContain(2);
    expect(context.halt.signal.aborted).toBe(true);
  });
});
