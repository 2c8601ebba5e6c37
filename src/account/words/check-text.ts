/* The results of a check of the installation, and a stop of all sending, in sentences that the channels share. */

import { shortBatchId } from '../../domain/batches/batch.ts';
import { controlsChain } from '../../domain/batches/batch-facts.ts';
import type { Halt, HaltInForce } from '../../domain/controls/controls.ts';
import type { Remedies, Remedy } from '../../domain/failures/paybatch-error.ts';
import type { CheckFinding, LedgerRole } from '../../domain/machine/checks.ts';
import { countOf, groupedNumber } from '../../domain/money/money.ts';
import { type Message, say, withoutStop } from '../../domain/settings/message.ts';
import { durationOption } from '../../domain/settings/setting.ts';
import {
  assumedLifetimeRemedy,
  assumedLifetimeText,
  unprovenKeyRemedy,
  unprovenKeyText,
} from './note-text.ts';
import { minuteOf } from './wording.ts';

/**
 * The maximum number of rows in one file for which the embedded ledger is suitable. For more rows it takes over a
 * gigabyte of memory.
 */
const mostRowsEmbedded = 100_000;

/** Advice on the embedded ledger's size, whatever the size of a file. */
export const embeddedLedgerAdvice = say`from ${groupedNumber(mostRowsEmbedded)} rows on a PostgreSQL server (${{ setting: 'databaseUrl' }}) is advised`;

