import type { Kind } from '../../src/domain/batches/batch.ts';
import type { CallOutcome } from '../../src/domain/failures/paybatch-error.ts';
import type { PayeeKeys } from '../../src/domain/rows/finding.ts';
import type {
  ClaimedRow,
  KeyOwner,
  Preparation,
  RecheckedRow,
  RowConclusion,
  RowToPrepare,
} from '../../src/domain/rows/ledger-row.ts';
import type { RowState } from '../../src/domain/rows/row-state.ts';
import { reasonOfRefusal } from '../../src/domain/sending/answer.ts';
import type { RefusedAlike } from '../../src/domain/sending/stops.ts';
import type { ClaimRequest } from '../../src/ledger/sending/claim.ts';
import { brokenConstraint, type ModelRequest, type ModelRow } from './model-row.ts';
import {
  changedRuns,
  copyOf,
  emptyState,
  type ModelRun,
  type ModelState,
  publish,
  takenNames,
} from './model-state.ts';

/** The batch is held by another run, or is broken in a way that the tables refuse. */
export class LedgerRefusal extends Error {
  override readonly name = 'LedgerRefusal';
}

/** Changes of a ledger that are not visible in it yet. */
export interface ModelTransaction {
  readonly draft: ModelLedger;
  /** Natural keys and objects that rows get by it. */
  readonly taken: () => string[];
  /** The runs whose lines it has changed. */
  readonly changedRuns: () => string[];
  readonly commit: () => void;
}

const knownStates: readonly RowState[] = ['created', 'existing', 'sending', 'unknown'];

type Ready = Extract<Preparation, { to: 'ready' }>;

/**
 * The ledger's verbs in memory, each whole or not at all: the same guarded transitions, leases, fencing
 * tokens, owned keys and constraints as the tables and their SQL. `ledger-conformance.test.ts` holds it to
 * those.
 */
export class ModelLedger {
  /** Milliseconds; has to grow from call to call, as the times of the database's transactions do. */
  readonly #clock: () => number;
  readonly #state: ModelState;

  /** The time at this very moment; another than a transaction's, which is that of its beginning. */
  readonly #present: () => number;

  constructor(clock: () => number, state = emptyState(), present = clock) {
    this.#clock = clock;
    this.#state = state;
    this.#present = present;
  }

  get rows(): ReadonlyMap<string, ModelRow> {
    return this.#state.rows;
  }

  get requests(): ReadonlyMap<string, ModelRequest> {
    return this.#state.requests;
  }

  get runs(): ReadonlyMap<string, ModelRun> {
    return this.#state.runs;
  }

  now(): number {
    return this.#clock();
  }

  /** Whether a run has made a claim of this number. */
  hasClaim(runId: string, claim: number): boolean {
    const run = this.runs.get(runId);
    const token = run === undefined ? '' : ((BigInt(run.number) << 32n) | BigInt(claim)).toString();
    return run !== undefined && this.#state.claims.get(`${run.batchId} ${token}`) === runId;
  }

  /** The claim under which the row of a key is being sent. */
  claimOf(key: string): { readonly run: string; readonly claim: number } | undefined {
    const [name] = [...this.requests].find(([, { idempotencyKey }]) => idempotencyKey === key) ?? [''];
    const row = this.rows.get(name.split(' ').slice(0, 2).join(' '));
    if (row === undefined || row.leaseToken === null || row.runId === null) return undefined;
    return { run: row.runId, claim: Number(BigInt(row.leaseToken) & 0xffff_ffffn) };
  }

