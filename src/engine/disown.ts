/*
 * Live keys that may be sandbox keys: whether anything proves that a key is a live key, and how objects that were created
 * with a wrong key are taken back.
 */

import { type CallResult, noBatches } from '../account/result.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import { requireDurableLedger, unprovenKeyOf } from '../call/ledger-access.ts';
import { credentialFingerprint, readApiKey } from '../call/settings.ts';
import { noteOf, provenManager } from '../controls/user-key.ts';
import { requireOutFolder } from '../disk/file-system.ts';
import type { BatchAccount } from '../domain/batches/account.ts';
import type { LeasedBatch } from '../domain/batches/batch.ts';
import type { Disowning } from '../domain/controls/controls.ts';
import { PaybatchError, type Remedies } from '../domain/failures/paybatch-error.ts';
import * as disowning from '../ledger/controls/disowning.ts';
import { closeUnsentRows } from '../send/batches/settle.ts';
import { holdAll, requireKnownLogs, whileHeld } from '../send/hold.ts';
import { type RunToLive, withRun } from '../send/run.ts';
import { openBatchLog } from '../send/run-log.ts';

/** The request to disown a key that was not a live key. */
interface DisownRequest {
  /** The fingerprint of the key, as `doctor` and the report show it. */
  readonly key: string;
  /** How the mistake was found; kept in the ledger. */
  readonly note: string;
}

/** What was taken back. */
export interface DisownResult extends CallResult {
  readonly batches: readonly BatchAccount[];
  readonly key: string;
  /** The rows that the call has found and taken back. */
  readonly taken: Disowning;
}

/**
 * Disowns a key. Rows that were created live with it are staged again, together with rows that relied on their objects. The
 * next run sends all of them again, under new idempotency keys. Objects that other keys have created are kept. This call
 * sends nothing. A second call takes back any remaining rows.
 * @throws PaybatchError (`usage`) without a note; (`key_not_disowned`) for a key that was never used live, for the live key
 *   in force, and if no person agrees; (`rows_in_doubt`); (`busy`) while live rows are being sent; as `provenManager` does
 */
export async function disownKey(app: CallContext, request: DisownRequest): Promise<DisownResult> {
  const key = request.key.trim().toLowerCase();
  if (!/^[0-9a-f]{16}$/.test(key)) {
    throw refused(`"${request.key}" is no fingerprint: 16 hexadecimal digits are needed.`, {
      action: 'doctor',
      effect: 'shows that of the key in force',
    });
  }
  const note = noteOf('approve', request.note);
  if (note === '') {
    throw new PaybatchError(
      'usage',
      'A key is disowned with a note that says how it was found to be a sandbox key. Nothing was changed.',
      { action: 'set', oneOf: [{ setting: 'note' }] },
    );
  }
  if (liveKeysInForce(app).includes(key)) {
    throw refused(
      'This is the fingerprint of the live key in force. Nothing was changed.',
      'set the right live key first',
    );
  }
  await requireOutFolder(app.settings.output);
  const access = await app.connections.ledger();
  const verbs = access.verbsWith(disowning);
  const manager = await provenManager(app, await verbs.readControls(), true);
  await requireDurableLedger(access);
  const taken = await verbs.readDisowning(key);
  if (!taken.isKnown) {
    throw refused('Nothing was sent live with a key of this fingerprint.', {
      action: 'status',
      effect: 'shows the batches',
    });
  }
  if (taken.inDoubt > 0) throw refusedFor.in_doubt();
  await requireAgreement(app, key, taken);
  const by = manager?.actor ?? app.actor;
  const batches = await takeBack({ ...app, actor: by }, access, { key, note }, taken);
  return { outcome: 'done', batches, failure: null, key, taken };
}

/** The fingerprints of the live key: the one that the settings state, and that of the key that they contain. */
function liveKeysInForce({ settings, machine }: CallContext): readonly string[] {
  const { apiKey, apiKeyFile, liveApiKey, liveApiKeyFile, liveKeyFingerprint = '' } = machine;
  const ofMode = settings.api.mode === 'live' ? apiKey || apiKeyFile : undefined;
  const isGiven = Boolean(liveApiKey || liveApiKeyFile || ofMode);
  return [
    liveKeyFingerprint.trim().toLowerCase(),
    ...(isGiven ? [credentialFingerprint(readApiKey(machine, 'live'))] : []),
  ];
}