/** A finding as a sentence without its full stop, with remedies if something is wrong. Names are unescaped. */
export function checkText(finding: CheckFinding): readonly [text: Message, remedies?: Remedies] {
  switch (finding.code) {
    case 'failed': {
      const { said, remedies } = finding.error;
      return [withoutStop(said), remedies.length === 0 ? 'try again later' : remedies];
    }
    case 'halted': {
      const { inForce } = finding;
      return [withoutStop(haltText(inForce)), haltRemedy(inForce)];
    }
    case 'versions': {
      const { paybatch, node, platform } = finding;
      return [`paybatch ${paybatch}, Node.js ${node}, ${platform}`];
    }
    case 'folder_writable':
      return [`${folderState(finding)}, ${freeSpace(finding)}`];
    case 'folder_nearly_full': {
      const text = `${folderState(finding)}, but there is little room: ${freeSpace(finding)}`;
      return [text, 'make room on that disk'];
    }
    case 'folder_not_writable': {
      const { path, setting } = finding;
      const another = { action: 'set', purpose: 'choose another one', oneOf: [{ setting }] } as const;
      return [`the folder ${path} cannot be written to`, another];
    }
    case 'certificates_trusted': {
      const trusted = countOf(finding.certificates, 'certificate');
      return [`trusts ${trusted} of NODE_EXTRA_CA_CERTS (${finding.path}) as well`];
    }
    case 'certificates_unreadable': {
      const text = `NODE_EXTRA_CA_CERTS names ${finding.path}, which holds no certificates that can be read`;
      return [text, 'correct NODE_EXTRA_CA_CERTS, or unset it'];
    }
    case 'key_file_private':
      return [`only its owner may read ${finding.path}`];
    case 'key_file_readable_by_others':
      return [`other users may read ${finding.path}`, `chmod 600 ${finding.path}`];
    case 'ledger_not_there_yet':
      return [say`the embedded ledger; it is made by the first import; ${embeddedLedgerAdvice}`];
    case 'ledger_ready':
      return [ledgerText(finding)];
    case 'durable':
      return ['fsync and synchronous_commit are on'];
    case 'database_role':
      return roleWords(finding);
    case 'nobody_can_approve':
      return [
        'fewer approvers are in office than the policy asks for: what it is about cannot be sent',
        'add approvers; where nobody can approve them, the owner of the database restores a policy (docs/controls.md)',
      ];
    case 'durable_too_little_for_live': {
      const { said, remedies } = finding.error;
      return [say`${said} Live runs refuse it`, remedies];
    }
    case 'clocks_agree':
    case 'clocks_differ':
      return clockWords(finding);
    case 'clock_unknown':
      return ['the API does not tell its time', 'compare the clock yourself: date -u'];
    case 'lines_complete':
      return ['every line of the ledger belongs to a row and its batch'];
    case 'lines_orphaned': {
      const found = finding.orphans.map(({ what, rows }) => countOf(rows, what)).join(', ');
      const text = `the ledger has lines that belong to nothing (${found}): somebody else has changed or deleted rows`;
      return [text, rebuildingRemedy];
    }
    case 'trail_fits': {
      const looked = `${countOf(finding.events, 'last event')} of ${countOf(finding.chains, 'chain')}`;
      return [`${looked} fit together`, { action: 'verify_audit', purpose: 'for all of the trail' }];
    }
    case 'trail_broken': {
      const chains = finding.chains.map((chain) =>
        chain === controlsChain ? 'users, keys and policies' : `batch ${shortBatchId(chain)}`,
      );
      const text = `the audit trail is not as it was written: ${chains.join(', ')}`;
      return [text, { action: 'verify_audit', effect: 'says what does not fit' }];
    }
    case 'triggers_off':
      return [
        `triggers of the ledger are switched off, so that the database refuses and notes nothing there: ${finding.triggers.join(', ')}`,
        {
          action: 'advice',
          text: "switch them on as the tables' owner: ALTER TABLE table ENABLE TRIGGER trigger",
          next: { action: 'verify_audit' },
        },
      ];
    case 'logged_objects_known': {
      const logs = countOf(finding.logs, 'log');
      return [`every object that ${logs} in the folder of results tell of is in the ledger`];
    }
    case 'logs_left_to_workers':
      return ['what they tell is compared with the ledger where doctor runs as a worker or as the owner'];
    case 'logged_objects_lost':
      return lostWords(finding);
    case 'api_answers':
      return [say`${finding.mode} at ${{ origin: finding.origin }} answers and takes the key`];
    case 'sandbox_key':
      return [`the fingerprint of the sandbox key is ${finding.fingerprint}`];
    case 'live_key_compared':
      return [`the live key has the stated fingerprint, ${finding.fingerprint}`];
    case 'live_key_known':
      return [
        `the live key has the fingerprint ${finding.fingerprint}, and was used live before`,
        { ...unprovenKeyRemedy(finding.fingerprint), purpose: 'have every other key refused' },
      ];
    case 'live_key_unproven':
      return [unprovenKeyText(finding.fingerprint), unprovenKeyRemedy(finding.fingerprint)];
    case 'ledger_named':
      return [`live rows leave from the ledger ${finding.value}`, unlessStated('ledgerId', finding)];
    case 'policy_named':
      return [
        `they leave under the policy with the hash ${finding.value}`,
        unlessStated('policyHash', finding),
      ];
    case 'no_policy':
      return ['no policy is in force: live rows need no approvals'];
    case 'api_answers_with_error': {
      const { mode, origin, httpStatus } = finding;
      const text = say`${mode} at ${{ origin }} answers the list of institutions with ${httpStatus}`;
      return [text, { action: 'check', settings: ['baseUrl'] }];
    }
    case 'proxied':
      return [say`requests go through ${finding.proxyHost} (${{ setting: 'httpsProxy' }})`];
    case 'proxy_passed_by':
      return [
        say`requests go to the API directly, since ${{ setting: 'noProxy' }} names it, and not through ${{ setting: 'httpsProxy' }}`,
      ];
    case 'key_lifetime_stated': {
      const lifetime = durationOption(finding.durationInMs);
      return [`rows in doubt are sent again within ${lifetime} of their first send`];
    }
    case 'key_lifetime_assumed':
      return [assumedLifetimeText(finding.durationInMs), assumedLifetimeRemedy];
  }
}

/** The setting that makes the live key useless with another ledger, or under another policy. */
function unlessStated(
  setting: 'ledgerId' | 'policyHash',
  { value, isStated }: Extract<CheckFinding, { code: 'ledger_named' | 'policy_named' }>,
): Remedies {
  const purpose =
    setting === 'ledgerId' ? 'have every other ledger refused' : 'have every other policy refused';
  return isStated ? null : { action: 'set', purpose, oneOf: [{ setting, value }] };
}

/** The findings that have this property. */
type Found<Fact extends string> = Extract<CheckFinding, Record<Fact, unknown>>;

function folderState({ path, isThere }: Found<'freeInBytes'>): string {
  return `the folder ${path} ${isThere ? 'can be written to' : 'will be made'}`;
}

function freeSpace({ freeInBytes }: Found<'freeInBytes'>): string {
  return `${(freeInBytes / 1024 ** 3).toFixed(1)} GB free`;
}

