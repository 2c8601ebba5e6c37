import { expect, it } from 'vitest';
import { checkText, embeddedLedgerAdvice } from '../../../src/account/words/check-text.ts';
import { noteText } from '../../../src/account/words/note-text.ts';
import { readSettings } from '../../../src/call/settings.ts';
import { terminalText } from '../../../src/cli/options/options.ts';
import { commandLineWords } from '../../../src/cli/remedies/remedy-text.ts';
import { consoleWords, pageNoteText, pageText } from '../../../src/console/pages/page-words.ts';
import type { Note } from '../../../src/domain/batches/note.ts';
import {
  PaybatchError,
  type Remedies,
  type Remedy,
  remediesOf,
} from '../../../src/domain/failures/paybatch-error.ts';
import type { CheckFinding } from '../../../src/domain/machine/checks.ts';
import { allSettings } from '../../../src/domain/settings/definitions.ts';
import { type Message, requestParts } from '../../../src/domain/settings/message.ts';
import { machineSettingNames } from '../../../src/domain/settings/setting.ts';
import { noRoom } from '../../../src/ledger/connection/database-failure.ts';

/*
 * Every note, every finding of `doctor` and every remedy as each channel says it, in one file to read: what changes there is
 * what a person will read otherwise. An update (`vitest run -u`) is to be looked at line by line.
 */

const origin = 'local-sandbox:8644d525-361c-49c7-b3ff-4e22596667b5';
const error = noRoom(undefined);

/** A note of each code; a code without one is a type error. */
const notes: { readonly [Code in Note['code']]: readonly Extract<Note, { code: Code }>[] } = {
  file_remark: [
    {
      code: 'file_remark',
      file: '-',
      text: '2 rows look like headings, totals or examples: 4 and 9; left out',
    },
  ],
  proposed_without: [
    { code: 'proposed_without', missing: { of: 'institutions', country: 'KE' }, error },
    { code: 'proposed_without', missing: { of: 'customers' }, error },
  ],
  built_in_sandbox: [{ code: 'built_in_sandbox', folder: '.paybatch-sandbox' }],
  live_key_first_used: [{ code: 'live_key_first_used', fingerprint: '0123456789abcdef' }],
  key_lifetime_assumed: [{ code: 'key_lifetime_assumed', durationInMs: 600_000 }],
  institutions_changed: [
    { code: 'institutions_changed', file: 'may.csv', countries: ['KE', 'UG'], movedRows: 0 },
    { code: 'institutions_changed', file: 'may.csv', countries: ['KE'], movedRows: 2 },
  ],
  rows_verified: [{ code: 'rows_verified', file: 'may.csv', rows: 1 }],
  institutions_incomplete: [{ code: 'institutions_incomplete', country: 'KE', institutions: 50 }],
  read_from_standby: [
    { code: 'read_from_standby', server: 'db2:5432', knownUntil: '2026-11-20 02:15:00 UTC' },
  ],
  log_completed: [{ code: 'log_completed', file: 'may.csv', rows: 3 }],
  log_torn: [{ code: 'log_torn', log: 'may.run.jsonl', events: 2, lines: [7, 9] }],
  log_damaged: [
    {
      code: 'log_damaged',
      log: 'may.run.jsonl',
      damages: [{ kind: 'changed', from: 4, to: 5, hidden: 0, chain: null }],
      isCompleted: true,
    },
  ],
  log_unproven: [
    { code: 'log_unproven', log: 'a.jsonl', isUnlinked: true, lines: 9, isFinished: true, isHeld: false },
    { code: 'log_unproven', log: 'a.jsonl', isUnlinked: false, lines: 9, isFinished: false, isHeld: true },
  ],
  rows_shown: [{ code: 'rows_shown', rows: 2 }],
  mapping_not_remembered: [
    { code: 'mapping_not_remembered', path: 'may.mapping.json', reason: 'The ledger is read-only.' },
  ],
  same_content: [{ code: 'same_content', file: 'may 2.csv', firstFile: 'may.csv' }],
  rows_returned: [{ code: 'rows_returned', batch: '961a3f1c', rejected: 3, waiting: 1 }],
  later_batch: [{ code: 'later_batch', batch: '961a3f1c' }],
  rows_recovered: [
    { code: 'rows_recovered', rows: 0, wasKnown: true },
    { code: 'rows_recovered', rows: 2, wasKnown: false },
  ],
  notice_not_written: [{ code: 'notice_not_written', path: 'notice.txt', reason: 'there is no room' }],
  files_kept: [{ code: 'files_kept', paths: ['a.csv', 'b.csv'] }],
  reading_contradicted: [{ code: 'reading_contradicted', error }],
};

