import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDesk } from '../../support/cli-desk.ts';
import { expectDocumented } from '../../support/json-objects.ts';
import { answerOnTerminal, hasPseudoTerminal } from '../../support/terminal.ts';
import { passphrase } from '../../support/user-key.ts';

const given = { PAYBATCH_USER_PASSPHRASE: passphrase };

it('people and a policy, from the first user to a second version', async () => {
  const desk = await openDesk();
  const run = async (
    words: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const { exitCode, stdout, stderr } = await desk.run(words, { env: { ...desk.env, ...given, ...env } });
    return `${exitCode}\n${stdout}${stderr}`.replaceAll(/\s+/g, ' ');
  };
  const as = (name: string) => ({ PAYBATCH_USER_KEY_FILE: join(desk.folder, `${name}.key`) });
  expect(await run(['user', 'list'])).toContain('There are no users');
  expect(await run(['user', 'add', 'ada', '--role', 'approver'])).toMatch(
    /^0 ada is added as approver.*first policy/,
  );
  expect(await run(['user', 'add', 'Ben', '--role', 'approver'])).toMatch(/^2 .*small letters/);
  expect(await run(['user', 'add', 'ben', '--role', 'approver'])).toMatch(/^0 /);
  expect(await run(['user', 'add'])).toMatch(/^2 .*needs the user's name/);
  expect(await run(['user', 'list', '--role', 'admin'])).toMatch(/^2 .*does not take --role/);
  const rule = { mode: 'live', kinds: ['recipients'], approvers: 1 };
  await desk.write('first.json', JSON.stringify({ approvers: ['ada', 'ben'], rules: [rule] }));
  await desk.write('second.json', JSON.stringify({ rules: [{ ...rule, approvers: 2 }] }));
  await desk.write('wrong.json', JSON.stringify({ approvers: ['ada'], rules: [{ ...rule, aprovers: 2 }] }));
  expect(await run(['policy', 'set', 'wrong.json'])).toMatch(/^2 .*"aprovers"; did you mean "approvers"/);
  expect(await run(['policy', 'set', 'first.json'])).toMatch(
    /^0 Policy 1 is in force now.*Approvers: ada, ben/,
  );
  expect(await run(['policy', 'set', 'second.json'])).toMatch(/^2 .*PAYBATCH_USER_KEY_FILE/);
  expect(await run(['policy', 'set', 'second.json'], as('ada'))).toMatch(
    /- recipients in live mode need 1 approval;.*\+ recipients in live mode need 2.*These can: ben\. .*policy approve 2/,
  );
  const wrong = await run(['policy', 'approve'], {
    ...as('ben'),
    PAYBATCH_USER_PASSPHRASE: 'another one, wrong',
  });
  expect(wrong).toMatch(/^2 .*does not open the key file/);
  expect(wrong).not.toContain('another one');
  expect(await run(['policy', 'reject', '2'], as('ben'))).toMatch(/^2 .*needs a note/);
  expect(await run(['policy', 'approve', '2'], as('ben'))).toMatch(/^0 Policy 2 is in force now/);
  for (const words of [
    ['user', 'list'],
    ['policy', 'show'],
    ['policy', 'set', 'first.json'],
  ]) {
    const { stdout } = await desk.run([...words, '--json'], { env: { ...desk.env, ...given, ...as('ada') } });
    expectDocumented(words, JSON.parse(stdout));
  }
  expect(await run(['user', 'rotate'], as('ada'))).toMatch(/^0 ada has a new key.*do not count any more/);
});

it.runIf(hasPseudoTerminal)('a passphrase is not shown while it is typed', async () => {
  const desk = await openDesk();
  const words = ['user', 'add', 'ada', '--role', 'maker'];
  const place = { cwd: desk.folder, env: desk.env };
  const end = await answerOnTerminal(words, place, `${passphrase}\r`, ['New passphrase', 'once more']);
  expect(end.output).toContain('ada is added as maker');
  expect(end.output).not.toContain(passphrase);
});
