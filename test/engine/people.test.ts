import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { policyContent, unsoundControl } from '../../src/domain/controls/policy.ts';
import { sha256, verifyApprovals } from '../../src/domain/controls/statement.ts';
import { Engine } from '../../src/index.ts';
import { bindVerbs } from '../../src/ledger/verbs.ts';
import { readPermissions } from '../../src/send/batches/permissions.ts';
import { cheapScrypt } from '../support/cheap-scrypt.ts';
import { approvalOf, writeApproval } from '../support/controls.ts';
import { emptyLedger, onServer } from '../support/ledger.ts';
import { addTestUser, passphrase, type TestUser } from '../support/user-key.ts';

onServer((openTestLedger) => {
  let database: Knex;
  let databaseUrl: string;
  let people: Readonly<Record<'ada' | 'ben' | 'cleo' | 'root' | 'mo', TestUser>>;
  let folder: string;

  beforeAll(async () => {
    const ledger = await openTestLedger();
    ({ database } = ledger);
    databaseUrl = ledger.databaseUrl ?? '';
    folder = mkdtempSync(join(tmpdir(), 'paybatch-people-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));
  });
  beforeEach(async () => {
    await emptyLedger(database);
    people = {
      ada: await addTestUser(database, 'ada'),
      ben: await addTestUser(database, 'ben'),
      cleo: await addTestUser(database, 'cleo'),
      root: await addTestUser(database, 'root', 'admin'),
      mo: await addTestUser(database, 'mo', 'maker'),
    };
  });

  /** An engine that acts for a person; for the user of the operating system where no person is named. */
  const engineOf = async (user?: TestUser): Promise<Engine> => {
    const engine = await Engine.open({
      ledger: { databaseUrl },
      ...(user === undefined ? {} : { user: { keyFile: user.path, passphrase } }),
    });
    onTestFinished(() => engine.close());
    return engine;
  };
  const live = (given: object = {}): object => ({ mode: 'live', approvers: 2, ...given });
  let files = 0;
  const policyFile = (content: unknown): { file: string } => {
    files += 1;
    const file = join(folder, `policy-${files}.json`);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return { file };
  };
  const first = { approvers: ['ada', 'ben', 'cleo'], rules: [live({ kinds: ['recipients'] })] };
  const setFirst = async (): Promise<void> => {
    const engine = await engineOf();
    await engine.setPolicy(policyFile(first)).result;
  };
  const stateOf = async (name: string): Promise<string | undefined> => {
    const { users } = await (await engineOf()).listUsers({}).result;
    return users.find((user) => user.name === name)?.state;
  };

  it('a user is added with a key file of their own, which proves who acts', async () => {
    const engine = await engineOf();
    const keyFile = join(folder, 'dora.key');
    const request = { name: 'dora', role: 'maker', keyFile } as const;
    const asked: string[] = [];
    const { user } = await engine.addUser(request, {
      confirm: (question) => {
        asked.push(question.kind === 'passphrase' ? question.purpose : '');
        return { text: passphrase };
      },
    }).result;
    expect([user.state, asked]).toEqual(['active', ['choose', 'repeat']]);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(readFileSync(keyFile, 'utf8')).toContain('"n": 131072');
    await expect(engine.addUser(request).result).rejects.toMatchObject({ code: 'file_exists' });
    rmSync(keyFile);
    await expect(engine.addUser(request).result).rejects.toMatchObject({ code: 'user_exists' });
    expect(existsSync(keyFile)).toBe(false);
  });

  describe('a user', () => {
    cheapScrypt();

    it.each([
      ['Ada', { text: passphrase }, 'user_name_invalid'],
      ['', { text: passphrase }, 'user_name_invalid'],
      ['eve', { text: 'short' }, 'passphrase_weak'],
      ['eve', 'nobody', 'passphrase_missing'],
    ] as const)('is not added as %j with the answer %j', async (name, answer, code) => {
      const engine = await engineOf();
      const keyFile = join(folder, 'eve.key');
      const added = engine.addUser({ name, role: 'maker', keyFile }, { confirm: () => answer });
      await expect(added.result).rejects.toMatchObject({ code, kind: 'usage' });
      expect(existsSync(keyFile)).toBe(false);
    });

    it('is added and locked by an admin alone once a policy is in force', async () => {
      await setFirst();
      const add = async (by: TestUser | undefined, role: 'maker' | 'approver'): Promise<unknown> => {
        const words = join(folder, 'words');
        writeFileSync(words, `${passphrase}\n`);
        const keyFile = join(folder, `new-${files++}.key`);
        const engine = await engineOf(by);
        return engine.addUser({ name: `new${files}`, role, keyFile, passphraseFile: words }).result;
      };
      await expect(add(undefined, 'maker')).rejects.toMatchObject({ code: 'user_key_missing' });
      await expect(add(people.mo, 'approver')).rejects.toMatchObject({ code: 'role_refused' });
      await expect(add(people.ada, 'maker')).rejects.toMatchObject({ code: 'role_refused' });
      await add(people.root, 'maker');
      await add(people.ada, 'approver');
      const lock = async (by: TestUser, name: string): Promise<unknown> =>
        (await engineOf(by)).lockUser({ name }).result;
      await expect(lock(people.ada, 'mo')).rejects.toMatchObject({ code: 'role_refused' });
      await lock(people.root, 'mo');
      await lock(people.ada, 'ada');
      expect([await stateOf('mo'), await stateOf('ada')]).toEqual(['locked', 'locked']);
      await expect(lock(people.mo, 'mo')).rejects.toMatchObject({ code: 'user_locked' });
    });

    it('who approves waits until as many have approved as the policy asks for', async () => {
      await setFirst();
      const dora = await addTestUser(database, 'dora');
      expect(await stateOf('dora')).toBe('waiting');
      const decide = async (by: TestUser, decision: 'approve' | 'reject' = 'approve'): Promise<unknown> =>
        (await engineOf(by)).decideOnUser({ name: 'dora', decision, note: 'seen' }).result;
      await expect(decide(dora)).rejects.toMatchObject({ code: 'role_refused' });
      await expect(decide(people.root)).rejects.toMatchObject({ code: 'role_refused' });
      await decide(people.ada);
      await decide(people.ada);
      expect(await stateOf('dora')).toBe('waiting');
      await decide(people.ben, 'reject');
      await decide(people.ben);
      const { users } = await (await engineOf()).listUsers({}).result;
      expect(users.find(({ name }) => name === 'dora')?.appointment).toMatchObject({
        needed: 2,
        approvedBy: ['ben'],
        mayApprove: ['ada', 'cleo'],
        rejection: { by: 'ben', note: 'seen' },
      });
      // One of the two is enough. The other one counts as well, or comes when there is nothing left to decide.
      const last = await Promise.allSettled([decide(people.ada), decide(people.cleo)]);
      expect(await stateOf('dora')).toBe('active');
      const late = last.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      expect(late.slice(1)).toEqual([]);
      for (const error of late) expect(error).toMatchObject({ code: 'nothing_to_decide' });
      await expect(decide(people.ada)).rejects.toMatchObject({ code: 'nothing_to_decide' });
      const { decisions, keys } = await bindVerbs(database).readControls();
      expect(decisions).toHaveLength(5 - late.length);
      expect(
        verifyApprovals(decisions, keys, ({ by }) => ({ subject: 'user', by, proposedKey: dora.keyId })),
      ).toEqual([]);
    });

    it('is not approved by the person who added them', async () => {
      await setFirst();
      await database.raw("INSERT INTO users (name, role, added_by) VALUES ('eve', 'approver', 'ada')");
      await database.raw(
        "INSERT INTO user_keys (id, user_name, public_key) VALUES (encode(sha256('x'), 'hex'), 'eve', 'x')",
      );
      const engine = await engineOf(people.ada);
      await expect(engine.decideOnUser({ name: 'eve', decision: 'approve' }).result).rejects.toMatchObject({
        code: 'own_proposal',
      });
    });

    it('replaces the key by one that the old one endorses; the old file opens nothing', async () => {
      await setFirst();
      const before = readFileSync(people.ada.path, 'utf8');
      await addTestUser(database, 'dora');
      await (await engineOf(people.ada)).decideOnUser({ name: 'dora', decision: 'approve' }).result;
      await (await engineOf(people.ada)).rotateKey({ name: 'ada' }).result;
      expect(readFileSync(`${people.ada.path}.old`, 'utf8')).toBe(before);
      const { decisions, keys, users } = await bindVerbs(database).readControls();
      const present = users.find(({ name }) => name === 'ada')?.keyId;
      expect(keys.find(({ id }) => id === present)?.previousKey).toBe(people.ada.keyId);
      expect(verifyApprovals(decisions, keys, () => ({}))).toEqual([]);
      // The approval under the old key does not count any more.
      await (await engineOf(people.ben)).decideOnUser({ name: 'dora', decision: 'approve' }).result;
      expect(await stateOf('dora')).toBe('waiting');
      await (await engineOf(people.ada)).decideOnUser({ name: 'dora', decision: 'approve' }).result;
      expect(await stateOf('dora')).toBe('active');
      const old = await engineOf({ ...people.ada, path: `${people.ada.path}.old` });
      await expect(old.decideOnUser({ name: 'dora', decision: 'approve' }).result).rejects.toMatchObject({
        code: 'user_key_replaced',
        remedies: [{ text: expect.stringContaining(`(${people.ada.path}, if it is there)`) }],
      });
      await expect((await engineOf(people.ben)).rotateKey({ name: 'ada' }).result).rejects.toMatchObject({
        code: 'role_refused',
      });
    });
  });

  describe('what no user has signed', () => {
    cheapScrypt();

    const forge = (name: 'ada' | 'ben', about: object): Promise<unknown> =>
      writeApproval(database, { name, keyId: people[name].keyId, privateKey: people.root.privateKey }, {
        ...approvalOf(people[name], ''),
        batch: undefined,
        ...about,
      } as never);
    const isRefused = (): Promise<boolean> =>
      readPermissions(bindVerbs(database), []).then(
        () => false,
        (error) => error.code === 'approval_invalid',
      );

    it('puts no policy into force for a run', async () => {
      await setFirst();
      const content = policyContent({ approvers: [], rules: [] });
      const version = await bindVerbs(database).proposePolicy({
        content,
        by: { name: 'root', channel: 'library' },
      });
      expect(await isRefused()).toBe(false);
      for (const name of ['ada', 'ben'] as const) {
        await forge(name, { subject: 'policy', proposedVersion: version, contentHash: sha256(content) });
      }
      const controls = await bindVerbs(database).readControls();
      expect(controls.policyInForce).toBe(2);
      expect(unsoundControl(controls)).toEqual({ what: 'policy', version: 2 });
      expect(await isRefused()).toBe(true);
    });

    it('makes no user an approver for a run, until the user is locked', async () => {
      await setFirst();
      const dora = await addTestUser(database, 'dora');
      for (const name of ['ada', 'ben'] as const) {
        await forge(name, { subject: 'user', proposedUser: 'dora', proposedKey: dora.keyId });
      }
      expect(await stateOf('dora')).toBe('active');
      expect(unsoundControl(await bindVerbs(database).readControls())).toEqual({
        what: 'approver',
        name: 'dora',
      });
      expect(await isRefused()).toBe(true);
      await (await engineOf(people.root)).lockUser({ name: 'dora' }).result;
      expect(await isRefused()).toBe(false);
    });

    it('is distinguished from what was signed, also for approvers who were appointed later and for replaced keys', async () => {
      await setFirst();
      await addTestUser(database, 'dora').then(async (dora) => {
        for (const by of [people.ada, people.ben]) {
          await (await engineOf(by)).decideOnUser({ name: 'dora', decision: 'approve' }).result;
        }
        await (await engineOf(people.root)).setPolicy(policyFile({ rules: [live({ approvers: 3 })] })).result;
        await (await engineOf(people.ada)).decideOnPolicy({ decision: 'approve' }).result;
        await (await engineOf(dora)).decideOnPolicy({ decision: 'approve' }).result;
        await (await engineOf(dora)).rotateKey({}).result;
      });
      const controls = await bindVerbs(database).readControls();
      expect([controls.policyInForce, unsoundControl(controls)]).toEqual([2, null]);
    });
  });

  describe('the policy', () => {
    it.each<[string, RegExp, unknown]>([
      [
        'unknown fields',
        /rules > 0": "aprovers"; did you mean "approvers"/,
        { rules: [{ ...live(), aprovers: 2 }] },
      ],
      [
        'a field that is written wrongly, and therefore missing',
        /rules > 0": "aprovers"; did you mean "approvers"/,
        { rules: [{ mode: 'live', aprovers: 2 }] },
      ],
      [
        'a field that is missing',
        /rules > 0 > approvers": this field is missing/,
        { rules: [{ mode: 'live' }] },
      ],
      ['unknown fields of its own', /"rule"; did you mean "rules"/, { rule: [], rules: [] }],
      ['text that is no JSON', /is not JSON/, '{'],
      [
        'an unknown user',
        /"eve" as an approver, and there is no such user/,
        { ...first, approvers: ['eve', 'ada'] },
      ],
      ['a user of another role', /"mo" as an approver, who is maker/, { ...first, approvers: ['mo', 'ada'] }],
      ['a user twice', /"ada" twice/, { ...first, approvers: ['ada', 'ada'] }],
      ['no approvers', /has to name its approvers/, { rules: first.rules }],
      ['too few approvers', /asks for 2 approvers, and 1 could/, { ...first, approvers: ['ada'] }],
      [
        'two rules for one kind',
        /two rules for recipients in live/,
        { ...first, rules: [live(), live({ kinds: ['recipients'] })] },
      ],
      ['an amount that is a number', /fromSum > USD/, { ...first, rules: [live({ fromSum: { USD: 10 } })] }],
      [
        'an amount with too many decimals',
        /USD has fewer decimals/,
        { ...first, rules: [live({ fromSum: { USD: '1.001' } })] },
      ],
      ['an unknown currency', /fromSum/, { ...first, rules: [live({ fromSum: { XXQ: '1' } })] }],
      ['a day without a threshold', /perDay/, { ...first, rules: [live({ perDay: {} })] }],
      [
        'a sum of a day that is none',
        /perDay > fromSum > USD/,
        { ...first, rules: [live({ perDay: { fromSum: { USD: '-1' } } })] },
      ],
      [
        'a field of a day that is misspelt',
        /did you mean "fromRows"/,
        { ...first, rules: [live({ perDay: { fromRow: 1 } })] },
      ],
      ['a validity without end', /validFor/, { ...first, rules: [live({ validFor: '9999d' })] }],
    ])('is refused with %s', async (_, message, content) => {
      const engine = await engineOf();
      const refusal = await engine.setPolicy(policyFile(content)).result.catch((error) => error);
      expect(refusal).toMatchObject({ code: 'policy_invalid', kind: 'usage' });
      expect(refusal.message).toMatch(message);
      expect((await engine.showPolicy({}).result).inForce).toBeNull();
    });

    it('is in force at once when it is the first, with all that its file leaves unsaid', async () => {
      const engine = await engineOf();
      const set = await engine.setPolicy(policyFile(first)).result;
      expect(set).toMatchObject({
        version: 1,
        isInForce: true,
        approvers: ['ada', 'ben', 'cleo'],
        approvalsNeeded: 2,
      });
      expect(set.difference).toEqual({
        dropped: [],
        added: ['recipients in live mode need 2 approvals of different approvers; an approval counts for 7d'],
      });
      expect(set.inForce?.policy.rules).toEqual([
        {
          ...{ mode: 'live', kinds: ['recipients'], approvers: 2, fromRows: null, fromSum: {}, findings: [] },
          ...{ perDay: null, otherSums: 'approve' },
          ...{ validForInMs: 604_800_000, makerMayApprove: false, console: false },
        },
      ]);
      const { rows } = await database.raw('SELECT mode, kind, approvers FROM policy_rules');
      expect(rows).toEqual([{ mode: 'live', kind: 'recipients', approvers: 2 }]);
    });

    it('is changed by as many approvals as the one in force asks for', async () => {
      await setFirst();
      const file = policyFile({
        rules: [live({ approvers: 1, fromRows: 100, fromSum: { USD: '10000.00' } })],
      });
      await expect((await engineOf()).setPolicy(file).result).rejects.toMatchObject({
        code: 'user_key_missing',
      });
      const proposed = await (await engineOf(people.ada)).setPolicy(file).result;
      expect(proposed).toMatchObject({ version: 2, isInForce: false, inForce: { version: 1 } });
      expect(proposed.waiting).toMatchObject([
        { version: 2, proposedBy: 'ada', state: { needed: 2, approvedBy: [], mayApprove: ['ben', 'cleo'] } },
      ]);
      const decide = async (by: TestUser, given: object = {}): Promise<unknown> =>
        (await engineOf(by)).decideOnPolicy({ decision: 'approve', ...given }).result;
      await expect(decide(people.ada)).rejects.toMatchObject({ code: 'own_proposal' });
      await expect(decide(people.ben, { decision: 'reject' })).rejects.toMatchObject({ code: 'usage' });
      await decide(people.ben);
      await (await engineOf(people.root)).setPolicy(policyFile({ rules: [live({ approvers: 3 })] })).result;
      await expect(decide(people.cleo)).rejects.toMatchObject({ code: 'usage' });
      await decide(people.cleo, { version: 2 });
      expect(await (await engineOf()).showPolicy({}).result).toMatchObject({
        inForce: { version: 2 },
        approvalsNeeded: 1,
        waiting: [{ version: 3 }],
      });
    });

    it('names no other approvers later, and asks for no more than there are', async () => {
      await setFirst();
      const engine = await engineOf(people.root);
      await expect(engine.setPolicy(policyFile({ ...first, approvers: ['ada'] })).result).rejects.toThrow(
        /other approvers than those in office/,
      );
      await expect(engine.setPolicy(policyFile({ rules: [live({ approvers: 4 })] })).result).rejects.toThrow(
        /asks for 4 approvers, and 3/,
      );
      const same = await engine.setPolicy(policyFile(first)).result;
      expect(same.version).toBe(2);
    });
  });
});
