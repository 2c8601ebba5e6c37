/*
 * The statements that approvers sign: their canonical bytes, their signatures, the rows of a plan as one text, and whether
 * stored decisions are what people have signed.
 */

import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Environment } from '../batches/batch.ts';
import { rootOf } from './leaves.ts';

/** What every statement contains, whatever it is about. */
interface Signed {
  readonly decision: 'approve' | 'reject';
  /** Version of the policy in force when it was made. */
  readonly policy: number;
  /** Name of the approver. */
  readonly by: string;
  /** Id of the approver's key, see `keyIdOf`; of the console's key where it was given there. */
  readonly key: string;
  /** Id of the approver's session, where it was given at the console. */
  readonly session?: string;
  readonly note: string;
  /** By the database's clock, ISO 8601 in UTC. */
  readonly at: string;
}

/** What the approver was shown when a plan was approved. */
interface ApprovedPlan {
  /** In hex, see `createPlanHash`. */
  readonly planHash: string;
  /** SHA-256 of the text of the plan's rows, in hex; see `rowRanges`. */
  readonly rowsHash: string;
  /** The root over the leaves of the plan, in hex; see `rootOf`. */
  readonly leavesRoot: string;
  /** SHA-256 of the changed payees that were shown, in hex. */
  readonly changesHash: string;
  /** Of the batch, a whole number as text: it changes whenever a person decides that a row is sent. */
  readonly contentRevision: string;
}

type OfBatch = { readonly subject: 'batch'; readonly batch: string; readonly environment: Environment };

/** A signed decision about a plan, a proposed policy or a proposed user. */
export type Statement = Signed &
  (
    | (OfBatch & ApprovedPlan & { readonly decision: 'approve' })
    | (OfBatch & { readonly decision: 'reject' })
    | {
        readonly subject: 'policy';
        readonly proposedVersion: number;
        /** SHA-256 of its canonical content, in hex. */
        readonly contentHash: string;
      }
    | {
        readonly subject: 'user';
        readonly proposedUser: string;
        /** Id of the proposed user's key. */
        readonly proposedKey: string;
      }
  );

/** The version of the statements' form, which is a part of what is signed. */
const form = 'paybatch:approval:1';

/** A statement's bytes as they are signed and stored: JSON whose names are in alphabetical order. */
export function writeStatement(statement: Statement): string {
  return canonicalJson({ form, ...statement });
}

/** When a statement was signed, as it says itself. @param statement as `writeStatement` wrote it */
export function signedAt(statement: string): Date {
  const { at }: Pick<Statement, 'at'> = JSON.parse(statement);
  return new Date(at);
}

/** JSON without white space, names of objects in the order of their UTF-16 code units. Undefined members are left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([left], [right]) => (left < right ? -1 : 1)))
      : member,
  );
}

/** SHA-256 of a text's bytes in UTF-8, in hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** @returns the Ed25519 signature (RFC 8032) of a statement's text, 64 bytes */
export function signText(text: string, privateKey: KeyObject): Buffer {
  return sign(null, Buffer.from(text, 'utf8'), privateKey);
}

/** @param publicKey Ed25519, DER in the form SPKI (RFC 8410) */
export function isSignedBy(text: string, signature: Buffer, publicKey: Buffer): boolean {
  try {
    const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
    return key.asymmetricKeyType === 'ed25519' && verify(null, Buffer.from(text, 'utf8'), key, signature);
  } catch {
    return false;
  }
}

/** The id of a public key: SHA-256 of its bytes (DER, SPKI), in hex. */
export function keyIdOf(publicKey: Buffer): string {
  return createHash('sha256').update(publicKey).digest('hex');
}

/** What the previous key of a user signs when a new one replaces it. */
export function endorsementText(user: string, newKeyId: string): string {
  return canonicalJson({ form: 'paybatch:key:1', user, key: newKeyId });
}

/** Row numbers in ascending order, collected as ranges. */
interface RowRanges {
  readonly add: (row: number) => void;
  /** As PostgreSQL writes an `int4multirange`: `{[2,5),[7,8)}` for rows 2, 3, 4 and 7. */
  readonly text: () => string;
}

/** @returns ranges that grow row by row, so that a plan without gaps takes no memory */
export function rowRanges(): RowRanges {
  const ranges: string[] = [];
  let first = 0;
  let end = 0;
  const close = (): void => {
    if (end > first) ranges.push(`[${first},${end})`);
  };
  return {
    add: (row) => {
      if (row !== end) {
        close();
        first = row;
      }
      end = row + 1;
    },
    text: () => {
      close();
      first = end;
      return `{${ranges.join(',')}}`;
    },
  };
}

/* Whether stored decisions are what people have signed. A database can say who approved; only a signature proves it. */

/** A key as the ledger has it, present or replaced. */
export interface StoredKey {
  readonly id: string;
  /** Null for the key of a console, which signs for people who are signed in there. */
  readonly user: string | null;
  /** Ed25519, DER in the form SPKI. */
  readonly publicKey: Buffer;
  /** Id of the key that it replaced; null for the first one of a user. */
  readonly previousKey: string | null;
  /** The signature of the previous key over this one. */
  readonly endorsement: Buffer | null;
}

