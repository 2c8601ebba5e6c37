import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Knex } from 'knex';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessTo, Connections } from '../../src/call/connections.ts';
import type { Question } from '../../src/call/context.ts';
import { readSettings } from '../../src/call/settings.ts';
import { createKey } from '../../src/controls/key-file.ts';
import { type ProvenActor, provenActor } from '../../src/controls/user-key.ts';
import { isSignedBy } from '../../src/domain/controls/statement.ts';
import type { MachineSettings } from '../../src/domain/settings/setting.ts';
import { emptyLedger, forEachLedger, type TestLedger } from '../support/ledger.ts';
import { addTestUser, passphrase, type TestUser, writeTestKey } from '../support/user-key.ts';

forEachLedger((openTestLedger) => {
  let ledger: TestLedger;
  let database: Knex;
  let connections: Connections;
  let ada: TestUser;
  let asked: Question[];

  beforeAll(async () => {
    ledger = await openTestLedger();
    ({ database } = ledger);
  });
  beforeEach(async () => {
    await emptyLedger(database);
    const { api, ledger: place } = readSettings({});
    connections = new Connections({ api, ledger: place, machine: {} });
    // The embedded ledger can be open only once.
    connections.ledger = async () => accessTo(ledger, null);
    ada = await addTestUser(database, 'ada');
    asked = [];
  });

  const prove = (machine: MachineSettings, answer?: string): Promise<ProvenActor> =>
    provenActor({
      machine,
      connections,
      actor: { name: 'root', channel: 'library' },
      ask: async (question) => {
        asked.push(question);
        return answer === undefined ? 'nobody' : { text: answer };
      },
    });
  const given = { userPassphrase: passphrase };

  it('takes the name of the user whose key signs', async () => {
    const { actor, user, keyId, sign } = await prove({ userKeyFile: ada.path, ...given });
    expect({ actor, keyId, role: user.role }).toEqual({
      actor: { name: 'ada', channel: 'library' },
      keyId: ada.keyId,
      role: 'approver',
    });
    expect(isSignedBy('text', sign('text'), ada.publicKey)).toBe(true);
  });

  it('asks for the passphrase once for all calls', async () => {
    await prove({ userKeyFile: ada.path }, passphrase);
    await prove({ userKeyFile: ada.path }, passphrase);
    expect(asked).toEqual([{ kind: 'passphrase', purpose: 'open', user: 'ada', file: ada.path }]);
  });

  it('takes the passphrase from a file', async () => {
    const path = join(dirname(ada.path), 'passphrase');
    writeFileSync(path, `${passphrase}\n`);
    await prove({ userKeyFile: ada.path, userPassphraseFile: path });
  });

  it('asks again after a wrong passphrase, and does not reveal it', async () => {
    const wrong = await prove({ userKeyFile: ada.path }, 'incorrect horse').catch((error) => error);
    expect(wrong).toMatchObject({ code: 'passphrase_wrong', kind: 'usage' });
    expect(`${wrong.message} ${wrong.stack}`).not.toContain('incorrect horse');
    await prove({ userKeyFile: ada.path }, passphrase);
    expect(asked).toHaveLength(2);
  });

  describe('refuses', () => {
    it.each<[string, string, () => Promise<MachineSettings>]>([
      ['nobody', 'user_key_missing', async () => ({})],
      ['a call without a passphrase', 'passphrase_missing', async () => ({ userKeyFile: ada.path })],
      [
        'two passphrases',
        'usage',
        async () => ({ userKeyFile: ada.path, ...given, userPassphraseFile: ada.path }),
      ],
      [
        'a key that nobody added',
        'not_a_user',
        async () => ({ userKeyFile: (await writeTestKey('eve')).path, ...given }),
      ],
      [
        "a key of one's own under another name",
        'user_key_replaced',
        async () => ({ userKeyFile: (await writeTestKey('ada')).path, ...given }),
      ],
      [
        'a file whose public key was exchanged',
        'passphrase_wrong',
        async () => {
          const eve = JSON.parse(readFileSync((await writeTestKey('eve')).path, 'utf8'));
          const { publicKey } = JSON.parse(readFileSync(ada.path, 'utf8'));
          writeFileSync(ada.path, JSON.stringify({ ...eve, user: 'ada', publicKey }));
          return { userKeyFile: ada.path, ...given };
        },
      ],
      [
        'a copied key of a locked user',
        'user_locked',
        async () => {
          await database.raw("UPDATE users SET locked_at = now(), locked_by = 'root' WHERE name = 'ada'");
          return { userKeyFile: ada.path, ...given };
        },
      ],
      [
        'the old file of a rotated key',
        'user_key_replaced',
        async () => {
          const { keyId, publicKey } = await createKey('ada', passphrase, 2 ** 10);
          await database.raw("UPDATE user_keys SET replaced_at = now() WHERE user_name = 'ada'");
          await database.raw(
            "INSERT INTO user_keys (id, user_name, public_key, previous_key, endorsement) VALUES (?, 'ada', ?, ?, ?)",
            [keyId, publicKey, ada.keyId, Buffer.from('x')],
          );
          return { userKeyFile: ada.path, ...given };
        },
      ],
    ])('%s', async (_, code, machine) => {
      await expect(prove(await machine())).rejects.toMatchObject({ code, kind: 'usage' });
    });

    it.each<[string, RegExp, () => string]>([
      [
        'that others may read',
        /other users/,
        () => {
          chmodSync(ada.path, 0o640);
          return ada.path;
        },
      ],
      [
        'behind a symbolic link',
        /symbolic link/,
        () => {
          const link = join(dirname(ada.path), 'link');
          symlinkSync(ada.path, link);
          return link;
        },
      ],
      [
        'that is a folder',
        /no regular file/,
        () => {
          const folder = join(dirname(ada.path), 'folder');
          mkdirSync(folder, { mode: 0o700 });
          return folder;
        },
      ],
      ['that is not there', /not there/, () => join(dirname(ada.path), 'none')],
      [
        'that is damaged',
        /damaged/,
        () => {
          writeFileSync(ada.path, readFileSync(ada.path, 'utf8').slice(0, -20));
          return ada.path;
        },
      ],
      [
        'with parts that nobody knows',
        /damaged/,
        () => {
          const parts = JSON.parse(readFileSync(ada.path, 'utf8'));
          writeFileSync(ada.path, JSON.stringify({ ...parts, note: '' }));
          return ada.path;
        },
      ],
    ])('a file %s', async (_, message, path) => {
      const refusal = await prove({ userKeyFile: path(), ...given }).catch((error) => error);
      expect(refusal).toMatchObject({ code: 'user_key_unusable', kind: 'usage' });
      expect(refusal.message).toMatch(message);
    });

    it('open permissions with the command that helps', async () => {
      chmodSync(ada.path, 0o604);
      await expect(prove({ userKeyFile: ada.path, ...given })).rejects.toMatchObject({
        remedies: [{ action: 'advice', text: `chmod 600 ${ada.path}` }],
      });
    });
  });
});
