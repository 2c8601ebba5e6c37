/*
 * Evidence for the audit trail besides its own hashes: the signatures of approvals and of replaced keys, and the heads of
 * chains in run logs. Somebody who rewrites the database cannot make such signatures, and cannot change the run logs.
 */

import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CallContext } from '../call/context.ts';
import { shortBatchId } from '../domain/batches/batch.ts';
import { type AuditHead, controlsChain } from '../domain/batches/batch-facts.ts';
import { rootOf } from '../domain/controls/leaves.ts';
import { endorsementText, isSignedBy, keyIdOf, sha256 } from '../domain/controls/statement.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { SignedApproval } from '../ledger/audit/events.ts';
import type { LedgerVerbs } from '../ledger/verbs.ts';
import type { LogProofs } from './log-proofs.ts';

/** An approval or a key with an invalid signature. */
export interface SignatureProblem {
  readonly code: 'signature_wrong';
  readonly chain: string;
  readonly what: 'approval' | 'key';
  readonly id: string;
}

/** The result of verifying the signatures of a ledger. */
interface VerifiedSignatures {
  readonly wrong: readonly SignatureProblem[];
  /** The approvals and rejections with valid signatures. */
  readonly sound: readonly SignedApproval[];
}

/**
 * Verifies signatures of approvals and of replaced keys.
 * @param chains whose approvals are verified; null for all
 */
export async function verifySignatures(
  verbs: Pick<LedgerVerbs, 'readSignedApprovals' | 'readEndorsedKeys'>,
  chains: readonly string[] | null,
): Promise<VerifiedSignatures> {
  const wrong: SignatureProblem[] = [];
  const sound: SignedApproval[] = [];
  for (const approval of await verbs.readSignedApprovals(chains)) {
    const { chain, id } = approval;
    if (isApprovalSigned(approval)) sound.push(approval);
    else wrong.push({ code: 'signature_wrong', chain, what: 'approval', id });
  }
  for (const key of await verbs.readEndorsedKeys()) {
    const { id, user, endorsement, previousKey } = key;
    if (isSignedBy(endorsementText(user, id), endorsement, previousKey)) continue;
    wrong.push({ code: 'signature_wrong', chain: controlsChain, what: 'key', id });
  }
  return { wrong, sound };
}

/** Whether the stated key has signed the statement, and the statement covers the stored rows. */
function isApprovalSigned({ statement, signature, rows, proof, keyId, publicKey }: SignedApproval): boolean {
  if (publicKey === null || keyIdOf(publicKey) !== keyId || !isSignedBy(statement, signature, publicKey)) {
    return false;
  }
  const said: { readonly rowsHash?: string; readonly leavesRoot?: string } = JSON.parse(statement);
  if (rows === null) return true;
  return sha256(rows) === said.rowsHash && rootOf(proof ?? Buffer.alloc(0)) === said.leavesRoot;
}

/* The heads of chains in run logs, which are outside the database. */

/** A head that a run log names. */
export interface LoggedHead extends AuditHead {
  readonly chain: string;
  /** The path of the log. */
  readonly log: string;
}

/** The logs in which heads are searched. */
interface LogsToRead {
  /** Chains whose heads are searched; null for all. */
  readonly chains: readonly string[] | null;
  /** Paths of run logs that were kept elsewhere. The logs in the folder of results are read as well. */
  readonly logs: readonly string[];
}

/**
 * The heads of this ledger's trail in run logs. Logs of another ledger are ignored. A log in the result folder that is also
 * stated is read only once.
 * @throws PaybatchError (`log_without_head`) if a stated log has no such head; OutputError if it cannot be read
 */
export async function* headsInLogs(
  app: CallContext,
  verbs: LedgerVerbs,
  inLogs: LogProofs,
  { chains, logs }: LogsToRead,
): AsyncGenerator<LoggedHead> {
  const ledgers = new Set(await verbs.listLedgerIds());
  const isMeant = ({ chain }: LoggedHead): boolean => chains === null || chains.includes(chain);
  const stated = new Map(logs.map((log) => [resolve(log), log]));
  for (const log of new Set([...logsInFolder(app, chains), ...stated.keys()])) {
    let heads = 0;
    for await (const head of headsIn(inLogs, log, ledgers)) {
      heads += 1;
      if (isMeant(head)) yield head;
    }
    const named = stated.get(log);
    if (heads > 0 || named === undefined) continue;
    throw new PaybatchError(
      'log_without_head',
      `The run log ${named} names no head of this ledger's audit trail: it is of another ledger, or its run had no end.`,
      { action: 'check', settings: ['databaseUrl', 'ledgerDir'] },
    );
  }
}

/**
 * The run logs in the result folder: those of the stated batches. All logs if no batch is stated, since each log has the
 * head of the chain `controls` as well.
 */
function logsInFolder(app: CallContext, chains: readonly string[] | null): readonly string[] {
  const folder = resolve(app.settings.output.out);
  if (!existsSync(folder)) return [];
  const batches = chains?.filter((chain) => chain !== controlsChain) ?? [];
  const shortIds = new Set(batches.map(shortBatchId));
  return readdirSync(folder).flatMap((name) => {
    const shortId = /\.([0-9a-f]{8})\.run\.jsonl$/.exec(name)?.[1];
    const isRead = shortId !== undefined && (shortIds.size === 0 || shortIds.has(shortId));
    return isRead ? [join(folder, name)] : [];
  });
}

async function* headsIn(
  inLogs: LogProofs,
  log: string,
  ledgers: ReadonlySet<string>,
): AsyncGenerator<LoggedHead> {
  for await (const event of inLogs.read(log)) {
    if (!ledgers.has(event.ledger)) continue;
    const { batch: chain, number, hash, controls_number: ofControls, controls_hash: hashOfControls } = event;
    yield { chain, number, hash, log };
    if (ofControls === null || hashOfControls === null) continue;
    yield { chain: controlsChain, number: ofControls, hash: hashOfControls, log };
  }
}