/** A decision as the ledger has it. */
export interface StoredDecision {
  readonly id: string;
  /** The signed text, see `writeStatement`. */
  readonly statement: string;
  readonly signature: Buffer;
  /** The text of the approved plan's rows; null for a decision about something else. */
  readonly rows: string | null;
  /** The proof of the approved plan's leaves, see `rootOf`; null for a decision about something else. */
  readonly proof: Buffer | null;
}

/** Why a decision proves nothing. */
type DecisionProblem =
  /** It is no statement in the form in which statements are signed. */
  | 'statement_unreadable'
  /** It is about something else than what it is kept for. */
  | 'statement_differs'
  /** The rows that are kept with it are not the signed ones. */
  | 'rows_differ'
  /** The leaves that are kept with it are not the signed ones. */
  | 'leaves_differ'
  /** The key belongs to no user, or to another one. */
  | 'key_unknown'
  /** The console has signed it for its approver, and the policy does not accept console decisions. */
  | 'console_not_allowed'
  /** The key replaced one that has not endorsed it. */
  | 'key_not_endorsed'
  | 'signature_invalid';

/** What a statement has to contain, member by member. */
export type ExpectedStatement = Readonly<Record<string, string | number | object>>;

/**
 * Checks one decision: its form, its content, that a chain of endorsements leads from its key to the user's first key, and
 * its signature. A console's signature proves nothing unless the policy accepts it.
 * @param keys all keys of the ledger, by id
 * @param takesConsole whether the policy accepts it from the console
 * @returns null where it is sound
 */
export function problemOfDecision(
  decision: StoredDecision,
  keys: ReadonlyMap<string, StoredKey>,
  expected: ExpectedStatement,
  takesConsole = false,
): DecisionProblem | null {
  const said = membersOf(decision.statement);
  if (said === null) return 'statement_unreadable';
  const isExpected = Object.entries(expected).every(
    ([name, value]) => canonicalJson(said[name] ?? null) === canonicalJson(value),
  );
  if (!isExpected) return 'statement_differs';
  if (decision.rows !== null && said['rowsHash'] !== sha256(decision.rows)) return 'rows_differ';
  if (decision.rows !== null && said['leavesRoot'] !== rootOf(decision.proof ?? Buffer.alloc(0)))
    return 'leaves_differ';
  const key = keys.get(String(said['key']));
  if (key === undefined || key.id !== keyIdOf(key.publicKey)) return 'key_unknown';
  if (key.user === null) {
    const isOfSession = said['subject'] === 'batch' && typeof said['session'] === 'string';
    if (!takesConsole || !isOfSession) return 'console_not_allowed';
  } else if (key.user !== said['by']) return 'key_unknown';
  if (!isEndorsed(key, keys)) return 'key_not_endorsed';
  return isSignedBy(decision.statement, decision.signature, key.publicKey) ? null : 'signature_invalid';
}

/**
 * The decisions that prove nothing, each with the reason; none where all are sound.
 * @param expectedOf what the statement of each decision has to contain
 * @param takesConsole whether the policy accepts them from the console
 */
export function verifyApprovals<Decision extends StoredDecision>(
  decisions: readonly Decision[],
  keys: readonly StoredKey[],
  expectedOf: (decision: Decision) => ExpectedStatement,
  takesConsole = false,
): readonly { readonly decision: Decision; readonly problem: DecisionProblem }[] {
  const byId = new Map(keys.map((key) => [key.id, key]));
  return decisions.flatMap((decision) => {
    const problem = problemOfDecision(decision, byId, expectedOf(decision), takesConsole);
    return problem === null ? [] : [{ decision, problem }];
  });
}

/** The members of a statement's text; null for a text that `writeStatement` would not write. */
function membersOf(text: string): Readonly<Record<keyof Statement | string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || canonicalJson(parsed) !== text) return null;
    const members = parsed as Readonly<Record<string, unknown>>;
    return members['form'] === 'paybatch:approval:1' ? members : null;
  } catch {
    return null;
  }
}

/** Whether each key on the way to the first one was signed by the key that it replaced. */
function isEndorsed(key: StoredKey, keys: ReadonlyMap<string, StoredKey>): boolean {
  const seen = new Set<string>();
  for (let newer = key; newer.previousKey !== null; ) {
    const older = keys.get(newer.previousKey);
    if (older === undefined || older.user !== key.user || seen.has(older.id)) return false;
    if (newer.id !== keyIdOf(newer.publicKey) || older.id !== keyIdOf(older.publicKey)) return false;
    const endorsement = newer.endorsement ?? Buffer.alloc(0);
    if (!isSignedBy(endorsementText(key.user ?? '', newer.id), endorsement, older.publicKey)) return false;
    seen.add(older.id);
    newer = older;
  }
  return true;
}
