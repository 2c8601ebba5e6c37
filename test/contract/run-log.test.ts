import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { csvOf, customer, customers, readLog, recipient } from '../support/cli-files.ts';

/** The present text of all run logs on disk. */
function logsOnDisk(folder: string): string {
  const results = join(folder, 'results');
  return readdirSync(results)
    .filter((name) => name.endsWith('.run.jsonl'))
    .map((name) => readFileSync(join(results, name), 'utf8'))
    .join('');
}

describe('the run log', () => {
  it('holds every key on disk before its request reaches the API', async () => {
    const late: string[] = [];
    let desk: Desk | undefined;
    let requests = 0;
    desk = await openDesk({
      program: 'started',
      onRequest: ({ idempotencyKey }) => {
        requests += 1;
        const staged = `"event":"row.staged"`;
        const line = logsOnDisk(desk?.folder ?? '')
          .split('\n')
          .find((text) => text.includes(`"${idempotencyKey}"`) && text.includes(staged));
        if (line === undefined) late.push(String(idempotencyKey));
        return undefined;
      },
    });
    const file = await desk.write('people.csv', csvOf(customers(60)));
    expect((await desk.run(['import', file])).exitCode).toBe(0);
    expect({ requests, late }).toEqual({ requests: 60, late: [] });
  });

  it('records what happened to every row, in events that a program can follow', async () => {
    const desk = await openDesk();
    const rows = [
      customer(1),
      customer(2, { email: 'nobody' }),
      customer(3, { last_name: 'Refused' }),
      customer(4, { last_name: 'Error Once' }),
    ];
    const file = await desk.write('people.csv', csvOf(rows));
    const { summary } = await desk.json(['import', file]);
    const events = readLog(await desk.resultText('.run.jsonl'));
    const batch = summary.batches[0]?.batch;
    for (const event of events) {
      expect(event).toMatchObject({ batch, time: expect.stringMatching(/^\d{4}-.*Z$/) });
    }
    const names = events.map(({ event }) => String(event));
    expect(names.filter((name) => name.startsWith('run.'))).toEqual(['run.started', 'run.finished']);
    expect(names.indexOf('claim.made')).toBeGreaterThan(-1);
    expect(names.indexOf('claim.made')).toBeLessThan(names.indexOf('row.answered'));
    const stories = [2, 3, 4, 5].map((row) =>
      events
        .filter((event) => event['row'] === row)
        .map(({ event, attempt, status, outcome }) => [event, attempt, status, outcome].join(' ').trim()),
    );
    expect(stories).toEqual([
      ['row.staged 0', 'row.answered 1 201 created', 'row.final 1 created'],
      ['row.final 0 invalid'],
      ['row.staged 0', 'row.answered 1 422 refused', 'row.final 1 rejected'],
      ['row.staged 0', 'row.answered 1 500 unknown', 'row.answered 2 201 created', 'row.final 2 created'],
    ]);
    const keys = events.filter((event) => event['row'] === 5).map((event) => event['key']);
    expect(new Set(keys).size).toBe(1);
    expect(events.at(-1)).toMatchObject({ event: 'run.finished', exit_code: 1, counts: { created: 2 } });
  });

  it('is appended by every run, and has the stop of a run with its cause', async () => {
    let isClosed = true;
    const desk = await openDesk({ onRequest: () => (isClosed ? '401' : undefined) });
    const file = await desk.write('people.csv', csvOf(customers(3)));
    expect((await desk.run(['import', file])).exitCode).toBe(6);
    isClosed = false;
    expect((await desk.run(['import', file])).exitCode).toBe(0);
    const events = readLog(await desk.resultText('.run.jsonl'));
    const runEvents = events.filter(({ event }) => String(event).startsWith('run.'));
    expect(runEvents.map(({ event, code, exit_code }) => [event, code ?? exit_code])).toEqual([
      ['run.started', undefined],
      ['run.stopped', 'credentials'],
      ['run.finished', 6],
      ['run.started', undefined],
      ['run.finished', 0],
    ]);
  });

  it('holds nothing personal and no key of the API, and neither does what is said to people', async () => {
    const desk = await openDesk({ program: 'started' });
    const people = [
      customer(1, { first_name: 'Wanjiku', last_name: 'Kariuki' }),
      customer(2, { first_name: 'Otieno', last_name: 'Refused', email: 'otieno@private.example' }),
      customer(3, { first_name: 'Njeri', phone: '+1', email: 'njeri at private.example' }),
    ];
    const sepa = {
      payee_type: 'sepa',
      customer_external_id: 'C-1',
      account_name: 'Wanjiku Kariuki',
      account_number: '',
      currency: 'EUR',
      institution_name: '',
      institution_country: '',
      iban: 'DE89370400440532013000',
      bank_name: 'Beispielbank',
      account_owner_type: 'individual',
      address_line1: 'Lindenweg 4',
      city: 'Leipzig',
      postal_code: '04109',
      country: 'DE',
    };
    const empty = Object.fromEntries(Object.keys(sepa).map((name) => [name, '']));
    const payees = [
      sepa,
      { ...empty, ...recipient(1, { account_number: '7788404404' }) },
      { ...empty, ...recipient(1, { account_number: '99 not a number', account_name: 'Wanjiku Kariuki' }) },
    ];
    const files = [
      await desk.write('people.csv', csvOf(people)),
      await desk.write('payees.csv', csvOf(payees)),
    ];
    const { stdout, stderr } = await desk.run(['import', ...files, '--verbose']);
    const secrets = [
      ...[
        'Wanjiku',
        'Kariuki',
        'Otieno',
        'Njeri',
        'private.example',
        'people.example',
        '+2547',
        '2547120000',
        '7788404404',
      ],
      ...['DE8937', '0532013000', 'Lindenweg', '99 not a number', desk.sandbox.apiKeys.sandbox],
    ];
    const said = `${logsOnDisk(desk.folder)}${stdout}${stderr}`;
    expect(secrets.filter((secret) => said.includes(secret))).toEqual([]);
    expect(said).toContain('row.final');
  });
});