  /**
   * A transaction. What is done to its draft is seen in this ledger once it is committed.
   * @param now its time, for all that it does
   */
  begin(now: number): ModelTransaction {
    const before = copyOf(this.#state);
    const state = copyOf(this.#state);
    return {
      draft: new ModelLedger(() => now, state, this.#clock),
      taken: () => takenNames(before, state),
      changedRuns: () => changedRuns(before, state),
      commit: () => publish(this.#state, before, state),
    };
  }

  /** A backup of the ledger as it is now, with which it can be replaced later. */
  backUp(): () => void {
    const backup = copyOf(this.#state);
    return () => {
      const before = copyOf(this.#state);
      for (const run of before.runs.keys()) if (!backup.runs.has(run)) this.#state.runs.delete(run);
      publish(this.#state, before, copyOf(backup));
    };
  }

  /** How many claims, and keys of answers, it does not know; as the ledger's verbs have it. */
  countUnknownClaims(claims: readonly { readonly run: string; readonly claim: number }[]): number {
    return claims.filter(({ run, claim }) => (claim === 0 ? !this.runs.has(run) : !this.hasClaim(run, claim)))
      .length;
  }

  countUnknownAnswers(keys: readonly string[]): number {
    return keys.filter((key) => {
      const [name] = [...this.requests].find(([, { idempotencyKey }]) => idempotencyKey === key) ?? [];
      if (name === undefined) return true;
      const [batchId, row, generation] = name.split(' ');
      const standing = this.rows.get(`${batchId} ${row}`);
      return standing?.state === 'ready' && standing.generation === Number(generation);
    }).length;
  }

  /** The same ledger once more, to see what would become of it. */
  copy(): ModelLedger {
    return new ModelLedger(this.#clock, copyOf(this.#state));
  }

  stage(row: ModelRow): void {
    this.#state.rows.set(`${row.batchId} ${row.row}`, row);
  }

  rowsOf(batchId: string): ModelRow[] {
    return [...this.rows.values()]
      .filter((row) => row.batchId === batchId)
      .sort((left, right) => left.row - right.row);
  }

  requestOf(row: ModelRow): ModelRequest | undefined {
    return this.requests.get(`${row.batchId} ${row.row} ${row.generation}`);
  }

  beginRun(run: {
    readonly id: string;
    readonly batchId: string;
    readonly leaseInMs: number;
    readonly join: boolean;
    readonly ofClosed?: boolean;
    readonly owner: string;
    /** Whether the program of an owner may still be alive, as far as the beginning program knows. */
    readonly mayBeAlive: (owner: string) => boolean;
  }): ModelRun {
    const now = this.#clock();
    if (run.ofClosed !== true && this.isClosed(run.batchId)) throw new LedgerRefusal('batch_closed');
    const open = [...this.runs.values()].filter(
      (each) => each.batchId === run.batchId && each.endedAt === null,
    );
    const isDead = ({ leaseUntil, owner }: ModelRun): boolean => leaseUntil <= now || !run.mayBeAlive(owner);
    if (!run.join && open.some((each) => !isDead(each))) throw new LedgerRefusal('batch_held');
    for (const each of open.filter(isDead)) each.endedAt = now;
    if (this.#takeOver(run.batchId, now) > 0) this.#count(run.batchId);
    const begun: ModelRun = {
      id: run.id,
      number: this.runs.size + 1,
      batchId: run.batchId,
      owner: run.owner,
      startedAt: now,
      leaseUntil: this.#present() + run.leaseInMs,
      endedAt: null,
    };
    this.#state.runs.set(run.id, begun);
    return begun;
  }

  prolongRun(runId: string, leaseInMs: number): boolean {
    const now = this.#clock();
    const run = this.runs.get(runId);
    if (run === undefined || run.endedAt !== null) return false;
    run.leaseUntil = now + leaseInMs;
    return true;
  }

  endRun(runId: string, _outcome: CallOutcome): void {
    const run = this.runs.get(runId);
    if (run !== undefined) run.endedAt ??= this.#clock();
  }

  /**
   * Ends a run that has written the batch's files.
   * @param revision the batch's when the files' rows were read
   * @returns whether it has ended; if not, its files have to be written again
   */
  endRunWithFiles(runId: string, revision: number, isLastTry: boolean): boolean {
    const now = this.#clock();
    const run = this.runs.get(runId);
    if (run === undefined) return true;
    if (this.revisionOf(run.batchId) !== revision) {
      const isThere = (other: ModelRun): boolean => other.endedAt === null && other.leaseUntil > now;
      const others = [...this.runs.values()].filter(
        (other) => other !== run && other.batchId === run.batchId,
      );
      if (!isLastTry || !others.some(isThere)) return false;
      this.#count(run.batchId);
    }
    run.endedAt ??= now;
    return true;
  }

  takeOverExpired(batchId: string): number {
    const now = this.#clock();
    for (const run of this.runs.values()) {
      if (run.batchId === batchId && run.endedAt === null && run.leaseUntil <= now) run.endedAt = now;
    }
    return this.#countIfAny(batchId, this.#takeOver(batchId, now));
  }

  /** How often the batch was changed. */
  revisionOf(batchId: string): number {
    return this.#state.revisions.get(batchId) ?? 0;
  }

  #count(batchId: string): void {
    this.#state.revisions.set(batchId, this.revisionOf(batchId) + 1);
  }

  #countIfAny(batchId: string, rows: number): number {
    if (rows > 0) this.#count(batchId);
    return rows;
  }

  /** Takes over the rows of runs that have ended. */
  #takeOver(batchId: string, now: number): number {
    const isEnded = (runId: string | null): boolean =>
      runId !== null && (this.runs.get(runId)?.endedAt ?? null) !== null;
    const lost = this.rowsOf(batchId).filter(({ state, runId }) => state === 'sending' && isEnded(runId));
    for (const row of lost) {
      this.#change(row, {
        state: 'unknown',
        mayExist: true,
        attempts: row.attempts + 1,
        leaseToken: null,
        runId: null,
        code: 'worker_lost',
        field: null,
        changedAt: now,
        message: 'The run that was sending this row ended before its answer was recorded.',
      });
    }
    return lost.length;
  }

  holdExpiredKeys(batchId: string, keyLifetimeInMs: number): number {
    const now = this.#clock();
    const old = this.rowsOf(batchId).filter(
      (row) => row.state === 'unknown' && now - (row.firstSentAt ?? now) >= keyLifetimeInMs,
    );
    const message = 'It may exist at the API, and its idempotency key is too old to be sent again safely.';
    for (const row of old) this.#change(row, { state: 'held', code: 'key_expired', changedAt: now, message });
    return this.#countIfAny(batchId, old.length);
  }

  explainOtherCredentials(batchId: string, credential: string): number {
    const now = this.#clock();
    const others = this.rowsOf(batchId).filter(
      (row) => row.state === 'unknown' && row.credential !== credential && row.code !== 'other_credential',
    );
    const message =
      'It may exist, and was sent under another API key: it is never sent again under this one.';
    for (const row of others) this.#change(row, { code: 'other_credential', changedAt: now, message });
    return this.#countIfAny(batchId, others.length);
  }

  listRowsToPrepare(batchId: string, afterRow: number, limit: number, waitingDelayInMs = 0): RowToPrepare[] {
    const due = this.#clock() - waitingDelayInMs;
    return this.rowsOf(batchId)
      .filter((row) => isOpen(row) && row.row > afterRow)
      .filter(({ refusedAt }) => refusedAt === null || refusedAt <= due)
      .slice(0, limit)
      .map(({ row, resource, generation, record, isSentRegardless }) => ({
        row,
        resource,
        generation,
        record,
        isSentRegardless,
        hasFamily: false,
      }));
  }

  writePreparations(
    batchId: string,
    runId: string,
    preparations: readonly Preparation[],
    rowsPerChunk = 64,
  ): boolean {
    const now = this.#clock();
    // A run that was declared lost writes nothing, nor does one whose batch was closed.
    if (this.runs.get(runId)?.endedAt !== null || this.isClosed(batchId)) {
      this.#count(batchId);
      return true;
    }
    const moving = preparations.flatMap((preparation) => {
      const row = this.rows.get(`${batchId} ${preparation.row}`);
      // A decision about an earlier request comes too late.
      const isStillOpen = row !== undefined && isOpen(row) && row.generation <= preparation.generation;
      return isStillOpen ? [{ row, preparation }] : [];
    });
    const taken = new Set<string>();
    for (const { row, preparation } of moving) {
      if (preparation.to !== 'ready') continue;
      const key = ownedKeyOf(preparation);
      if (taken.has(key) || this.#ownerOf(row.environmentId, row.kind, key) !== undefined) return false;
      taken.add(key);
    }
    this.#count(batchId);
    const firstChunk = (this.#state.chunks.get(batchId) ?? 0) + 1;
    const places = preparations.filter(({ to }) => to === 'ready');
    for (const { row, preparation } of moving) {
      if (preparation.to === 'ready') {
        const chunk = firstChunk + Math.floor(places.indexOf(preparation) / rowsPerChunk);
        this.#state.chunks.set(batchId, Math.max(chunk, this.#state.chunks.get(batchId) ?? 0));
        this.#makeReady(row, preparation, { runId, chunk }, now);
      } else {
        this.#writeOther(row, preparation, now);
      }
    }
    return true;
  }

  #makeReady(
    row: ModelRow,
    ready: Ready,
    { runId, chunk }: { readonly runId: string; readonly chunk: number },
    now: number,
  ): void {
    const id = `${row.batchId} ${row.row} ${ready.generation}`;
    const isUsed = [...this.requests.values()].some((each) => each.idempotencyKey === ready.idempotencyKey);
    if (isUsed || this.requests.has(id)) throw new Error('a request or its key is there already');
    this.#change(row, {
      state: 'ready',
      naturalKey: ready.naturalKey.toString('hex'),
      ownedKey: ownedKeyOf(ready),
      handle: ready.handle,
      chunk,
      runId: null,
      code: null,
      field: null,
      message: null,
      changedAt: now,
      payee: ready.payee ?? row.payee,
    });
    const { idempotencyKey, path, body, fingerprint } = ready;
    this.#state.requests.set(id, { idempotencyKey, path, body: Buffer.from(body), fingerprint, runId });
  }

  #writeOther(row: ModelRow, other: Exclude<Preparation, Ready>, now: number): void {
    const isSame = row.state === other.to && row.message === other.reason.message;
    this.#change(row, {
      state: other.to,
      objectId: other.to === 'existing' ? other.objectId : null,
      ...other.reason,
      refusedAt: null,
      changedAt: isSame ? row.changedAt : now,
    });
  }

