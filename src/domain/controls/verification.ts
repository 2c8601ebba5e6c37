/* Whether stored decisions are what people have signed. A database can say who approved; only a signature proves it. */

import { canonicalJson, endorsementText, isSignedBy, keyIdOf, type Statement, sha256 } from './statement.ts';

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
}

/** Why a decision proves nothing. */
export type DecisionProblem =
  /** It is no statement in the form in which statements are signed. */
  | 'statement_unreadable'
  /** It is about something else than what it is kept for. */
  | 'statement_differs'
  /** The rows that are kept with it are not the signed ones. */
  | 'rows_differ'
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
