import { beforeEach, describe, expect, it } from 'vitest';
import { OutageWatch, type WatchedRow } from '../../src/api/attempt.ts';
import type { Outcome } from '../../src/domain/sending/outcome.ts';

const fault: Outcome = { kind: 'unknown', reason: 'server_error' };
const answer: Outcome = { kind: 'created', objectId: 'x' };

const rowsOf = (count: number): WatchedRow[] => Array.from({ length: count }, () => ({ failsAlone: false }));

let watch: OutageWatch;
let nowInMs: number;

beforeEach(() => {
  watch = new OutageWatch();
  nowInMs = 0;
});

/** A try of a row, of 10 ms. */
function record(row: WatchedRow, outcome: Outcome, startedAtInMs = nowInMs + 1): void {
  nowInMs += 10;
  watch.record(row, { outcome, startedAtInMs, endedAtInMs: nowInMs });
}

describe('the watch for an outage', () => {
  it.each<Outcome>([
    fault,
    { kind: 'unknown', reason: 'timeout' },
    { kind: 'unknown', reason: 'connection_lost' },
    { kind: 'unknown', reason: 'answer_incomplete' },
    { kind: 'not_sent', reason: 'connection_refused' },
  ])('is in doubt after ten different rows with $kind $reason, and sure after four more', (outcome) => {
    for (const row of rowsOf(9)) record(row, outcome);
    expect(watch.isInDoubt).toBe(false);
    for (const row of rowsOf(1)) record(row, outcome);
    expect(watch.isInDoubt).toBe(true);
    for (const row of rowsOf(3)) record(row, outcome);
    expect(watch.outage(1_000, 'last')).toBeNull();
    for (const row of rowsOf(1)) record(row, outcome);
    expect(watch.outage(1_000, 'last')).toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('14 different rows failed one after the other, the last with: last'),
    });
  });

  it.each<Outcome>([
    answer,
    { kind: 'refused', code: 'http_422', message: '' },
    { kind: 'conflict', message: '' },
    { kind: 'throttled', waitInMs: null },
    { kind: 'unknown', reason: 'answer_without_id' },
  ])('starts over after $kind', (outcome) => {
    for (const row of rowsOf(13)) record(row, fault);
    record(rowsOf(1)[0] ?? { failsAlone: false }, outcome);
    expect(watch.isInDoubt).toBe(false);
    for (const row of rowsOf(9)) record(row, fault);
    expect(watch.isInDoubt).toBe(false);
  });

  it('never reports an outage because of few rows, however often they were tried', () => {
    const rows = rowsOf(9);
    for (let round = 0; round < 50; round += 1) for (const row of rows) record(row, fault);
    expect(watch.outage(1_000, 'last')).toBeNull();
    // Asked for once more they would only be refused an answer again.
    expect(watch.mayAskAgain).toBe(false);
  });

  it('lets a run go on with the few rows that are left, all at once', () => {
    for (const row of rowsOf(13)) record(row, fault);
    expect(watch.isProbing).toBe(true);
    for (const row of rowsOf(1)) record(row, fault);
    expect([watch.isInDoubt, watch.isProbing]).toEqual([true, false]);
    expect([watch.outage(30, 'last'), watch.outage(31, 'last')]).toEqual([null, expect.anything()]);
  });

  it('learns from an answer that the rows which failed before it always fail', () => {
    const bad = rowsOf(35);
    for (const row of bad) record(row, fault);
    record({ failsAlone: false }, answer);
    expect(bad.every(({ failsAlone }) => failsAlone)).toBe(true);
    for (const row of bad.slice(0, 15)) record(row, fault);
    expect(watch.isInDoubt).toBe(false);
    for (const row of bad) record(row, fault);
    // This many failures in a row are a reason to probe other rows. Rows that always fail prove nothing themselves.
    expect([watch.isInDoubt, watch.outage(1_000, 'last')]).toEqual([true, null]);
    for (const row of rowsOf(4)) record(row, fault);
    expect(watch.outage(1_000, 'last')).not.toBeNull();
  });

  it('does not count rows as probes that were on their way when the doubt began', () => {
    for (const row of rowsOf(10)) record(row, fault);
    for (const row of rowsOf(50)) record(row, fault, 0);
    expect(watch.outage(1_000, 'last')).toBeNull();
  });

  it('lets the pauses grow while it is in doubt', () => {
    const pauses: number[] = [];
    for (const row of rowsOf(13)) {
      record(row, fault);
      if (watch.isInDoubt) pauses.push(watch.pauseInMs);
    }
    expect(pauses).toEqual([250, 500, 1_000, 2_000]);
  });

  it('reports an API as silent only if several rows got no answer in many tries', () => {
    const rows = rowsOf(4);
    for (let tries = 0; tries < 4; tries += 1) for (const row of rows) record(row, fault);
    expect(watch.silence('last')).toBeNull();
    for (const row of rows) record(row, fault);
    expect(watch.silence('last')).toMatchObject({ reason: 'unavailable' });
    record({ failsAlone: false }, answer);
    for (const row of rowsOf(9)) record(row, fault);
    expect(watch.silence('last')).toBeNull();
  });

  it('does not report an API as silent because of a few rows, however often they were tried', () => {
    const rows = rowsOf(3);
    for (let tries = 0; tries < 9; tries += 1) for (const row of rows) record(row, fault);
    expect(watch.silence('last')).toBeNull();
  });

  it('says nothing about the API from rows alone of which earlier runs know that they always fail', () => {
    for (const row of rowsOf(19)) record(Object.assign(row, { failsAlone: true }), fault);
    expect([watch.isInDoubt, watch.silence('last')]).toEqual([false, null]);
  });
});
