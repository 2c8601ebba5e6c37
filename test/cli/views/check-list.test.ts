import { expect, it } from 'vitest';
import { checkLine, checkList } from '../../../src/cli/commands/set-up.ts';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';
import type { CheckFinding } from '../../../src/domain/machine/checks.ts';
import { type Message, say } from '../../../src/domain/settings/message.ts';
import { typedWords } from '../../support/words.ts';

const api = { mode: 'sandbox', origin: 'https://api.test' } as const;
const oneHourInMs = 3_600_000;

function failure(message: Message, remedies: ConstructorParameters<typeof PaybatchError>[2]): PaybatchError {
  return new PaybatchError('database_not_durable', message, remedies);
}

it('gives each check a line, and the next command where something is not in order', () => {
  const list = checkList(
    [
      { level: 'ok', what: 'API', finding: { code: 'api_answers', ...api } },
      {
        level: 'problem',
        what: 'database',
        finding: {
          code: 'failed',
          error: failure('It is not there. '.repeat(9).trim(), { action: 'doctor' }),
        },
      },
    ],
    typedWords,
    false,
  ).split('\n');
  expect(list[0]).toBe('ok       API       sandbox at https://api.test answers and takes the key');
  expect(list[1]).toMatch(/^problem {2}database {2}It is not there/);
  expect(list.at(-1)).toBe(`${' '.repeat(19)}next: paybatch doctor`);
  expect(Math.max(...list.map((line) => line.length))).toBeLessThanOrEqual(100);
});

const lost = ['0123456789', 'fedcba9876'].map((id, at) => ({
  batch: { ...api, id: `${id.slice(0, 8)}-${id}` },
  objects: at + 1,
}));

it.each<readonly [CheckFinding, finding: string, next: string | null]>([
  [
    { code: 'failed', error: failure(say`The disk of ${{ setting: 'out' }} is full.`, null) },
    'The disk of --out is full',
    'try again later',
  ],
  [
    { code: 'versions', paybatch: '1.2.3', node: '20.19.0', platform: 'linux x64' },
    'paybatch 1.2.3, Node.js 20.19.0, linux x64',
    null,
  ],
  [
    { code: 'folder_writable', path: 'results', isThere: true, freeInBytes: 20 * 1024 ** 3 },
    'the folder results can be written to, 20.0 GB free',
    null,
  ],
  [
    { code: 'folder_nearly_full', path: 'results', isThere: false, freeInBytes: 512 * 1024 ** 2 },
    'the folder results will be made, but there is little room: 0.5 GB free',
    'make room on that disk',
  ],
  [
    { code: 'folder_not_writable', path: '/proc', setting: 'out' },
    'the folder /proc cannot be written to',
    'choose another one: --out DIR',
  ],
  [
    { code: 'certificates_trusted', path: 'ca.pem', certificates: 2 },
    'trusts 2 certificates of NODE_EXTRA_CA_CERTS (ca.pem) as well',
    null,
  ],
  [
    { code: 'certificates_unreadable', path: 'ca.pem' },
    'NODE_EXTRA_CA_CERTS names ca.pem, which holds no certificates that can be read',
    'correct NODE_EXTRA_CA_CERTS, or unset it',
  ],
  [{ code: 'key_file_private', path: 'key' }, 'only its owner may read key', null],
  [{ code: 'key_file_readable_by_others', path: 'key' }, 'other users may read key', 'chmod 600 key'],
  [
    { code: 'ledger_not_there_yet' },
    'the embedded ledger; it is made by the first import; from 100,000 rows on a PostgreSQL server (DATABASE_URL) is advised',
    null,
  ],
  [
    { code: 'ledger_ready', serverVersion: null, hasBatches: false },
    'the embedded ledger is reachable, its schema is up to date, it has no batches yet; from 100,000 rows on a PostgreSQL server (DATABASE_URL) is advised',
    null,
  ],
  [
    { code: 'ledger_ready', serverVersion: '16.4', hasBatches: true },
    'PostgreSQL 16.4 is reachable, its schema is up to date, it has batches',
    null,
  ],
  [{ code: 'durable' }, 'fsync and synchronous_commit are on', null],
  [
    { code: 'durable_too_little_for_live', error: failure('The database has fsync off.', 'turn it on') },
    'The database has fsync off. Live runs refuse it',
    'turn it on',
  ],
  [{ code: 'clocks_agree', of: 'API', skewInMs: 1_400 }, "this machine's clock and the API's agree", null],
  [
    { code: 'clocks_agree', of: 'database', skewInMs: -59_000 },
    "this machine's clock and the database's agree within 59 s",
    null,
  ],
  [
    { code: 'clocks_differ', of: 'API', skewInMs: 120_000 },
    "this machine's clock is 120 s behind the API's: ages of keys are counted wrongly",
    'set the clock by NTP',
  ],
  [
    { code: 'clocks_differ', of: 'database', skewInMs: -120_000 },
    "this machine's clock is 120 s ahead of the database's: ages of keys are counted wrongly",
    'set the clock by NTP',
  ],
  [{ code: 'clock_unknown' }, 'the API does not tell its time', 'compare the clock yourself: date -u'],
  [{ code: 'lines_complete' }, 'every line of the ledger belongs to a row and its batch', null],
  [
    {
      code: 'lines_orphaned',
      orphans: [
        { what: 'row', rows: 1 },
        { what: 'created object', rows: 2 },
      ],
    },
    'the ledger has lines that belong to nothing (1 row, 2 created objects): somebody else has changed or deleted rows',
    'keep a copy of the database, and rebuild the ledger from the run logs, then: paybatch recover --help',
  ],
  [
    { code: 'logged_objects_known', logs: 3 },
    'every object that 3 logs in the folder of results tell of is in the ledger',
    null,
  ],
  [
    { code: 'logged_objects_lost', lost },
    'the logs tell of objects that no row has: 1 object of batch 01234567, 2 objects of batch fedcba98',
    'paybatch reconcile 01234567 --mode sandbox --base-url https://api.test names them; or paybatch reconcile fedcba98 --mode sandbox --base-url https://api.test names them',
  ],
  [
    { code: 'api_answers_with_error', ...api, httpStatus: 404 },
    'sandbox at https://api.test answers the list of institutions with 404',
    'check --base-url',
  ],
  [
    { code: 'proxied', proxyHost: 'proxy.test:8080' },
    'requests go through proxy.test:8080 (HTTPS_PROXY)',
    null,
  ],
  [
    { code: 'proxy_passed_by' },
    'requests go to the API directly, since NO_PROXY names it, and not through HTTPS_PROXY',
    null,
  ],
  [
    { code: 'key_lifetime_stated', durationInMs: oneHourInMs },
    'rows in doubt are sent again within 1h of their first send',
    null,
  ],
])('words the finding %o', (finding, text, next) => {
  expect(checkLine({ level: 'ok', what: 'API', finding }, typedWords)).toEqual({
    level: 'ok',
    what: 'API',
    finding: text,
    next,
  });
});

it('asks for the lifetime of keys where it is assumed', () => {
  const finding = { code: 'key_lifetime_assumed', durationInMs: oneHourInMs } as const;
  const line = checkLine({ level: 'warning', what: 'key lifetime', finding }, typedWords);
  expect(line.finding).toMatch(/^It is not stated .* only within 1h of its first send; .* for a person$/);
  expect(line.next).toMatch(/^ask the provider: .*, then state that: --key-lifetime 24h$/);
});
