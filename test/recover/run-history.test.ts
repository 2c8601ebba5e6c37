import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../src/recover/logged-rows.ts';
import { type BatchHistory, type RowHistories, readHistory } from '../../src/recover/run-history.ts';
import { rowEventsInMemory } from './row-events-in-memory.ts';

const batch = 'abcdef01-2345-8678-9abc-def012345678';
const at = (minute: number): string => `2026-11-21T08:${String(minute).padStart(2, '0')}:00.000Z`;

function started(given: Partial<EventOf<'run.started'>> = {}): LoggedEvent {
  return {
    event: 'run.started',
    time: at(0),
    batch,
    run: 'run one',
    host: 'worker',
    process: '17',
    mode: 'sandbox',
    origin: 'https://api.example.test',
    content_hash: 'content',
    reading_hash: 'reading',
    sheet: null,
    credential: 'key one',
    ...given,
  };
}

function staged(key: string, minute = 1, generation = 1): LoggedEvent {
  return {
    event: 'row.staged',
    time: at(minute),
    batch,
    row: 2,
    key,
    generation,
    request_hash: `hash of ${key}`,
  };
}

type EventOf<Name> = Extract<LoggedEvent, { event: Name }>;

function answered(key: string, given: Partial<EventOf<'row.answered'>> = {}): LoggedEvent {
  const none = { status: null, outcome: 'unknown', reason: 'timeout', id: null } as const;
  const request = { row: 2, key, attempt: 1, duration_ms: 12 };
  return { event: 'row.answered', time: at(2), batch, ...request, ...none, ...given };
}

function final(
  key: string | null,
  status: EventOf<'row.final'>['status'],
  id: string | null = null,
  code = 'a_code',
): LoggedEvent {
  return { event: 'row.final', time: at(3), batch, row: 2, key, status, id, code };
}

function resolved(
  verdict: EventOf<'row.resolved'>['verdict'],
  key: string | null,
  id: string | null,
): LoggedEvent {
  return { event: 'row.resolved', time: at(3), batch, row: 2, key, verdict, id };
}

async function* each(events: readonly LoggedEvent[]): AsyncGenerator<LoggedEvent> {
  yield* events;
}

/** Row 2's history; every log begins with a run. */
async function historyOf(...events: LoggedEvent[]): Promise<RowHistories> {
  return (await read([started(), ...events])).between(2, 2);
}

function read(events: readonly LoggedEvent[]): Promise<BatchHistory> {
  return readHistory(each(events), rowEventsInMemory());
}

const created = { status: 201, outcome: 'created', reason: null, id: 'object' } as const;

describe('a row of the run log', () => {
  it('that has a key and no answer may have been sent under it', async () => {
    const { rows } = await historyOf(staged('k1'));
    expect(rows.get(2)).toMatchObject({
      key: 'k1',
      requestHash: 'hash of k1',
      firstStagedAt: at(1),
      credential: 'key one',
      attempts: 0,
      end: { state: 'unknown' },
    });
  });

  it('is created once its answer has the id, whether or not the ledger got to know', async () => {
    const { rows } = await historyOf(
      staged('k1'),
      answered('k1'),
      answered('k1', { attempt: 2, ...created }),
    );
    expect(rows.get(2)).toMatchObject({ attempts: 2, httpStatus: 201, end: { objectId: 'object' } });
  });

  it('is rejected or held only when its end says so', async () => {
    const refusal = { status: 422, outcome: 'refused', reason: 'http_422' } as const;
    const open = await historyOf(staged('k1'), answered('k1', refusal));
    expect(open.rows.get(2)?.end).toEqual({ state: 'unknown' });
    const ended = await historyOf(staged('k1'), answered('k1', refusal), final('k1', 'rejected'));
    expect(ended.rows.get(2)?.end).toEqual({ state: 'rejected', code: 'a_code' });
    const held = await historyOf(staged('k1'), answered('k1'), final('k1', 'held'));
    expect(held.rows.get(2)?.end).toEqual({ state: 'held', code: 'a_code' });
  });

  it('starts afresh with the key of its next generation, and an older one changes nothing', async () => {
    const { rows } = await historyOf(
      staged('k1'),
      final('k1', 'rejected'),
      staged('k2', 5, 2),
      answered('k1', created),
      staged('k1', 9),
    );
    expect(rows.get(2)).toMatchObject({ key: 'k2', generation: 2, end: { state: 'unknown' } });
  });

  it('counts the age of its key from the earliest log, in whatever order they are read', async () => {
    const { rows } = await historyOf(staged('k1', 40), started({ credential: 'key two' }), staged('k1', 3));
    expect(rows.get(2)).toMatchObject({ firstStagedAt: at(3), credential: 'key two' });
  });
});

describe('a row for which two runs wrote down a key', () => {
  it.each([
    ['the first', 'k1'],
    ['the second', 'k2'],
  ])('was sent under the one that has an answer: %s', async (_, key) => {
    for (const answer of [answered(key), answered(key, created)]) {
      const { rows } = await historyOf(staged('k1'), staged('k2', 2), answer);
      expect(rows.get(2)?.key).toBe(key);
      expect(rows.get(2)?.end.state).not.toBe('unclear');
    }
  });

  it('is for a person to decide when no answer shows which', async () => {
    const { rows } = await historyOf(staged('k1'), staged('k2', 2));
    expect(rows.get(2)?.end).toEqual({ state: 'unclear' });
  });
});

