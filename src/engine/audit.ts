/* The audit trail: its verification from the first event to the last, and its export. */

import { ReplacementFile } from '../account/files/replacement-file.ts';
import { type CallResult, noBatches } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { findNamedBatch, openToRead } from '../call/ledger-access.ts';
import { type FoundInLogs, LogProofs, type RowProblem } from '../controls/log-proofs.ts';
import { proveRows, type RowProofs } from '../controls/row-proofs.ts';
import {
  headsInLogs,
  type LoggedHead,
  type SignatureProblem,
  verifySignatures,
} from '../controls/trail-evidence.ts';
import { type AuditHead, controlsChain } from '../domain/batches/batch-facts.ts';
import { type ChainCheck, checkChain, exportedEvent, type LinkProblem } from '../domain/controls/audit.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import type { SignedApproval } from '../ledger/audit/events.ts';
import * as loggedVerbs from '../ledger/audit/logged-requests.ts';
import { compareWithTrail, type RecordProblem } from '../ledger/audit/records.ts';
import * as rowVerbs from '../ledger/audit/rows.ts';
import type { LedgerVerbs, VerbsWith } from '../ledger/verbs.ts';

/** What is wrong with a chain, or with the data that it describes. */
export type AuditProblem =
  | LinkProblem
  | Omit<RecordProblem, 'chain'>
  | Omit<SignatureProblem, 'chain'>
  | Omit<rowVerbs.ClaimProblem, 'chain'>
  | RowProblem
  /** A run log names this event with another hash than the chain has, or the chain does not have the event. */
  | {
      readonly code: 'logged_head_differs';
      readonly number: number;
      readonly hash: string;
      readonly log: string;
    };

/** One chain of the trail. */
export interface AuditedChain {
  /** A batch's id, or `controls`: users, keys and policies. */
  readonly chain: string;
  readonly events: number;
  /** Its last event; null for a chain without events. */
  readonly head: AuditHead | null;
  /** The proofs of a batch's rows; null for `controls`, and for a batch that was given up. */
  readonly rows: Omit<RowProofs, 'problems'> | null;
  /**
   * The first broken link, then differences from the tables, the signatures, the run logs, the approvals and the answers.
   */
  readonly problems: readonly AuditProblem[];
}

/** Which chains to verify or export. */
interface AuditRequest {
  /** A batch by its id or 4 or more of its first characters, or `controls`; all chains when absent. */
  readonly batch?: string | undefined;
}

/** The result of a verification. The outcome is `decision_needed` if anything is wrong. */
export interface AuditVerification extends CallResult {
  /** The chains of batches, then `controls`, which is verified with every batch: its keys sign the approvals. */
  readonly chains: readonly AuditedChain[];
  /** The stated head if no verified chain has it; otherwise null. */
  readonly unknownHead: string | null;
  /** Number of heads in run logs that the chains were compared with, each counted once. */
  readonly loggedHeads: number;
}

interface VerificationRequest extends AuditRequest {
  /** SHA-256 of an event, in hex, from a report, a run log or the JSON of a call. */
  readonly head?: string | undefined;
  /** Paths of run logs that were kept elsewhere. The logs in the folder of results are read as well. */
  readonly logs?: readonly string[] | undefined;
}

/**
 * Recomputes the hashes of all events. Compares the trail with the tables, with the signatures of approvals, with the heads
 * that run logs name, and with a head that a person kept.
 * @throws PaybatchError (`usage`) when the batch does not exist, or the head is not a SHA-256; (`log_without_head`) when a
 *   stated log has no head of this ledger
 */
export async function verifyAudit(
  app: CallContext,
  { batch, head, logs = [] }: VerificationRequest,
): Promise<AuditVerification> {
  const named = head?.trim().toLowerCase();
  if (named !== undefined && !/^[0-9a-f]{64}$/.test(named)) {
    throw new PaybatchError('usage', `"${head}" is no head: 64 hexadecimal digits are needed.`, {
      action: 'advice',
      text: 'take it from a report, a run log or the JSON of a call',
    });
  }
  if (!app.connections.isLedgerThere()) return endOf([], named ?? null, 0);
  const verbs = (await openToRead(app)).verbsWith({ ...rowVerbs, ...loggedVerbs, compareWithTrail });
  const chosen = await chainNamed(verbs, batch);
  const chains = chosen === null ? null : [...new Set([chosen, controlsChain])];
  const heads = await verbs.readAuditHeads(chains);
  const walks = new Map([...heads].map(([chain, of]) => [chain, walkAlong(of)]));
  const loggedHeads = new Set<string>();
  const inLogs = new LogProofs(verbs, (batch) => chains === null || chains.includes(batch));
  for await (const logged of headsInLogs(app, verbs, inLogs, { chains, logs })) {
    // A chain with no events left has no head in the ledger either.
    const walk = walks.get(logged.chain) ?? walkAlong(undefined);
    walks.set(logged.chain, walk);
    walk.logged.set(`${logged.number} ${logged.hash}`, logged);
    loggedHeads.add(`${logged.chain} ${logged.number} ${logged.hash}`);
  }
  let isKnown = named === undefined;
  for (const chain of chains ?? [null]) {
    for await (const events of verbs.readAuditEvents(chain)) {
      for (const event of events) {
        const walk = walks.get(event.chain) ?? walkAlong(undefined);
        walks.set(event.chain, walk);
        walk.check.add(event);
        walk.logged.delete(`${event.number} ${event.hash}`);
        if (event.hash === named && event.chain === (chosen ?? event.chain)) isKnown = true;
      }
    }
  }
  const { wrong, sound } = await verifySignatures(verbs, chains);
  const others = [
    ...(await verbs.compareWithTrail(chains).catch((error: unknown) => {
      // Details that are not JSON cannot be compared. Such an event breaks a link of its chain, and that is reported
      // anyway.
      if ([...walks.values()].every(({ check }) => check.result().problem === null)) throw error;
      return [];
    })),
    ...wrong,
    ...(await verbs.listUnapprovedClaims(chains)),
  ];
  for (const { chain } of others) if (!walks.has(chain)) walks.set(chain, walkAlong({ number: 0, hash: '' }));
  const audited: AuditedChain[] = [];
  for (const [chain, walk] of walks) {
    const ofChain = others.filter((other) => other.chain === chain);
    const proofs = await proofsOfRows(app, verbs, chain, sound, inLogs.of(chain));
    audited.push(auditedChain(chain, walk, ofChain, proofs));
  }
  return endOf(audited.sort(controlsLast), isKnown ? null : (named ?? null), loggedHeads.size);
}