  /** Takes rows that no longer pass, and were never sent, out of what is to be sent. */
  writeRechecked(batchId: string, rechecked: readonly RecheckedRow[]): number {
    const now = this.#clock();
    const moving = rechecked.flatMap(({ row: number, to, reason }) => {
      const row = this.rows.get(`${batchId} ${number}`);
      return row !== undefined && (isOpen(row) || row.state === 'ready') ? [{ row, to, reason }] : [];
    });
    for (const { row, to, reason } of moving) {
      this.#state.requests.delete(`${batchId} ${row.row} ${row.generation}`);
      this.#change(row, { state: to, ownedKey: null, runId: null, chunk: null, ...reason, changedAt: now });
    }
    return this.#countIfAny(batchId, moving.length);
  }

  stopIfRefusedAlike(batchId: string, limit: number | null): RefusedAlike | 'some_created' | null {
    const known = this.#state.refused.get(batchId);
    if (typeof known === 'object') return known;
    if (limit === null || known === 'goes_on') return null;
    const rows = this.rowsOf(batchId);
    if (rows.some(({ state }) => state === 'created')) return 'some_created';
    const refusals = rows.filter(({ state }) => state === 'rejected');
    // Of reasons with as many rows, the first by its code.
    refusals.sort((left, right) => orderOf(left.code) - orderOf(right.code));
    const reasons = new Map<string, RefusedAlike>();
    for (const { code, message } of refusals) {
      const reason = reasonOfRefusal(code, message);
      const before = reasons.get(reason) ?? { code: code ?? 'refused', message, rows: 0 };
      reasons.set(reason, { ...before, rows: before.rows + 1 });
    }
    const stop = [...reasons.values()].reduce<RefusedAlike | undefined>(
      (most, one) => (most === undefined || one.rows > most.rows ? one : most),
      undefined,
    );
    if (stop === undefined || stop.rows < limit) return null;
    this.#state.refused.set(batchId, stop);
    this.#count(batchId);
    return stop;
  }

