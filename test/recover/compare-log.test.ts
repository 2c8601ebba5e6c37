import { describe, expect, it } from 'vitest';
import { compareLog, type LogComparison } from '../../src/recover/compare-log.ts';
import type { LoggedEvent } from '../../src/recover/logged-rows.ts';

const batch = 'abcdef01-2345-8678-9abc-def012345678';
const other = 'bbbbbbbb-2345-8678-9abc-def012345678';
const time = '2026-11-21T08:00:00.000Z';

function started(run: string, given: { host?: string | null; process?: string | null } = {}): LoggedEvent {
  const place = { mode: 'sandbox', origin: 'https://api.example.test', sheet: null } as const;
  const hashes = { content_hash: 'content', reading_hash: 'reading', credential: null };
  return {
    event: 'run.started',
    time,
    batch,
    run,
    host: 'worker',
    process: '17',
    ...place,
    ...hashes,
    ...given,
  };
}

function answered(
  key: string,
  given: Partial<Extract<LoggedEvent, { event: 'row.answered' }>> = {},
): LoggedEvent {
  return {
    event: 'row.answered',
    time,
    batch,
    row: 2,
    key,
    attempt: 1,
    status: 201,
    outcome: 'created',
    reason: null,
    id: 'object',
    duration_ms: 1,
    ...given,
  };
}

const claim = (run: string, number: number): LoggedEvent => ({
  event: 'claim.made',
  batch,
  run,
  claim: number,
});

/** What a log says to a ledger that knows the run `mine` with one claim, and the key `known`. */
function compare(...events: LoggedEvent[]): Promise<LogComparison> {
  return compareLog(
    (async function* () {
      yield* events;
    })(),
    batch,
    {
      findClosing: async () => null,
      countUnknownClaims: async (_, claims) =>
        claims.filter(({ run, claim: number }) => run !== 'mine' || number > 1).length,
      countUnknownAnswers: async (_, keys) => keys.filter((key) => key !== 'known').length,
    },
  );
}

describe('a log is ahead of the ledger', () => {
  it('when it names a claim or an answer that the ledger does not know', async () => {
    expect(await compare(started('mine'), claim('mine', 1), answered('known'))).toMatchObject({
      isAhead: false,
    });
    expect(await compare(claim('mine', 2))).toMatchObject({ isAhead: true });
    expect(await compare(claim('theirs', 1))).toMatchObject({ isAhead: true });
    for (const outcome of ['created', 'unknown', 'refused', 'conflict'] as const) {
      expect(await compare(answered('lost', { outcome }))).toMatchObject({ isAhead: true });
    }
  });

  it('however many it knows besides', async () => {
    const many = Array.from({ length: 5_000 }, () => answered('known'));
    expect(await compare(...many)).toMatchObject({ isAhead: false });
    expect(await compare(answered('lost'), ...many)).toMatchObject({ isAhead: true });
    expect(await compare(...many, answered('lost'))).toMatchObject({ isAhead: true });
  });

  it('not for requests of which nothing was carried out, whose rows may have been put back and given up', async () => {
    for (const outcome of ['not_sent', 'stop', 'throttled'] as const) {
      expect(await compare(answered('lost', { outcome }))).toMatchObject({ isAhead: false });
    }
    expect(await compare(answered('lost', { outcome: 'refused', status: 404 }))).toMatchObject({
      isAhead: false,
    });
  });

  it('not for lines of another batch', async () => {
    expect(await compare(answered('lost', { batch: other }))).toMatchObject({ isAhead: false });
  });
});

it('the runs of a log that have not ended and that the ledger does not know are named', async () => {
  const finished: LoggedEvent = { event: 'run.finished', batch, run: 'theirs' };
  expect(await compare(started('mine'), started('theirs'), finished)).toMatchObject({ unknownRuns: [] });
  expect(await compare(started('theirs'))).toMatchObject({
    unknownRuns: [{ host: 'worker', process: '17' }],
  });
  expect(await compare(started('theirs', { host: null, process: null }))).toMatchObject({
    unknownRuns: [null],
  });
});