const chain = '3f2a9c1e-0000-5000-8000-000000000000';

/** A finding of each code; a code without one is a type error. */
const findings: Readonly<Record<CheckFinding['code'], readonly CheckFinding[]>> = {
  halted: [
    {
      code: 'halted',
      inForce: {
        halt: { id: 1, note: 'wrong accounts', by: 'ada', at: '2026-05-04T08:00:00Z' },
        liftedBy: null,
        inDoubt: { rows: 2, firstHeldAt: '2026-05-05T08:00:00Z', lastHeldAt: '2026-05-05T09:30:00Z' },
      },
    },
    {
      code: 'halted',
      inForce: {
        halt: { id: 2, note: 'An alarm.', by: 'ben', at: '2026-05-04T08:00:00Z' },
        liftedBy: 3,
        inDoubt: null,
      },
    },
  ],
  failed: [
    { code: 'failed', error },
    { code: 'failed', error: new PaybatchError('ledger_locked', 'Another process has the ledger.', null) },
  ],
  versions: [{ code: 'versions', paybatch: '0.1.0', node: '20.19.0', platform: 'linux x64' }],
  folder_writable: [{ code: 'folder_writable', path: 'results', isThere: true, freeInBytes: 2 ** 31 }],
  folder_nearly_full: [{ code: 'folder_nearly_full', path: 'results', isThere: false, freeInBytes: 2 ** 28 }],
  folder_not_writable: [{ code: 'folder_not_writable', path: 'results', setting: 'out' }],
  certificates_trusted: [{ code: 'certificates_trusted', path: 'ca.pem', certificates: 2 }],
  certificates_unreadable: [{ code: 'certificates_unreadable', path: 'ca.pem' }],
  key_file_private: [{ code: 'key_file_private', path: 'api.key' }],
  key_file_readable_by_others: [{ code: 'key_file_readable_by_others', path: 'api.key' }],
  ledger_not_there_yet: [{ code: 'ledger_not_there_yet' }],
  ledger_ready: [
    { code: 'ledger_ready', serverVersion: null, hasBatches: true },
    { code: 'ledger_ready', serverVersion: '17.2', hasBatches: false },
  ],
  durable: [{ code: 'durable' }],
  database_role: [
    { code: 'database_role', login: 'app', isOwner: true, roles: [], hasPolicy: true },
    { code: 'database_role', login: 'app', isOwner: false, roles: ['worker', 'console'], hasPolicy: true },
  ],
  nobody_can_approve: [{ code: 'nobody_can_approve' }],
  durable_too_little_for_live: [{ code: 'durable_too_little_for_live', error }],
  clocks_agree: [{ code: 'clocks_agree', of: 'API', skewInMs: 2_000 }],
  clocks_differ: [{ code: 'clocks_differ', of: 'database', skewInMs: -90_000 }],
  clock_unknown: [{ code: 'clock_unknown' }],
  lines_complete: [{ code: 'lines_complete' }],
  lines_orphaned: [{ code: 'lines_orphaned', orphans: [{ what: 'attempt', rows: 2 }] }],
  trail_fits: [{ code: 'trail_fits', chains: 1, events: 9 }],
  trail_broken: [{ code: 'trail_broken', chains: [chain, 'controls'] }],
  triggers_off: [{ code: 'triggers_off', triggers: ['rows.guard'] }],
  logged_objects_known: [{ code: 'logged_objects_known', logs: 3 }],
  logs_left_to_workers: [{ code: 'logs_left_to_workers' }],
  logged_objects_lost: [
    { code: 'logged_objects_lost', lost: [{ batch: { id: chain, mode: 'sandbox', origin }, objects: 2 }] },
  ],
  api_answers: [{ code: 'api_answers', mode: 'sandbox', origin }],
  api_answers_with_error: [{ code: 'api_answers_with_error', mode: 'sandbox', origin, httpStatus: 500 }],
  sandbox_key: [{ code: 'sandbox_key', fingerprint: '0123456789abcdef' }],
  live_key_compared: [{ code: 'live_key_compared', fingerprint: '0123456789abcdef' }],
  live_key_known: [{ code: 'live_key_known', fingerprint: '0123456789abcdef' }],
  live_key_unproven: [{ code: 'live_key_unproven', fingerprint: '0123456789abcdef' }],
  ledger_named: [
    { code: 'ledger_named', value: '8644d525-361c-49c7-b3ff-4e22596667b5', isStated: false },
    { code: 'ledger_named', value: '8644d525-361c-49c7-b3ff-4e22596667b5', isStated: true },
  ],
  policy_named: [{ code: 'policy_named', value: 'ab12', isStated: false }],
  no_policy: [{ code: 'no_policy' }],
  proxied: [{ code: 'proxied', proxyHost: 'proxy.example' }],
  proxy_passed_by: [{ code: 'proxy_passed_by' }],
  key_lifetime_stated: [{ code: 'key_lifetime_stated', durationInMs: 86_400_000 }],
  key_lifetime_assumed: [{ code: 'key_lifetime_assumed', durationInMs: 600_000 }],
};

