/* A batch: one file, or one sheet, under one reading, in one environment; and what its run log proves. */

import { createHash } from 'node:crypto';
import { BlockList, isIP } from 'node:net';
import type { CallOutcome } from '../failures/paybatch-error.ts';
import type { Finding } from '../rows/finding.ts';
import type { StatusCounts } from '../rows/row-state.ts';
import type { Message } from '../settings/message.ts';

/* Which addresses and URLs are this machine's own, and which URLs name the same API. */

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an IP address is one of this machine's own: no other machine can listen on it or connect to it. */
export function isLoopbackAddress(address: string): boolean {
  const version = isIP(address);
  // An IPv4 address within an IPv6 one (`::ffff:127.0.0.1`) is looked up as the IPv4 address that it is.
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Whether a URL names this machine: `localhost`, or an address of it in any form that URLs know (`127.1`,
 * `0x7f.1`, `2130706433`), since parsing has brought those into one. A name that merely begins with an address
 * may be another host's, and so may `localhost.` or a name below it: name servers decide about those.
 */
export function isLoopbackUrl(url: URL): boolean {
  const { hostname } = url;
  if (hostname === 'localhost') return true;
  return isLoopbackAddress(hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);
}

/**
 * An API's address in one form for all of its spellings, for comparison only: `localhost`, `127.0.0.1` and `[::1]` are one,
 * and so are a name with and without its last point, in capitals, and with its default port. What is no URL is returned
 * unchanged.
 */
export function canonicalOrigin(origin: string): string {
  if (!/^https?:/i.test(origin) || !URL.canParse(origin)) return origin;
  // Parsing has brought capitals, default ports and the forms of IP addresses into one.
  const url = new URL(origin);
  url.hostname = url.hostname.replace(/\.+$/, '');
  if (isLoopbackUrl(url)) url.hostname = 'localhost';
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The identity of a batch: one input's content, read in one way, in one environment. */
export interface BatchIdentity {
  readonly environment: Environment;
  readonly kind: Kind;
  /** The workbook's sheet, or null. */
  readonly sheet: string | null;
  /** SHA-256 of the file's bytes, in hex. */
  readonly contentHash: string;
  /** SHA-256 over everything that changes how the bytes are read (mapping, stated delimiter and encoding). */
  readonly readingHash: string;
}

/**
 * The batch's id: a UUID (version 8, RFC 9562) made of the identity's SHA-256, so the same file
 * is the same batch on every machine, and a rebuilt ledger gives it the same id again.
 */
export function batchId(identity: BatchIdentity): string {
  const { environment, kind, sheet, contentHash, readingHash } = identity;
  const hash = createHash('sha256')
    .update(JSON.stringify([environment.mode, environment.origin, kind, sheet, contentHash, readingHash]))
    .digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

/** The part of a batch's id that people see in file names and tables. */
export function shortBatchId(id: string): string {
  return id.slice(0, 8);
}

export type Mode = 'sandbox' | 'live';

/**
 * Mode and API origin. A ledger never mixes two: batches, natural keys and references belong to one
 * environment. The origin of the built-in sandbox is its store, since its port changes with each run.
 */
export interface Environment {
  readonly mode: Mode;
  readonly origin: string;
}

/** A batch as the files about it name it, in the environment that it belongs to. */
interface NamedBatch extends Environment {
  readonly id: string;
  readonly kind: Kind;
  readonly fileName: string;
  readonly sheet: string | null;
  readonly header: readonly string[];
  readonly readingHash: string;
}

/** A batch as the ledger knows it. */
export interface BatchRecord extends NamedBatch {
  readonly environmentId: number;
  readonly contentHash: string;
  readonly notes: readonly Message[];
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** Null until staging has ended. */
  readonly rowCount: number | null;
}

/** How the origin of a built-in sandbox begins; the id of its store follows. */
export const localSandboxPrefix = 'local-sandbox:';

/**
 * The name of what a batch imports, in the plural: `customers`. The registry of resources defines which kinds exist, and
 * the order in which they depend on each other.
 */
export type Kind = string;

/** Who runs: enough to find out, on the same host, whether that process still exists. */
export interface RunOwner {
  readonly host: string;
  /** Process id, start time and boot, where the system reports them. */
  readonly process: string;
}

export interface RunRecord {
  readonly id: string;
  /** Counts the runs of the batch from 1. */
  readonly number: number;
  readonly command: string;
  /** Who began it, and by which interface; null where it is not known. */
  readonly actor: { readonly name: string; readonly door: string } | null;
  readonly owner: RunOwner;
  readonly startedAt: string;
  readonly leaseUntil: string;
  readonly endedAt: string | null;
  readonly outcome: CallOutcome | null;
}

/** The names of runs that look at a batch, or decide about its rows: nothing of it is to be sent by them. */
export const askingNothing: readonly string[] = ['plan', 'resolve', 'reconcile', 'disown', 'close'];

/** Whether a person has requested by a run that a batch is sent as it is: not a run for another plan that sent nothing. */
export function asksToSend({ command, outcome }: Pick<RunRecord, 'command' | 'outcome'>): boolean {
  return !askingNothing.includes(command) && outcome !== 'plan_changed';
}

/** The names of runs that send what was not sent yet. */
export const sendingCommands: readonly string[] = ['import', 'submit', 'resume', 'retry'];

/** The names of runs that ask the API about rows of a batch: `reconcile` sends those in doubt again, under their keys. */
export const askingCommands: readonly string[] = [...sendingCommands, 'reconcile'];

/** The ends of runs that were not stopped: what they leave undone depends on the batch's rows. */
export const wholeEnds: readonly CallOutcome[] = ['done', 'rows_need_correction', 'decision_needed'];

/**
 * Whether the latest run that sent rows of a batch completed.
 * @param runs of the batch, oldest first; one in progress does not count
 */
export function latestRunWasWhole(runs: readonly RunRecord[]): boolean {
  const latest = runs.findLast(
    ({ command, endedAt }) => endedAt !== null && askingCommands.includes(command),
  );
  return latest !== undefined && latest.outcome !== null && wholeEnds.includes(latest.outcome);
}

/** Says that a person has closed a batch: no run sends any more of it. */
export interface BatchClosing {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Null where only a run log reported it; then the note is null too. */
  readonly by: string | null;
  /** Why, in that person's words. */
  readonly note: string | null;
}

/** Rows of a batch that are no longer sent since rows of later batches correct them, by status. */
export interface SupersededCounts {
  readonly all: StatusCounts;
  /** Those of them whose correction is created or existing. */
  readonly done: StatusCounts;
}

/** A batch and the batches that correct its rows. */
export interface BatchFamily {
  /** The batch that the family began with. */
  readonly first: { readonly id: string; readonly rows: number };
  /** How many of the first batch's rows are created or existing, in any batch. */
  readonly doneRows: number;
  /** Oldest first. */
  readonly corrections: readonly {
    readonly id: string;
    readonly rows: number;
    readonly doneRows: number;
  }[];
}

/** What is known of a batch's rows in doubt: sent, and without a conclusive answer. */
export interface RowsInDoubt {
  /** The oldest first sending of a row that is still in doubt (ISO 8601, UTC). */
  readonly oldestSentAt: string;
  /** When the key of that row expires: from then on only a person may decide about it. */
  readonly oldestRunsOutAt: string;
  /** When the first key expires among the rows that the next run sends again; null where there are none. */
  readonly nextRunsOutAt: string | null;
  /** Rows whose keys have expired; the next run holds them. */
  readonly expired: number;
  /** Rows with a key that has not expired, under which two runs or more have sent them without a conclusive answer. */
  readonly unsettled: number;
}

/** The waiting rows of a batch that wait for the same thing. */
export interface WaitingRows {
  /** Why: `customer_not_there`, or the code of a refusal that may pass with time (`kyc_required`). */
  readonly code: string;
  readonly rows: number;
  /** When the row that waits longest began to wait, or was last refused; ISO 8601, UTC. */
  readonly since: string;
}

/** A person's decision about the hidden rows and sheets of a file: to read them like the others, or to leave them out. */
export type HiddenChoice = 'include' | 'skip';

/** How a batch's file was read. */
export interface BatchReading {
  /** The mapping file's JSON, and the rules file's: `{}` where there was none. */
  readonly mapping: string;
  readonly rules: string;
  /** Hidden rows, and rows of hidden sheets, that are in the batch. */
  readonly hiddenRows: number;
  /** Null until it is decided. */
  readonly hiddenChoice: HiddenChoice | null;
}

/** A batch of a content, and how it was read. */
export interface ContentReading extends NamedBatch, Pick<BatchRecord, 'createdAt'> {
  /** The mapping file's JSON. */
  readonly mapping: string;
  /** It has never been requested that it is sent. */
  readonly isOnlyPlanned: boolean;
}

/** A batch as its failed file refers to it. */
export interface OriginalBatch extends NamedBatch {
  readonly reading: BatchReading;
}

/** A row as it was in an earlier round. */
export interface EarlierRow {
  readonly row: number;
  readonly cells: readonly string[];
  readonly findings: readonly Finding[];
  /** What people have typed on pages in place of its cells, by their places: edits that count, or that were planned. */
  readonly confirmed: ReadonlyMap<number, readonly string[]>;
}

/** A batch that this program holds a run of. */
export interface LeasedBatch {
  readonly batch: BatchRecord;
  readonly run: RunRecord;
  /** Whether this call staged it; the others were staged by an earlier call. */
  readonly isNew: boolean;
  /** Whether its run log lacks lines, or has changed ones; false when absent. */
  readonly isLogDamaged?: boolean;
  /** Up to which byte its run log was compared with the ledger; absent where it was not. */
  readonly logComparedUntil?: number;
}

/* What a run log proves, and how later lines, the head file beside it, and the ledger name its lines. */

/** A line of a run log: the last known line of its writer. */
export interface ChainTip {
  /** Names the writer: writers of a run log follow each other, or work at the same time, each in a chain of its own. */
  readonly chain: string;
  /** Continues from the number of lines that the log had when the chain began. */
  readonly line: number;
  /** Of this line and thereby of all lines of the chain before it; hexadecimal. */
  readonly hash: string;
  /** How many claims the chain names up to this line; null where that is not known. */
  readonly claims: number | null;
}

/** The end of a run log, as the ledger stores it at the end of a run. */
export interface KeptLogHead {
  /** The path of the log. */
  readonly path: string;
  /** The last line of each chain that no other line of them names; the writer's own first. */
  readonly tips: readonly ChainTip[];
}

/** A claim that a run log names; 0 means the beginning of a run. */
export interface LoggedClaim {
  readonly run: string;
  readonly claim: number;
}

/** What is wrong with a run log at one place. */
export interface LogDamage {
  /**
   * `changed`, `unreadable`: the lines from `from` to `to`. `missing`: before line `from`. `moved`: a line that belongs
   * before it. `unlinked`: a line without number and hash among others that have them. `cut`: the log ends before a line
   * that its head names. `head`: the head file is damaged, or another batch's.
   */
  readonly kind: 'changed' | 'unreadable' | 'missing' | 'moved' | 'unlinked' | 'cut' | 'head';
  /** Numbers of lines in the file. */
  readonly from: number;
  readonly to: number;
  /** How many lines are unusable; infinite where it is not known. */
  readonly hidden: number;
  /** The chain that they belong to; null where it may be any, or where all of it is missing. */
  readonly chain: string | null;
}

/** What a run log proves about itself. */
export interface LogProof {
  /** Lines of the file. */
  readonly lines: number;
  /** Whether its lines have numbers and hashes: those of earlier versions have none, and prove nothing. */
  readonly isLinked: boolean;
  readonly head: 'there' | 'missing' | 'damaged';
  /** In the order of the file. */
  readonly damages: readonly LogDamage[];
  /** Lost lines of runs that send, where something may have been sent that only they recorded. */
  readonly lostLines: number;
  /** Whether claims may be among them. */
  readonly mayLackClaims: boolean;
  /**
   * Up to this line verdicts, corrections or whole runs may be missing: only what the log says about a row after it is
   * final. 0 where none are.
   */
  readonly doubtUntil: number;
}

/** First and last of rows that were claimed together, and the number of their keys, where that is not their first. */
export type ClaimedRange = [first: number, last: number] | [first: number, last: number, generation: number];
