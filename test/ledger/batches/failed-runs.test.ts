import type { Knex } from 'knex';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type ActorOfEvent, readAuditEvents } from '../../../src/ledger/audit/events.ts';
import { compareWithTrail } from '../../../src/ledger/audit/records.ts';
import {
  type FailureToNote,
  listFailedRuns,
  noteFailedRun,
  putAwayFailedRun,
  settleFailedRuns,
} from '../../../src/ledger/batches/failed-runs.ts';
import { bool, execute, query, text } from '../../../src/ledger/query/sql.ts';
import { forEachLedger } from '../../support/ledger.ts';

const refused = (file: string, message = 'Its header is unknown.'): FailureToNote => ({
  subject: `file ${file}`,
  file,
  outcome: 'file_refused',
  code: 'unknown_kind',
  message,
  remedies: [{ action: 'advice', text: 'name the kind' }],
});

const whole = (code: string, outcome: FailureToNote['outcome']): FailureToNote => ({
  ...refused(''),
  subject: `run ${code}`,
  file: null,
  outcome,
  code,
});

const call = { target: 'live https://api.test', command: 'import', actor: { name: 'ama', channel: 'cron' } };
const [ada, mo] = ['ada', 'mo'].map((name) => ({ name, channel: 'console' })) as [ActorOfEvent, ActorOfEvent];
const all = { days: 14, limit: 20 };

