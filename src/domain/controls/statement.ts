/* The statements that approvers sign: their canonical bytes, their signatures, and the rows of a plan as one text. */

import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { Environment, Kind, Mode } from '../batches/batch.ts';
import type { PayeeChangeCode } from '../rows/finding.ts';
import { listOf } from '../settings/message.ts';
import { durationOption } from '../settings/setting.ts';

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
export interface ApprovedPlan {
  /** In hex, see `createPlanHash`. */
  readonly planHash: string;
  /** SHA-256 of the text of the plan's rows, in hex; see `rowRanges`. */
  readonly rowsHash: string;
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
export interface RowRanges {
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

/* The approvals that a batch needs before it is sent: the policy, its canonical bytes, and its rules in words. */

/** The approvals that batches of a mode and of some kinds need. */
export interface PolicyRule {
  readonly mode: Mode;
  readonly kinds: readonly Kind[];
  /** This many different approvers; with 0 no approval is needed. */
  readonly approvers: number;
  /** From this many rows on; null where their number does not matter. */
  readonly fromRows: number | null;
  /** From this sum on, a plain decimal by currency. */
  readonly fromSum: Readonly<Record<string, string>>;
  /** Findings that need approvals below the thresholds too; `payee_details_changed` applies wherever thresholds exist. */
  readonly findings: readonly PayeeChangeCode[];
  /** How long an approval is valid. */
  readonly validForInMs: number;
  /** Whether the maker of the batch counts as an approver. */
  readonly makerMayApprove: boolean;
  /** Whether approvals may be given in the console. */
  readonly console: boolean;
}

export interface Policy {
  /** Users whom the first policy makes approvers; empty in later ones. */
  readonly approvers: readonly string[];
  readonly rules: readonly PolicyRule[];
}

/** The bytes of a policy: approvers sign them, and the database reads them. */
export function policyContent({ approvers, rules }: Policy): string {
  return canonicalJson({ approvers, rules });
}

/** @param content as `policyContent` wrote it */
export function policyIn(content: string): Policy {
  return JSON.parse(content);
}

/** How many approvers the strictest rule asks for; only rules of a mode where one is named. */
export function strictestOf({ rules }: Policy, mode?: Mode): number {
  const meant = rules.filter((rule) => mode === undefined || rule.mode === mode);
  return Math.max(0, ...meant.map(({ approvers }) => approvers));
}

/** Whether batches of a mode and kind may be approved at the console. */
export function takesConsole({ rules }: Policy, mode: Mode, kind: Kind): boolean {
  return rules.some((rule) => rule.mode === mode && rule.kinds.includes(kind) && rule.console);
}

/** A policy as sentences without full stops, one for each rule, in the order of the policy. */
export function policySentences({ rules }: Policy): readonly string[] {
  return rules.map(sentenceOf);
}

function sentenceOf(rule: PolicyRule): string {
  const batches = `${listOf(rule.kinds, 'and')} in ${rule.mode} mode`;
  if (rule.approvers === 0) return `${batches} need no approval`;
  const approvals =
    rule.approvers === 1 ? '1 approval' : `${rule.approvers} approvals of different approvers`;
  const maker = rule.makerMayApprove ? '; whoever prepared the batch may be one of them' : '';
  const console = rule.console ? '; the console may take them' : '';
  return `${batches} need ${approvals}${occasionsOf(rule)}; an approval counts for ${durationOption(rule.validForInMs)}${maker}${console}`;
}

function occasionsOf({ fromRows, fromSum, findings }: PolicyRule): string {
  const sums = Object.entries(fromSum).map(([currency, amount]) => `${amount} ${currency}`);
  const sizes = [...(fromRows === null ? [] : [`${fromRows} ${fromRows === 1 ? 'row' : 'rows'}`]), ...sums];
  if (sizes.length === 0 && findings.length === 0) return '';
  const asking = [...new Set(['payee_details_changed' as const, ...findings])].map((code) => occasions[code]);
  const changed = `when ${listOf(asking, 'or')}`;
  return sizes.length === 0 ? ` ${changed}` : ` from ${listOf(sizes, 'or')} on, and ${changed}`;
}

const occasions: Readonly<Record<PayeeChangeCode, string>> = {
  payee_details_changed: 'a known payee has other account details',
  account_shared: 'payees share an account',
};

/** What another policy changes: the sentences that no longer hold, and the new ones. */
export interface PolicyDifference {
  readonly dropped: readonly string[];
  readonly added: readonly string[];
}

/** @param before null where there was no policy */
export function policyDifference(before: Policy | null, after: Policy): PolicyDifference {
  const [old, now] = [before === null ? [] : policySentences(before), policySentences(after)];
  return {
    dropped: old.filter((sentence) => !now.includes(sentence)),
    added: now.filter((sentence) => !old.includes(sentence)),
  };
}