  continueRefused(batchId: string): number {
    if (this.#state.refused.get(batchId) === 'goes_on') return 0;
    this.#state.refused.set(batchId, 'goes_on');
    this.#count(batchId);
    return 1;
  }

  claimRows(claim: ClaimRequest): ClaimedRow[] {
    return this.makeClaim(claim) ? this.rowsOfClaim(claim) : [];
  }

  /**
   * The first moment of a claim, under the batch's lock.
   * @returns whether there is a claim under this token, made now or before
   */
  makeClaim(claim: ClaimRequest): boolean {
    const now = this.#clock();
    const name = `${claim.batchId} ${claim.leaseToken}`;
    if (this.#state.claims.has(name)) return true;
    const run = this.runs.get(claim.runId);
    if (run === undefined || run.endedAt !== null || this.isClosed(claim.batchId)) return false;
    const isStopped = typeof this.#state.refused.get(claim.batchId) === 'object';
    if (isStopped && claim.rows === 'fresh') return false;
    const next = this.#next(isStopped ? { ...claim, rows: 'in_doubt' } : claim, run.number, now);
    if (next.length === 0) return false;
    this.#state.claims.set(name, claim.runId);
    this.#take(next, claim, now);
    this.#count(claim.batchId);
    return true;
  }

  #next(claim: ClaimRequest, runNumber: number, now: number): ModelRow[] {
    const numberOf = (runId: string): number => this.runs.get(runId)?.number ?? 0;
    const rows = this.rowsOf(claim.batchId).filter((row) =>
      isClaimable(row, claim, runNumber, numberOf, now),
    );
    const ready = rows.filter(({ state }) => state === 'ready');
    const inDoubt = rows.filter(({ state }) => state === 'unknown').slice(0, claim.limit);
    if (claim.rows === 'in_doubt' || (claim.rows === 'all' && inDoubt.length > 0)) return inDoubt;
    const chunks = wholeChunks(ready, claim.limit);
    return chunks.length > 0 ? chunks : ready.filter(({ chunk }) => chunk === null).slice(0, claim.limit);
  }

  #take(next: readonly ModelRow[], claim: ClaimRequest, now: number): void {
    for (const row of next) {
      this.#change(row, {
        state: 'sending',
        leaseToken: claim.leaseToken,
        chunk: null,
        runId: claim.runId,
        credential: claim.credential,
        firstSentAt: row.firstSentAt ?? now,
        changedAt: now,
      });
    }
  }

  /** The second moment of a claim, when the lock is free again: what is still this token's of what it took. */
  rowsOfClaim({ batchId, leaseToken, keyLifetimeInMs }: ClaimRequest): ClaimedRow[] {
    const now = this.#clock();
    return this.rowsOf(batchId)
      .filter((row) => row.state === 'sending' && row.leaseToken === leaseToken)
      .map((row) => {
        const request = this.requestOf(row);
        if (request === undefined) throw new Error('a claimed row has no request');
        const { runId: preparedBy, idempotencyKey, path, body } = request;
        return {
          row: row.row,
          resource: row.resource,
          generation: row.generation,
          leaseToken,
          idempotencyKey,
          path,
          body: Buffer.from(body),
          preparedBy,
          attempts: row.attempts,
          wasUnknown: row.mayExist,
          keyTimeLeftInMs: (row.firstSentAt ?? now) - now + keyLifetimeInMs,
        };
      });
  }

  /** Repeating a record whose reply was lost finds what it recorded. */
  recordConclusions(batchId: string, runId: string, conclusions: readonly RowConclusion[]): Set<number> {
    const now = this.#clock();
    const standing = conclusions.filter(({ row: number, leaseToken }) => {
      const row = this.rows.get(`${batchId} ${number}`);
      return row?.state === 'sending' && row.leaseToken === leaseToken;
    });
    const repeated = conclusions.filter(({ row, generation, conclusion }) => {
      const number = conclusion.attempts.at(-1)?.number;
      return this.#state.attempts.get(`${batchId} ${row} ${number}`) === `${runId} ${generation}`;
    });
    for (const each of standing) {
      const row = this.rows.get(`${batchId} ${each.row}`);
      if (row !== undefined) this.#record(row, runId, this.#heldIfSeen(row, each), now);
    }
    this.#count(batchId);
    return new Set([...standing, ...repeated].map(({ row }) => row));
  }

  /** A row whose object another row has is held. */
  #heldIfSeen(row: ModelRow, each: RowConclusion): RowConclusion {
    const { state, objectId } = each.conclusion;
    if (state !== 'created' || objectId === null || this.#noteObject(row, objectId)) return each;
    return {
      ...each,
      conclusion: { ...each.conclusion, state: 'held', objectId: null, code: 'id_seen_before' },
    };
  }

  /** @returns false when another row has the object */
  #noteObject({ environmentId, kind, batchId, row }: ModelRow, objectId: string): boolean {
    const name = `${environmentId} ${kind} ${objectId}`;
    if (this.#state.objects.has(name)) return false;
    this.#state.objects.set(name, `${batchId} ${row}`);
    return true;
  }

  #record(row: ModelRow, runId: string, { generation, conclusion }: RowConclusion, now: number): void {
    const { state, objectId, code, message, attempts } = conclusion;
    const last = attempts.at(-1);
    const keepsReason = state === 'unknown' && last === undefined;
    this.#change(row, {
      state,
      objectId,
      field: null,
      code: keepsReason ? row.code : code,
      message: keepsReason ? row.message : message,
      httpStatus: last?.httpStatus ?? row.httpStatus,
      attempts: last?.number ?? row.attempts,
      ownedKey: state === 'rejected' || state === 'waiting' ? null : row.ownedKey,
      firstSentAt: state === 'ready' || state === 'waiting' ? null : row.firstSentAt,
      credential: state === 'ready' || state === 'waiting' ? null : row.credential,
      generation: row.generation + (state === 'waiting' ? 1 : 0),
      runId: state === 'waiting' ? null : row.runId,
      refusedAt: state === 'waiting' ? now : null,
      mayExist: row.mayExist || state === 'unknown',
      leaseToken: null,
      changedAt: now,
    });
    for (const { number } of attempts) {
      const id = `${row.batchId} ${row.row} ${number}`;
      if (this.#state.attempts.has(id)) throw new Error('an attempt of this number is there already');
      this.#state.attempts.set(id, `${runId} ${generation}`);
    }
  }

  /**
   * A person's word on a row that is held or unknown.
   * @returns false when the row was sent since, or another row has the object that it names
   */
  writeVerdict(
    row: ModelRow,
    verdict: {
      to: 'created' | 'existing' | 'staged';
      objectId: string | null;
      isSend: boolean;
      /** Of how many requests the person knew. */
      attempts: number;
    },
  ): boolean {
    const { to, objectId } = verdict;
    if (row.attempts !== verdict.attempts) return false;
    if (to === 'created' && objectId !== null && !this.#noteObject(row, objectId)) return false;
    this.#count(row.batchId);
    const isAfresh = verdict.to === 'staged';
    const hasRequest = this.requestOf(row) !== undefined;
    this.#change(row, {
      state: verdict.to,
      objectId: verdict.objectId,
      code: 'resolved',
      field: null,
      message: null,
      changedAt: this.#clock(),
      ownedKey: verdict.to === 'created' ? row.ownedKey : null,
      generation: row.generation + (isAfresh && hasRequest ? 1 : 0),
      runId: isAfresh ? null : row.runId,
      credential: isAfresh ? null : row.credential,
      firstSentAt: isAfresh ? null : row.firstSentAt,
      mayExist: row.mayExist && !isAfresh,
      isSentRegardless: row.isSentRegardless || verdict.isSend,
    });
    return true;
  }

  /** Gives rejected rows another chance, under new keys. */
  returnRejected(batchId: string): number {
    const now = this.#clock();
    for (const row of this.rowsOf(batchId))
      if (row.refusedAt !== null) this.#change(row, { refusedAt: null });
    const rejected = this.isClosed(batchId)
      ? []
      : this.rowsOf(batchId).filter(({ state }) => state === 'rejected');
    for (const row of rejected) {
      this.#change(row, {
        state: 'staged',
        generation: row.generation + 1,
        code: null,
        field: null,
        message: null,
        firstSentAt: null,
        mayExist: false,
        credential: null,
        runId: null,
        changedAt: now,
      });
    }
    this.#count(batchId);
    return rejected.length;
  }

  isClosed(batchId: string): boolean {
    return this.#state.closed.has(batchId);
  }

  /** Whether the batch of a key's row is closed. */
  isClosedOf(key: string): boolean {
    const [name = ''] = [...this.requests].find(([, { idempotencyKey }]) => idempotencyKey === key) ?? [];
    return this.isClosed(name.split(' ')[0] ?? '');
  }

  closeBatch(batchId: string): 'closed' | 'closed_before' | 'in_doubt' {
    if (this.isClosed(batchId)) return 'closed_before';
    if (this.rowsOf(batchId).some(isInDoubt)) return 'in_doubt';
    this.#state.closed.set(batchId, this.#clock());
    this.#count(batchId);
    return 'closed';
  }

  /** @returns how many rows were moved */
  closeUnsentRows(batchId: string): number {
    const now = this.#clock();
    if (!this.isClosed(batchId)) return 0;
    const unsent = this.rowsOf(batchId).filter(
      (row) => isOpen(row) || row.state === 'ready' || (row.state === 'held' && !isInDoubt(row)),
    );
    const message = 'A person closed the batch before this row was sent.';
    for (const row of unsent) {
      if (row.state === 'ready') this.#state.requests.delete(`${batchId} ${row.row} ${row.generation}`);
      const end = { state: 'invalid', code: 'closed', field: null, message, changedAt: now } as const;
      this.#change(row, { ...end, ownedKey: null, runId: null, chunk: null, refusedAt: null });
    }
    return this.#countIfAny(batchId, unsent.length);
  }

  hasMovableRows(batchId: string): boolean {
    const movable: readonly RowState[] = ['staged', 'waiting', 'ready', 'unknown', 'sending'];
    return this.rowsOf(batchId).some(({ state }) => movable.includes(state));
  }

  /** By handle: the id of a created object, null for one that is not created yet. */
  findByHandles(environmentId: number, kind: Kind, handles: readonly string[]): Map<string, string | null> {
    const referable: readonly RowState[] = ['created', 'ready', 'sending', 'unknown', 'held'];
    const found = new Map<string, string | null>();
    for (const row of this.rows.values()) {
      const isAsked = row.environmentId === environmentId && row.kind === kind;
      if (!isAsked || row.handle === null || !handles.includes(row.handle) || !referable.includes(row.state))
        continue;
      if (row.state === 'created') found.set(row.handle, row.objectId);
      else if (!found.has(row.handle)) found.set(row.handle, null);
    }
    return found;
  }

  findKeyOwners(environmentId: number, kind: Kind, keys: readonly string[]): Map<string, KeyOwner> {
    const found = new Map<string, KeyOwner>();
    for (const key of keys) {
      const owner = this.#ownerOf(environmentId, kind, key);
      const request = owner === undefined ? undefined : this.requestOf(owner);
      if (owner === undefined || request === undefined) continue;
      const { batchId: batch, row, objectId } = owner;
      const state = owner.state as KeyOwner['state'];
      found.set(key, { batch, row, state, objectId, fingerprint: request.fingerprint, body: request.body });
    }
    return found;
  }

  /** The rows whose payees are of this customer and name, or have this account, and whose objects exist or may. */
  findPayees(environmentId: number, asked: PayeeKeys, without: readonly string[]): ModelRow[] {
    return [...this.rows.values()].filter(
      ({ payee, ...row }) =>
        row.environmentId === environmentId &&
        !without.includes(row.batchId) &&
        (knownStates.includes(row.state) || (row.state === 'held' && row.mayExist)) &&
        payee !== null &&
        ((payee.customer === asked.customer && payee.name === asked.name) || payee.account === asked.account),
    );
  }

  #ownerOf(environmentId: number, kind: Kind, key: string): ModelRow | undefined {
    return [...this.rows.values()].find(
      (row) => row.ownedKey === key && row.environmentId === environmentId && row.kind === kind,
    );
  }

  #change(row: ModelRow, change: Partial<ModelRow>): void {
    const changed = { ...row, ...change };
    this.#state.rows.set(`${row.batchId} ${row.row}`, changed);
    const broken = brokenConstraint(changed);
    if (broken !== undefined) throw new Error(`row ${row.row} breaks the constraint ${broken}`);
  }
}

