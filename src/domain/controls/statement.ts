/*
 * The statements that approvers sign: their canonical bytes, their signatures, the rows of a plan as one text, and the check
 * whether stored decisions are the signed ones.
 */

import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Environment } from '../batches/batch.ts';
import { rootOf } from './leaves.ts';

/** The common content of all statements. */
interface Signed {
  readonly decision: 'approve' | 'reject';
  /** Version of the policy in force when it was made. */
  readonly policy: number;
  /** Name of the approver. */
  readonly by: string;
  /**
   * Id of the approver's key, see `keyIdOf`. For a statement that was made in the console it is the id of the console's key.
   */
  readonly key: string;
  /** Id of the approver's session, if the statement was made in the console. */
  readonly session?: string;
  readonly note: string;
  /** The time by the database's clock, ISO 8601 in UTC. */
  readonly at: string;
}

/** The data that the approver saw when approving a plan. */
interface ApprovedPlan {
  /** The hash of the plan in hex, see `createPlanHash`. */
  readonly planHash: string;
  /** SHA-256 of the text of the plan's rows, in hex; see `rowRanges`. */
  readonly rowsHash: string;
  /** The root over the leaves of the plan, in hex; see `rootOf`. */
  readonly leavesRoot: string;
  /** SHA-256 of the changed payees that were shown, in hex. */
  readonly changesHash: string;
  /** The batch's revision of people's decisions to send a row, which changes with each of them; a whole number as text. */
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

/** The version of the form of statements. It is a part of the signed text. */
const form = 'paybatch:approval:1';

/** The bytes of a statement that are signed and stored: JSON whose names are in alphabetical order. */
export function writeStatement(statement: Statement): string {
  return canonicalJson({ form, ...statement });
}

/** The time of a statement, as stated in it. @param statement a text that `writeStatement` wrote */
export function signedAt(statement: string): Date {
  const { at }: Pick<Statement, 'at'> = JSON.parse(statement);
  return new Date(at);
}

/**
 * JSON without white space. The names of objects are in the order of their UTF-16 code units. Undefined members are omitted.
 */
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

/** The text that the previous key of a user signs when a new key replaces it. */
export function endorsementText(user: string, newKeyId: string): string {
  return canonicalJson({ form: 'paybatch:key:1', user, key: newKeyId });
}

/** Row numbers in ascending order, collected as ranges. */
interface RowRanges {
  readonly add: (row: number) => void;
  /** In PostgreSQL's notation of an `int4multirange`: `{[2,5),[7,8)}` for rows 2, 3, 4 and 7. */
  readonly text: () => string;
}

/** @returns an object that collects ranges row by row, so that a plan without gaps takes no memory */
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

/*
 * The check whether stored decisions are the ones that people have signed. A database only states who approved. A signature
 * proves it.
 */

/** A key as stored in the ledger, present or replaced. */
export interface StoredKey {
  readonly id: string;
  /** Null for the key of a console, which signs for people who are signed in there. */
  readonly user: string | null;
  /** Ed25519, DER in the form SPKI. */
  readonly publicKey: Buffer;
  /** Id of the key that it replaced; null for a user's first key. */
  readonly previousKey: string | null;
  /** The signature of the previous key over this one. */
  readonly endorsement: Buffer | null;
}

/** A decision as stored in the ledger. */
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

/** The reason why a decision proves nothing. */
type DecisionProblem =
  /** It is not a statement in the form in which statements are signed. */
  | 'statement_unreadable'
  /** It is about another matter than the one for which it is stored. */
  | 'statement_differs'
  /** The stored rows are not the signed rows. */
  | 'rows_differ'
  /** The stored leaves are not the signed leaves. */
  | 'leaves_differ'
  /** The key belongs to no user, or to another user. */
  | 'key_unknown'
  /** The console signed it for its approver, but the policy does not accept decisions in the console. */
  | 'console_not_allowed'
  /** The key replaced a key that has not endorsed it. */
  | 'key_not_endorsed'
  | 'signature_invalid';

/** The required content of a statement, member by member. */
export type ExpectedStatement = Readonly<Record<string, string | number | object>>;

/**
 * Checks one decision: its form, its content, its signature, and that a chain of endorsements leads from its key to the
 * user's first key. A console's signature proves nothing unless the policy accepts it.
 * @param keys all keys of the ledger, by id
 * @param takesConsole whether the policy accepts decisions in the console
 * @returns null if the decision is valid
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
 * The decisions that prove nothing, each with the reason; empty if all are valid.
 * @param expectedOf the required content of the statement of each decision
 * @param takesConsole whether the policy accepts decisions in the console
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

/** Whether each key in the chain back to the first key was signed by the key that it replaced. */
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