forEachLedger((openTestLedger) => {
  let database: Knex;
  beforeAll(async () => {
    ({ database } = await openTestLedger());
  });
  beforeEach(() => execute(database, 'DELETE FROM failed_runs', []));

  const subjects = async (): Promise<(string | null)[]> =>
    (await listFailedRuns(database, all)).map(({ file, code }) => file ?? code).sort();

  it('is one entry however often it is repeated, with its first time and the details of its last', async () => {
    await noteFailedRun(database, { ...call, failures: [refused('/in/a.csv'), refused('/in/b.csv')] });
    await execute(
      database,
      "UPDATE failed_runs SET first_at = '2026-11-01Z', last_at = now() - interval '1 h'",
      [],
    );
    const again = { ...call, command: 'plan', failures: [refused('/in/a.csv', 'It is empty.')] };
    const noted = await noteFailedRun(database, again);
    expect(noted).toMatchObject([
      {
        file: '/in/a.csv',
        message: 'It is empty.',
        command: 'plan',
        since: '2026-11-01T00:00:00.000Z',
        times: 2,
      },
    ]);
    const listed = await listFailedRuns(database, all);
    expect(listed).toHaveLength(2);
    expect(listed[0]).toEqual(noted[0]);
    expect(listed[1]).toMatchObject({ file: '/in/b.csv', times: 1, remedies: refused('').remedies });
  });

  it('is made good by a run that takes the file in, with the same API', async () => {
    const failures = [refused('/in/a.csv'), refused('/in/b.csv')];
    await noteFailedRun(database, { ...call, failures });
    await noteFailedRun(database, { ...call, target: 'sandbox', failures: [refused('/in/a.csv')] });
    const good = { subjects: ['file /in/a.csv'], commands: [], isKeyTaken: true };
    await settleFailedRuns(database, { targets: [call.target], ...good });
    expect(await subjects()).toEqual(['/in/a.csv', '/in/b.csv']);
    await settleFailedRuns(database, { targets: ['sandbox'], ...good });
    expect(await subjects()).toEqual(['/in/b.csv']);
  });

  it('as a whole is made good by one that came to its end; a refused key by one whose key was taken', async () => {
    const failures = [
      whole('ledger_behind', 'usage'),
      whole('credentials', 'credentials_refused'),
      refused('/a'),
    ];
    await noteFailedRun(database, { ...call, failures });
    const good = { targets: [call.target], subjects: [], commands: ['import', 'resume'] };
    await settleFailedRuns(database, { ...good, commands: ['plan'], isKeyTaken: true });
    expect(await subjects()).toEqual(['/a', 'credentials', 'ledger_behind']);
    await settleFailedRuns(database, { ...good, isKeyTaken: false });
    expect(await subjects()).toEqual(['/a', 'credentials']);
    await settleFailedRuns(database, { ...good, isKeyTaken: true });
    expect(await subjects()).toEqual(['/a']);
  });

  it('stores any text from outside, and is deleted when it is not repeated', async () => {
    const odd = `/in/${String.fromCharCode(0)}\uD800.csv`;
    await noteFailedRun(database, { ...call, failures: [refused(odd, 'x'.repeat(9_000)), refused(odd)] });
    expect(await listFailedRuns(database, all)).toMatchObject([{ file: '/in/\uFFFD\uFFFD.csv', times: 1 }]);
    await execute(database, "UPDATE failed_runs SET last_at = now() - interval '15 days'", []);
    expect(await subjects()).toEqual([]);
    await execute(database, "UPDATE failed_runs SET last_at = now() - interval '91 days'", []);
    await noteFailedRun(database, { ...call, failures: [refused('/b')] });
    expect(await execute(database, 'UPDATE failed_runs SET times = times', [])).toBe(1);
  });

  it('is put away by a person, by its id or as an upload, until it fails again', async () => {
    const upload = { ...call, actor: { name: 'mo', channel: 'console' }, failures: [refused('a.csv')] };
    await noteFailedRun(database, { ...call, failures: [refused('/in/a.csv')] });
    await noteFailedRun(database, upload);
    const [{ id = 0 } = {}] = (await listFailedRuns(database, all)).filter(
      ({ file }) => file === '/in/a.csv',
    );
    expect(await putAwayFailedRun(database, { id }, ada)).toBe(true);
    expect(await subjects()).toEqual(['a.csv']);
    expect(await putAwayFailedRun(database, { id }, mo)).toBe(false);
    expect(await putAwayFailedRun(database, { upload: '/in/a.csv' }, mo)).toBe(false);
    expect(await putAwayFailedRun(database, { upload: 'a.csv' }, mo)).toBe(true);
    expect(await subjects()).toEqual([]);
    const noted = await query<{ by: string; has: boolean }>(
      database,
      { by: text, has: bool },
      'SELECT put_away_by AS by, put_away_at IS NOT NULL AS has FROM failed_runs ORDER BY file',
    );
    expect(noted).toEqual([
      { by: 'ada', has: true },
      { by: 'mo', has: true },
    ]);
    await noteFailedRun(database, upload);
    expect(await subjects()).toEqual(['a.csv']);
  });

  it('that was put away is in the trail each time, without its name', async () => {
    const failures = [refused('/in/salaries of May.csv')];
    const [{ id } = { id: 0 }] = await noteFailedRun(database, { ...call, failures });
    await putAwayFailedRun(database, { id }, ada);
    await noteFailedRun(database, { ...call, failures });
    await putAwayFailedRun(database, { id }, mo);
    const events = [];
    for await (const group of readAuditEvents(database, 'controls')) events.push(...group);
    const own = events.filter(
      ({ event, details }) => event === 'failed_run.put_away' && JSON.parse(details).failed_run === id,
    );
    expect(own).toMatchObject([
      { actor: 'ada', channel: 'console' },
      { actor: 'mo', channel: 'console' },
    ]);
    expect(own.map(({ details }) => JSON.parse(details))).toMatchObject([
      { code: 'unknown_kind', times: 1 },
      { code: 'unknown_kind', times: 2 },
    ]);
    expect(own.map(({ details }) => details).join()).not.toContain('salaries');
    const problems = async (): Promise<unknown> => compareWithTrail(database, ['controls']);
    expect(await problems()).toEqual([]);
    await database.transaction(async (transaction) => {
      await execute(transaction, 'ALTER TABLE failed_runs DISABLE TRIGGER USER');
      await execute(transaction, "UPDATE failed_runs SET put_away_by = 'eve' WHERE id = ?", [id]);
      await execute(transaction, 'ALTER TABLE failed_runs ENABLE TRIGGER USER');
    });
    expect(await problems()).toMatchObject([{ code: 'record_changed', what: 'put_away', id: String(id) }]);
    // What a later run has made good is gone, and the events stay.
    await execute(database, 'DELETE FROM failed_runs WHERE id = ?', [id]);
    expect(await problems()).toEqual([]);
  });
});