function ledgerText({ serverVersion, hasBatches }: Found<'serverVersion'>): Message {
  const name = serverVersion === null ? 'the embedded ledger' : `PostgreSQL ${serverVersion}`;
  const batches = hasBatches ? 'it has batches' : 'it has no batches yet';
  const state = `${name} is reachable, its schema is up to date, ${batches}`;
  return serverVersion === null ? say`${state}; ${embeddedLedgerAdvice}` : state;
}

const mayDo: Readonly<Record<LedgerRole, string>> = {
  worker: 'import and send',
  approver: 'store approvals, and decisions about users and policies',
  console: 'sign people in',
};

function roleWords({
  login,
  isOwner,
  roles,
  hasPolicy,
}: Found<'hasPolicy'>): readonly [text: string, remedies?: Remedies] {
  if (isOwner) {
    const text = `${login} owns the tables of the ledger, and can change everything in them`;
    return hasPolicy
      ? [
          `${text}, the policy and its approvals too`,
          'let the program log in as a member of paybatch_worker (docs/controls.md)',
        ]
      : [text];
  }
  if (roles.length === 0)
    return [`${login} has none of the roles of the ledger; its rights were given by hand`];
  const names = roles.map((role) => `paybatch_${role}`).join(', ');
  const may = roles.map((role) => mayDo[role]).join('; ');
  const limits = [
    ...(roles.includes('worker') ? [] : ['send']),
    roles.includes('approver')
      ? 'put a policy into force without the approvals'
      : 'change users, policies or approvals',
  ];
  const title = `${login} has the ${roles.length === 1 ? 'role' : 'roles'} ${names}`;
  return [`${title}: it may ${may}. It cannot ${limits.join(', or ')}`];
}

function clockWords({ code, of, skewInMs }: Found<'skewInMs'>): readonly [text: string, remedies?: Remedies] {
  const seconds = Math.round(Math.abs(skewInMs) / 1000);
  if (code === 'clocks_agree') {
    return [`this machine's clock and the ${of}'s agree${seconds > 1 ? ` within ${seconds} s` : ''}`];
  }
  const direction = skewInMs > 0 ? 'behind' : 'ahead of';
  const text = `this machine's clock is ${seconds} s ${direction} the ${of}'s: ages of keys are counted wrongly`;
  return [text, 'set the clock by NTP'];
}

const rebuildingRemedy: Remedy = {
  action: 'advice',
  text: 'keep a copy of the database, and rebuild the ledger from the run logs',
  next: { action: 'help', of: 'recover' },
};

function lostWords({ lost }: Found<'lost'>): readonly [text: string, remedies: Remedies] {
  const which = lost.map(
    ({ batch, objects }) => `${countOf(objects, 'object')} of batch ${shortBatchId(batch.id)}`,
  );
  const naming = lost.map(
    ({ batch }): Remedy => ({
      action: 'reconcile',
      batch: shortBatchId(batch.id),
      environment: batch,
      effect: 'names them',
    }),
  );
  return [`the logs tell of objects that no row has: ${which.join(', ')}`, naming];
}

/* A stop of everything. */

/** Since when everything is halted, by whom and why: `... has been halted since 2026-11-20 10:03 UTC, by ama: wrong file`. */
export function haltedSince({ at, by, note }: Halt): string {
  return `Everything has been halted since ${minuteOf(at)} UTC, by ${by}: ${note}`;
}

/**
 * Since when and why everything is halted, by whom, and which rows in doubt will be held if the halt lasts. The note is
 * unchanged.
 */
export function haltSentences({ halt, inDoubt }: Pick<HaltInForce, 'halt' | 'inDoubt'>): readonly string[] {
  const said = haltedSince(halt);
  return inDoubt === null
    ? [said]
    : [
        said,
        `${countOf(inDoubt.rows, 'row')} in doubt ${inDoubt.rows === 1 ? 'is' : 'are'} held if it lasts: the first from ${minuteOf(inDoubt.firstHeldAt)} on, all from ${minuteOf(inDoubt.lastHeldAt)} UTC on.`,
      ];
}

/** The same sentences as one text. */
function haltText(inForce: Pick<HaltInForce, 'halt' | 'inDoubt'>): string {
  return haltSentences(inForce)
    .map((said) => `${withoutStop(said)}.`)
    .join(' ');
}

/** The remedy that lifts the halt. */
export function haltRemedy({ liftedBy }: Pick<HaltInForce, 'liftedBy'>): Remedy {
  return { action: 'lift_halt', policy: liftedBy };
}
