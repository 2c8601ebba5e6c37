/* The passphrase of a key file: from its settings, or from the person. */

import type { CallContext } from '../call/context.ts';
import { readSecretFile, UnusableFile } from '../call/credentials.ts';
import type { PassphraseQuestion } from '../call/events.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';

/** Who is asked, and where the settings are. */
export type PassphraseContext = Pick<CallContext, 'machine' | 'ask'>;

/**
 * The passphrase of a key file: of the setting `userPassphrase` or `userPassphraseFile`, else what the person answers.
 * @throws PaybatchError (`passphrase_missing`) where neither gives one; (`usage`) where both settings do
 */
export async function passphraseFor(
  app: PassphraseContext,
  about: Omit<PassphraseQuestion, 'kind'>,
): Promise<string> {
  const stated = statedPassphrase(app);
  if (stated !== null) return stated;
  const answer = await app.ask({ kind: 'passphrase', ...about });
  if (typeof answer === 'object' && answer.text !== '') return answer.text;
  throw new PaybatchError(
    'passphrase_missing',
    `Nobody has given the passphrase of the key file ${about.file}.`,
    {
      action: 'set',
      oneOf: [{ setting: 'userPassphrase' }, { setting: 'userPassphraseFile' }],
      effect: 'where there is no terminal to ask on',
    },
  );
}

/** Null where no setting gives one. */
function statedPassphrase({ machine }: Pick<CallContext, 'machine'>): string | null {
  const { userPassphrase = '', userPassphraseFile = '' } = machine;
  if (userPassphrase !== '' && userPassphraseFile !== '') {
    throw new PaybatchError(
      'usage',
      'Both the setting userPassphrase and the setting userPassphraseFile are set.',
      'unset one of them',
    );
  }
  if (userPassphrase !== '') return userPassphrase;
  return userPassphraseFile === '' ? null : passphraseIn(userPassphraseFile, 'userPassphraseFile');
}

/** The path is not told: it may be the passphrase, in the wrong place. */
function passphraseIn(path: string, setting: 'userPassphraseFile' | 'passphraseFile'): string {
  try {
    const text = readSecretFile(path).replace(/\r?\n$/, '');
    if (text !== '') return text;
    throw new UnusableFile('is empty');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    const problem = error instanceof UnusableFile ? error.message : `cannot be read${code}`;
    throw new PaybatchError(
      'passphrase_missing',
      `The file of the setting ${setting} ${problem}.`,
      `check that the setting ${setting} is the path of a regular file that holds the passphrase and nothing else, and that you may read it`,
    );
  }
}

/** A shorter one is soon guessed by whoever has the file. */
const fewestCharacters = 12;

/** The new key file, and where its passphrase may stand. */
interface NewPassphrase {
  readonly user: string;
  /** Path of the key file. */
  readonly file: string;
  /** Path of a file with the passphrase; asked for when absent. */
  readonly passphraseFile?: string | undefined;
  /** Whether the new key is of the person whose passphrase the settings give. */
  readonly isOwn?: boolean;
}

/**
 * A passphrase for a new key file: of a file, else of the settings where these are the same person's, else what the person
 * answers, twice.
 * @throws PaybatchError (`passphrase_weak`), (`passphrase_missing`), and (`usage`) where the second answer is another one
 */
export async function newPassphrase(app: PassphraseContext, wanted: NewPassphrase): Promise<string> {
  const passphrase = await chosenPassphrase(app, wanted);
  if (Array.from(passphrase).length >= fewestCharacters) return passphrase;
  throw new PaybatchError(
    'passphrase_weak',
    `A passphrase needs ${fewestCharacters} characters or more.`,
    'choose a longer one: several words do well',
  );
}

async function chosenPassphrase(
  app: PassphraseContext,
  { user, file, passphraseFile, isOwn = (app.machine.userKeyFile ?? '') === '' }: NewPassphrase,
): Promise<string> {
  if (passphraseFile !== undefined) return passphraseIn(passphraseFile, 'passphraseFile');
  const stated = isOwn ? statedPassphrase(app) : null;
  if (stated !== null) return stated;
  const answers: string[] = [];
  for (const purpose of ['choose', 'repeat'] as const) {
    const answer = await app.ask({ kind: 'passphrase', purpose, user, file });
    if (typeof answer !== 'object' || answer.text === '') throw nobodyChose(file, isOwn);
    answers.push(answer.text);
  }
  const [first = '', second = ''] = answers;
  if (first === second) return first;
  throw new PaybatchError('usage', 'The two passphrases differ.', { action: 'again' });
}

function nobodyChose(file: string, isOwn: boolean): PaybatchError {
  return new PaybatchError('passphrase_missing', `Nobody has given a passphrase for the key file ${file}.`, {
    action: 'set',
    oneOf: [{ setting: 'passphraseFile' }, ...(isOwn ? [{ setting: 'userPassphrase' as const }] : [])],
    effect: 'where there is no terminal to ask on',
  });
}