/** The verification of a chain while its events are read. */
interface Walk {
  readonly check: ChainCheck;
  /** Heads in run logs whose events were not read yet. Each head is listed once. */
  readonly logged: Map<string, LoggedHead>;
}

function walkAlong(head: AuditHead | undefined): Walk {
  return { check: checkChain(head), logged: new Map() };
}

function auditedChain(
  chain: string,
  { check, logged }: Walk,
  others: readonly (RecordProblem | SignatureProblem | rowVerbs.ClaimProblem)[],
  proofs: RowProofs | null,
): AuditedChain {
  const { events, last: head, problem } = check.result();
  const { problems, ...rows } = proofs ?? { problems: [] };
  return {
    chain,
    events,
    head,
    rows: 'requests' in rows ? rows : null,
    problems: [
      ...(problem === null ? [] : [problem]),
      ...others.map(({ chain: _, ...other }) => other),
      ...[...logged.values()].map(
        ({ number, hash, log }) => ({ code: 'logged_head_differs', number, hash, log }) as const,
      ),
      ...problems,
    ],
  };
}

/** The proofs of a batch's rows; null if the chain does not belong to a batch in the ledger. */
async function proofsOfRows(
  app: CallContext,
  verbs: VerbsWith<typeof rowVerbs>,
  chain: string,
  approvals: readonly SignedApproval[],
  found: FoundInLogs,
): Promise<RowProofs | null> {
  // A person who manipulates the trail may give a chain any name.
  const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(chain);
  const batch = isUuid ? await verbs.findBatch(chain) : undefined;
  if (batch === undefined) return null;
  const customerIdPaths = app.settings.api.customerIdPath;
  return proveRows(verbs, batch, {
    approvals: approvals.filter((approval) => approval.chain === chain),
    found,
    readAnswer: (definition, json) => definition.readAnswer(json, { customerIdPaths }),
  });
}

function controlsLast({ chain: left }: AuditedChain, { chain: right }: AuditedChain): number {
  if (left === controlsChain || right === controlsChain)
    return left === right ? 0 : left === controlsChain ? 1 : -1;
  return left < right ? -1 : 1;
}

function endOf(
  chains: readonly AuditedChain[],
  unknownHead: string | null,
  loggedHeads: number,
): AuditVerification {
  const isWhole = unknownHead === null && chains.every(({ problems }) => problems.length === 0);
  const outcome = isWhole ? 'done' : 'decision_needed';
  return { outcome, batches: [], failure: null, chains, unknownHead, loggedHeads };
}

/**
 * The chain that the person named; null for all. A batch that was given up still has a chain, which is found by the batch's
 * whole id.
 */
async function chainNamed(verbs: LedgerVerbs, named: string | undefined): Promise<string | null> {
  if (named === undefined) return null;
  const whole = named.toLowerCase();
  if ((await verbs.readAuditHeads([whole])).size > 0) return whole;
  return (await findNamedBatch(verbs, named)).id;
}

/** The result of an export. */
export interface AuditExport extends CallResult {
  readonly events: number;
  /** The last event of each exported chain. */
  readonly heads: readonly (AuditHead & { readonly chain: string })[];
}

/**
 * Writes events as JSON, one per line. The events are written chain by chain, in the order of their numbers; see
 * `exportedEvent`. Memory use does not depend on the size of the trail.
 * @param request.to the path of a file, or a function that receives the lines in chunks
 * @throws PaybatchError (`usage`) when the batch does not exist; OutputError when the file cannot be written
 */
export async function exportAudit(
  app: CallContext,
  { batch, to }: AuditRequest & { readonly to: string | ((lines: string) => Promise<void> | void) },
): Promise<AuditExport> {
  if (typeof to === 'function') return exportTo(app, batch, to);
  const file = await ReplacementFile.create(to);
  try {
    const exported = await exportTo(app, batch, (lines) => file.write(lines));
    await file.complete();
    await file.publish();
    return exported;
  } catch (error) {
    await file.discard();
    throw error;
  }
}

async function exportTo(
  app: CallContext,
  batch: string | undefined,
  write: (lines: string) => Promise<void> | void,
): Promise<AuditExport> {
  const heads = new Map<string, AuditHead>();
  let count = 0;
  if (app.connections.isLedgerThere()) {
    const { verbs } = await openToRead(app);
    for await (const events of verbs.readAuditEvents(await chainNamed(verbs, batch))) {
      await write(events.map((event) => `${exportedEvent(event)}\n`).join(''));
      for (const { chain, number, hash } of events) heads.set(chain, { number, hash });
      count += events.length;
    }
  }
  return {
    ...noBatches,
    events: count,
    heads: [...heads].map(([chain, head]) => ({ chain, ...head })),
  };
}