function isOpen({ state }: ModelRow): boolean {
  return state === 'staged' || state === 'waiting';
}

function ownedKeyOf(ready: Ready): string {
  return (ready.ownedKey ?? ready.naturalKey).toString('hex');
}

/** What a run itself put back, or a later one, is left for the next. */
function isClaimable(
  row: ModelRow,
  claim: ClaimRequest,
  runNumber: number,
  numberOf: (runId: string) => number,
  now: number,
): boolean {
  if (row.state !== 'ready' && row.state !== 'unknown') return false;
  const wasPutBackBefore = row.runId === null || numberOf(row.runId) < runNumber;
  if (row.state === 'ready') return wasPutBackBefore;
  const isYoung = row.firstSentAt !== null && now - row.firstSentAt < claim.keyLifetimeInMs;
  return row.credential === claim.credential && isYoung && wasPutBackBefore;
}

/** The rows of the first chunks: this number of rows at most, but a whole chunk at least. */
function wholeChunks(ready: readonly ModelRow[], limit: number): ModelRow[] {
  const chunks = [...new Set(ready.flatMap(({ chunk }) => (chunk === null ? [] : [chunk])))].sort(
    (left, right) => left - right,
  );
  const taken: ModelRow[] = [];
  for (const chunk of chunks) {
    const rows = ready.filter((row) => row.chunk === chunk);
    if (taken.length > 0 && taken.length + rows.length > limit) break;
    taken.push(...rows);
  }
  return taken;
}

/** It is unknown whether its object exists, so its batch cannot be closed. */
function isInDoubt({ state, ownedKey, mayExist }: ModelRow): boolean {
  return state === 'unknown' || state === 'sending' || (state === 'held' && (ownedKey !== null || mayExist));
}

/** The codes of refusals in these simulations, in the order of the ledger. */
function orderOf(code: string | null): number {
  return ['invalid_value', 'timeout', null].indexOf(code);
}