const everySetting = [
  ...allSettings.map(({ name }) => name),
  ...machineSettingNames,
  ...new Set(requestParts),
].sort();

const words = commandLineWords({ settings: readSettings({}) });

function lines(text: Message, remedies: Remedies = null, onPage = pageText(text)): string[] {
  return [
    `  terminal  ${terminalText(text)}`,
    `  page      ${onPage}`,
    ...remediesOf(remedies).flatMap((remedy) => [
      `  terminal    next: ${words.remedy(remedy)}`,
      `  page        next: ${consoleWords.remedy(remedy)}`,
    ]),
  ];
}

it('says every note, finding and remedy as it is recorded', async () => {
  const remedies: readonly Remedy[] = [
    ...everySetting.flatMap((setting): Remedy[] => [
      { action: 'set', oneOf: [{ setting }] },
      { action: 'leave_out', settings: [{ setting }] },
      { action: 'check', settings: [setting] },
    ]),
    ...(['resume', 'retry', 'results', 'close', 'reconcile'] as const).map(
      (action): Remedy => ({ action, batch: '961a3f1c' }),
    ),
    ...(['import', 'plan', 'validate'] as const).map(
      (action): Remedy => ({ action, files: ['may.csv'], asRead: true }),
    ),
    ...(['migrate', 'doctor', 'verify_audit', 'remembered_mappings', 'again', 'status'] as const).map(
      (action): Remedy => ({ action }),
    ),
    { action: 'lift_halt', policy: null },
    { action: 'lift_halt', policy: 3 },
    { action: 'again', remark: 'redirects are never followed' },
    { action: 'again', effect: 'when the API is back', purpose: 'wait', next: { action: 'doctor' } },
  ];
  const told = [
    ...Object.entries(notes).flatMap(([code, each]) =>
      each.flatMap((note) => {
        const { text, remedies: helping } = noteText(note);
        return [`note ${code}`, ...lines(text, helping, pageNoteText(note))];
      }),
    ),
    ...Object.entries(findings).flatMap(([code, each]) =>
      each.flatMap((finding) => [`finding ${code}`, ...lines(...checkText(finding))]),
    ),
    'advice on the embedded ledger',
    ...lines(embeddedLedgerAdvice),
    'remedies',
    ...remedies.flatMap((remedy) => [
      `  terminal  ${words.remedy(remedy)}`,
      `  page      ${consoleWords.remedy(remedy)}`,
    ]),
  ];
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot('every-sentence.txt');
});
