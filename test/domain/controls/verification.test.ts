import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { rootOf } from '../../../src/domain/controls/leaves.ts';
import {
  endorsementText,
  keyIdOf,
  type Statement,
  type StoredDecision,
  type StoredKey,
  sha256,
  signText,
  verifyApprovals,
  writeStatement,
} from '../../../src/domain/controls/statement.ts';

type Pair = StoredKey & { readonly privateKey: KeyObject };

function keyOf(user: string, previous?: Pair, endorsedBy = previous): Pair {
  const { publicKey: pair, privateKey } = generateKeyPairSync('ed25519');
  const publicKey = pair.export({ format: 'der', type: 'spki' });
  const id = keyIdOf(publicKey);
  const endorsement =
    endorsedBy === undefined ? null : signText(endorsementText(user, id), endorsedBy.privateKey);
  return { id, user, publicKey, privateKey, previousKey: previous?.id ?? null, endorsement };
}

const ada = keyOf('ada');
const eve = keyOf('eve');
const rows = '{[2,6)}';
const proof = Buffer.from('of the leaves');
const batch = 'a7d0a7c2-8c2c-5d0c-9a50-0b9d2c3c9a11';
const statement: Statement = {
  subject: 'batch',
  decision: 'approve',
  batch,
  environment: { mode: 'live', origin: 'https://api.example' },
  planHash: sha256('plan'),
  rowsHash: sha256(rows),
  leavesRoot: rootOf(proof),
  changesHash: sha256(''),
  contentRevision: '0',
  policy: 1,
  by: 'ada',
  key: ada.id,
  note: '',
  at: '2026-01-01T00:00:00.000Z',
};

function signed(
  by: Pair,
  given: Partial<Statement> = {},
  kept: Partial<StoredDecision> = {},
): StoredDecision {
  const text = writeStatement({ ...statement, by: by.user, key: by.id, ...given } as Statement);
  return { id: '1', statement: text, signature: signText(text, by.privateKey), rows, proof, ...kept };
}

function problemsOf(decision: StoredDecision, keys: readonly StoredKey[] = [ada, eve]): readonly string[] {
  const { environment } = statement as { environment: object };
  return verifyApprovals([decision], keys, () => ({ subject: 'batch', batch, environment })).map(
    ({ problem }) => problem,
  );
}

it('finds nothing wrong with a signed statement', () => {
  expect(problemsOf(signed(ada))).toEqual([]);
});

it('follows replaced keys back to the first one', () => {
  const second = keyOf('ada', ada);
  const third = keyOf('ada', second);
  expect(problemsOf(signed(third), [ada, second, third])).toEqual([]);
});

const stolen = keyOf('ada', ada, eve);
const foreign = keyOf('ada', eve);
it.each<[string, string, StoredDecision, (readonly StoredKey[])?]>([
  ['about another batch', 'statement_differs', signed(ada, { batch: 'other' } as Partial<Statement>)],
  [
    'of another environment',
    'statement_differs',
    signed(ada, { environment: { mode: 'sandbox', origin: 'https://api.example' } } as Partial<Statement>),
  ],
  [
    'that was changed',
    'signature_invalid',
    { ...signed(ada), statement: signed(ada, { note: 'x' }).statement },
  ],
  [
    'with other bytes of the same JSON',
    'statement_unreadable',
    { ...signed(ada), statement: ` ${signed(ada).statement}` },
  ],
  ['that is no JSON', 'statement_unreadable', { ...signed(ada), statement: 'x' }],
  ['with other rows', 'rows_differ', signed(ada, {}, { rows: '{[2,7)}' })],
  ['with other leaves', 'leaves_differ', signed(ada, {}, { proof: Buffer.from('of others') })],
  ['without its leaves', 'leaves_differ', signed(ada, {}, { proof: null })],
  ['in the name of somebody else', 'key_unknown', signed(eve, { by: 'ada' })],
  ['under the key of somebody else', 'signature_invalid', signed(eve, { by: 'ada', key: ada.id })],
  ['under a key that is not there', 'key_unknown', signed(ada), [eve]],
  [
    'under a key whose id is not its own',
    'key_unknown',
    signed(eve, { by: 'ada', key: ada.id }),
    [{ ...ada, publicKey: eve.publicKey }],
  ],
  ['under a key that nobody endorsed', 'key_not_endorsed', signed(stolen), [ada, stolen]],
  ['under a key that replaced the key of somebody else', 'key_not_endorsed', signed(foreign), [eve, foreign]],
])('refuses a statement %s', (_, problem, decision, keys) => {
  expect(problemsOf(decision, keys)).toEqual([problem]);
});

it('refuses keys that replaced each other', () => {
  const second = keyOf('ada', ada);
  const first = {
    ...ada,
    previousKey: second.id,
    endorsement: signText(endorsementText('ada', ada.id), second.privateKey),
  };
  expect(problemsOf(signed(second), [first, second])).toEqual(['key_not_endorsed']);
});

describe('what a console has signed', () => {
  const key = { ...keyOf('ada'), user: null };
  const session = { session: '5d0c9a50-0b9d-4c3c-9a11-a7d0a7c28c2c' };
  const given = signed({ ...key, user: 'ada' }, session);
  const of = (decision: StoredDecision, takesConsole?: boolean): readonly string[] =>
    verifyApprovals([decision], [ada, key], () => ({ subject: 'batch', batch }), takesConsole).map(
      ({ problem }) => problem,
    );

  it('counts where the policy says so, and nowhere else', () => {
    expect(of(given, true)).toEqual([]);
    expect(of(given, false)).toEqual(['console_not_allowed']);
    expect(of(given)).toEqual(['console_not_allowed']);
  });

  it('names a session, is about a batch, and is what was signed', () => {
    expect(of(signed({ ...key, user: 'ada' }), true)).toEqual(['console_not_allowed']);
    const ofPolicy = { subject: 'policy', proposedVersion: 2, contentHash: '', ...session } as const;
    const policy = signed({ ...key, user: 'ada' }, ofPolicy as Partial<Statement>);
    const asked = verifyApprovals([policy], [key], () => ({}), true);
    expect(asked.map(({ problem }) => problem)).toEqual(['console_not_allowed']);
    const changed = given.statement.replace('"by":"ada"', '"by":"eve"');
    expect(of({ ...given, statement: changed }, true)).toEqual(['signature_invalid']);
    expect(of(signed(ada, session), false)).toEqual([]);
  });
});