async function requireAgreement(app: CallContext, key: string, disowning: Disowning): Promise<void> {
  if (app.settings.sending.yes) return;
  const answer = await app.ask({ kind: 'disown', key, disowning });
  if (answer === 'yes') return;
  throw answer === 'nobody'
    ? refused('Nobody has agreed to it. Nothing was changed.', {
        action: 'set',
        purpose: 'agree',
        oneOf: [{ setting: 'yes' }],
      })
    : refused('Nothing was changed: the answer was not "yes".', {
        action: 'again',
        effect: 'when it is right',
      });
}

/** Number of rows whose lines are written to a run log at once. */
const rowsInAPage = 1_000;

async function takeBack(
  app: CallContext,
  access: LedgerAccess,
  { key, note }: { readonly key: string; readonly note: string },
  { batches }: Disowning,
): Promise<readonly BatchAccount[]> {
  const verbs = access.verbsWith(disowning);
  const found = await Promise.all(batches.map(({ id }) => verbs.findBatch(id)));
  const records = found.flatMap((batch) => batch ?? []);
  const holding = { command: 'disown', actor: app.actor, ofClosed: true };
  const held = await requireKnownLogs(app, access, await holdAll(access, records, holding));
  return whileHeld(app, access, held, async (leases) => {
    const runs = held.map(({ batch, run }) => ({ batchId: batch.id, runId: run.id }));
    const outcome = await verbs.disownKey({ key, note, by: app.actor, runs });
    if (outcome !== 'disowned') throw refusedFor[outcome]();
    const accounts: BatchAccount[] = [];
    for (const own of held) {
      const life: RunToLive = { kind: 'decides', outcomeOf: () => 'done', leases };
      const { account } = await withRun(app, access, own, life, async () => {
        await logTakenBack(app, access, own);
        // No rows of a closed batch are sent, and these must not be sent either.
        await closeUnsentRows(verbs, own.batch.id);
      });
      accounts.push(account);
    }
    return accounts;
  });
}

/**
 * Writes to the log which rows were taken back, after the ledger has recorded it. A ledger that is rebuilt from a log
 * without these lines has the rows as created. It sends none of them until the key is disowned there.
 */
async function logTakenBack(app: CallContext, access: LedgerAccess, own: LeasedBatch): Promise<void> {
  const verbs = access.verbsWith(disowning);
  const runLog = await openBatchLog(app, verbs, own);
  try {
    for (let after = 0; ; ) {
      const rows = await verbs.listTakenBack(own.batch.id, own.run.id, after, rowsInAPage);
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.verdict;
      runLog.append(
        rows.map(({ row, key, attempts }) => ({
          ...({ event: 'row.resolved', row, key, attempt: attempts } as const),
          ...({ verdict: 'disowned', id: null } as const),
        })),
      );
      await runLog.flush();
    }
    await runLog.seal();
  } finally {
    await runLog.close();
  }
}

function refused(message: string, next: Remedies): PaybatchError {
  return new PaybatchError('key_not_disowned', message, next);
}

const refusedFor: Readonly<Record<Exclude<disowning.DisowningOutcome, 'disowned'>, () => PaybatchError>> = {
  busy: () =>
    new PaybatchError('batch_held', 'A run sends live rows. Nothing was changed.', {
      action: 'advice',
      text: 'wait for its end, or halt everything',
      next: { action: 'again' },
    }),
  in_doubt: () =>
    new PaybatchError(
      'rows_in_doubt',
      'Rows that were sent with this key have no conclusive answer. They have to be decided before it is disowned. Nothing was changed.',
      { action: 'status', effect: 'shows in which batches a person has to decide' },
    ),
  changed: () => refused('Rows were sent with this key meanwhile. Nothing was changed.', { action: 'again' }),
};

/* Whether anything proves that the live key in force is a live key. Callers show this before anything is sent. */

/** What is known about the key in force. */
interface UnprovenKey extends CallResult {
  /**
   * The fingerprint of the live key if nothing proves that it is a live key; null if that is proven, and in sandbox mode.
   */
  readonly unprovenKey: string | null;
}

/**
 * Returns whether the live key in force is proven. Read only: no request is sent to the API.
 * @throws PaybatchError (`usage`) when the settings name no API or no key
 */
export async function readUnprovenKey(
  { connections }: CallContext,
  _: Readonly<Record<never, never>>,
): Promise<UnprovenKey> {
  const target = await connections.api();
  const { verbs } = await connections.ledgerToRead();
  return { ...noBatches, unprovenKey: await unprovenKeyOf(verbs, target) };
}