describe('a row that needs no request', () => {
  it('keeps the object of another batch, and what only a person may decide', async () => {
    const existing = await historyOf(final(null, 'existing', 'object'));
    expect(existing.resting.get(2)).toEqual({ state: 'existing', objectId: 'object' });
    const held = await historyOf(final(null, 'held'));
    expect(held.resting.get(2)).toEqual({ state: 'held', code: 'a_code' });
  });

  it('is forgotten when it was let go, or got a key after all', async () => {
    expect((await historyOf(final(null, 'held'), final(null, 'waiting'))).resting.size).toBe(0);
    expect((await historyOf(final(null, 'held'), resolved('staged', null, null))).resting.size).toBe(0);
    const sent = await historyOf(final(null, 'held'), staged('k1'));
    expect({ resting: sent.resting.size, key: sent.rows.get(2)?.key }).toEqual({ resting: 0, key: 'k1' });
  });

  it('does not hide an object that was created, in whatever order the logs are read', async () => {
    const { rows, resting } = await historyOf(staged('k1'), answered('k1', created), final(null, 'held'));
    expect(resting.size).toBe(0);
    expect(rows.get(2)?.end).toMatchObject({ state: 'created', objectId: 'object' });
  });
});

describe('a row whose key a person has disowned', () => {
  const disowned = resolved('disowned', 'k1', null);
  const endOf = async (...events: LoggedEvent[]): Promise<unknown> =>
    (await historyOf(staged('k1'), ...events)).rows.get(2)?.end;

  it('is as good as refused, until its next key', async () => {
    const end = { state: 'rejected', code: 'key_of_other_mode' };
    expect(await endOf(answered('k1', created), final('k1', 'created', 'object'), disowned)).toEqual(end);
    const next = { ...staged('k2'), generation: 2 } as LoggedEvent;
    const sent = await historyOf(staged('k1'), answered('k1', created), disowned, next);
    expect([sent.rows.get(2)?.key, sent.rows.get(2)?.end.state]).toEqual(['k2', 'unknown']);
    const stood = await historyOf(final(null, 'existing', 'object'), resolved('disowned', null, null));
    expect(stood.resting.size).toBe(0);
  });

  it('is created where a log has that later, or where it was not known as created', async () => {
    const later = await endOf(answered('k1', created), disowned, answered('k1', created));
    expect(later).toMatchObject({ state: 'created', objectId: 'object' });
    expect(await endOf(answered('k1'), disowned)).toEqual({ state: 'unknown' });
  });

  it('stays created where an answer contradicts a verdict that its object does not exist', async () => {
    const end = await endOf(answered('k1', created), resolved('staged', 'k1', null));
    expect(end).toMatchObject({ state: 'created', objectId: 'object' });
  });
});

it('an answer that contradicted its request is still known as one', async () => {
  const contradicted = final('k1', 'created', 'object', 'answer_differs');
  const { rows } = await historyOf(staged('k1'), answered('k1', created), contradicted);
  expect(rows.get(2)?.end).toMatchObject({ state: 'created', objectId: 'object', code: 'answer_differs' });
});

describe('the answer that created an object', () => {
  const answer = { number: 1, httpStatus: 201, durationInMs: 12, answeredAt: at(2) };
  const endOf = async (...events: LoggedEvent[]): Promise<unknown> =>
    (await historyOf(staged('k1'), ...events)).rows.get(2)?.end;

  it('proves the request, whatever came before it and whatever ended the row', async () => {
    const end = { state: 'created', objectId: 'object', answer };
    expect(await endOf(answered('k1', created))).toEqual(end);
    const ended = final('k1', 'created', 'object', 'answer_differs');
    expect(await endOf(answered('k1', created), ended)).toEqual({ ...end, code: 'answer_differs' });
    expect(await endOf(answered('k1', created), answered('k1', { attempt: 2, ...created }))).toEqual(end);
  });

  it('proves nothing where a person, or only the end of the row, names the object', async () => {
    const end = { state: 'created', objectId: 'object' };
    expect(await endOf(answered('k1'), resolved('created', 'k1', 'object'))).toEqual(end);
    expect(await endOf(resolved('created', 'k1', 'object'), answered('k1', created))).toEqual(end);
    expect(await endOf(final('k1', 'created', 'object'))).toMatchObject(end);
  });

  it('is not replaced by a later one that names another object, and proves nothing any more', async () => {
    const other = answered('k1', { attempt: 2, ...created, id: 'other' });
    const end = await endOf(answered('k1', created), final('k1', 'created', 'object'), other);
    expect(end).toEqual({ state: 'created', objectId: 'object', code: 'a_code' });
  });

  it('determines the credential, whichever run wrote the key down last', async () => {
    const prepared = [started({ credential: 'key one' }), staged('k1')];
    const sent = [started({ credential: 'key two' }), staged('k1'), answered('k1', created)];
    for (const events of [
      [...prepared, ...sent],
      [...sent, ...prepared],
    ]) {
      const { rows } = await (await read(events)).between(2, 2);
      expect(rows.get(2)?.credential).toBe('key two');
    }
  });
});

describe("a person's word", () => {
  it('counts as the answer that never came', async () => {
    const { rows } = await historyOf(staged('k1'), answered('k1'), resolved('created', 'k1', 'found'));
    expect(rows.get(2)?.end).toEqual({ state: 'created', objectId: 'found' });
  });

  it('that another object counts ends the row without its key', async () => {
    const { rows, resting } = await historyOf(
      staged('k1'),
      answered('k1'),
      resolved('existing', 'k1', 'other'),
    );
    expect(rows.size).toBe(0);
    expect(resting.get(2)).toEqual({ state: 'existing', objectId: 'other' });
  });
});

it('refuses logs of several batches, and a log without anything', async () => {
  const other = '00000000-0000-8000-8000-000000000000';
  await expect(read([started(), started({ batch: other })])).rejects.toThrow('several batches');
  await expect(read([staged('k1'), started({ batch: other })])).rejects.toThrow('several batches');
  await expect(read([])).rejects.toThrow('nothing');
});
