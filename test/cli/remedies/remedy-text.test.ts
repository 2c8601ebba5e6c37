import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/call/settings.ts';
import { terminalText } from '../../../src/cli/options/options.ts';
import { commandLine, commandLineWords, nextOf, shellWord } from '../../../src/cli/remedies/remedy-text.ts';
import { FilesRefused, PaybatchError, type Remedy } from '../../../src/domain/failures/paybatch-error.ts';
import { plainText, say } from '../../../src/domain/settings/message.ts';

it.each(['plain.csv', '-', 'two words', "it's", '$HOME `ls` "x"', 'a\nb', 'bell\u0007', '送金.csv', '%;&|*'])(
  'a word of a command is the same once a shell has read it: %j',
  (word) => {
    const read = execFileSync('bash', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8' });
    expect(read).toBe(word);
  },
);

it('a command is quoted word by word', () => {
  expect(commandLine(['validate', "Amina's list.csv"])).toBe("paybatch validate 'Amina'\\''s list.csv'");
});

const live = { mode: 'live', origin: 'https://api.example.test' } as const;
const given = readSettings({ ledgerDir: 'a ledger', sheet: 'May', hidden: 'skip', localSandbox: true });
const words = commandLineWords({ settings: given });
const own = "--local-sandbox --ledger-dir 'a ledger'";

describe('what helps, on the command line', () => {
  it.each<readonly [Remedy, string]>([
    [{ action: 'again' }, 'run the same command again'],
    [{ action: 'migrate' }, 'paybatch migrate'],
    [{ action: 'help', of: 'recover' }, 'paybatch recover --help'],
    [{ action: 'status', effect: 'lists the batches' }, `paybatch status ${own} lists the batches`],
    [
      { action: 'resume', batch: '961a3f1c', refusedAlike: 'off', environment: live },
      "paybatch resume 961a3f1c --refused-alike off --mode live --base-url https://api.example.test --ledger-dir 'a ledger'",
    ],
    [
      { action: 'plan', files: ["Amina's.csv"], asRead: true, purpose: 'look at it again' },
      `look at it again: paybatch plan 'Amina'\\''s.csv' --sheet May --hidden skip ${own}`,
    ],
    [{ action: 'mapping', file: null }, `paybatch mapping FILE --sheet May ${own}`],
    [
      { action: 'edit_mapping', file: 'a.csv', about: 'Bank', sheet: 'June' },
      `paybatch mapping a.csv --edit --about Bank --sheet June ${own}`,
    ],
    [
      { action: 'recover', logs: ['a.jsonl', 'b.jsonl'], files: [], asRead: false },
      `paybatch recover --log a.jsonl --log b.jsonl FILE ${own}`,
    ],
    [
      { action: 'set', oneOf: [{ setting: 'baseUrl' }, { setting: 'localSandbox' }] },
      'give --base-url URL or --local-sandbox',
    ],
    [
      { action: 'set', oneOf: [{ setting: 'hidden', value: 'include' }], effect: 'sends them' },
      '--hidden include sends them',
    ],
    [{ action: 'leave_out', settings: [{ setting: 'mode', value: 'live' }] }, 'leave out --mode live'],
    [
      { action: 'check', settings: ['apiKey', 'mode'], next: { action: 'again' } },
      'check the API key and --mode, then run the same command again',
    ],
    [
      {
        action: 'set',
        purpose: 'name a server',
        oneOf: [{ setting: 'databaseUrl' }],
        next: { action: 'migrate' },
      },
      'name a server: DATABASE_URL, then: paybatch migrate',
    ],
  ])('%j', (remedy, text) => {
    expect(words.remedy(remedy)).toBe(text);
  });

  it('names settings in sentences by their options', () => {
    const message = say`${{ setting: 'maxInvalid' }} allows 2, ${{ setting: 'databaseUrl' }} all. ${{ setting: 'join' }} too.`;
    expect(terminalText(message)).toBe('--max-invalid allows 2, DATABASE_URL all. --join too.');
    expect(plainText(message)).toBe(
      'The setting maxInvalid allows 2, the setting databaseUrl all. The setting join too.',
    );
    expect(terminalText('The setting maxInvalid of a file stays as it came.')).toBe(
      'The setting maxInvalid of a file stays as it came.',
    );
  });

  it('is one of several, and said once for files that need the same', () => {
    const error = new PaybatchError('unknown_kind', 'What is it?', ['name it', 'leave it out']);
    expect(nextOf(error, words)).toBe('name it; or leave it out');
    expect(nextOf(new FilesRefused([error, error]), words)).toBe('name it; or leave it out');
    expect(nextOf(new PaybatchError('source_differs', 'It differs.', null), words)).toBeNull();
  });
});
