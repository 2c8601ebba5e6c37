import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { exitCodes } from '../domain/exit-code.ts';
import { Failure } from '../domain/failure.ts';

/**
 * The secret key of the API, from the environment or a file; never from an option, where other users of
 * the machine could read it.
 * @throws Failure (exit 2) when there is none, or two, or it cannot be a header's value
 */
export function readApiKey(environment: NodeJS.ProcessEnv): string {
  const { PAYBATCH_API_KEY: direct = '', PAYBATCH_API_KEY_FILE: path = '' } = environment;
  if (direct !== '' && path !== '') {
    throw refuse('Both PAYBATCH_API_KEY and PAYBATCH_API_KEY_FILE are set.', 'unset one of them');
  }
  const key = (path === '' ? direct : readKeyFile(path)).trim();
  if (key === '') {
    throw refuse(
      'There is no API key.',
      'set PAYBATCH_API_KEY or PAYBATCH_API_KEY_FILE, or try it with --local-sandbox',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(key))
    throw refuse('The API key holds characters that no header can carry.', 'check it');
  return key;
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw refuse(
      `The file of PAYBATCH_API_KEY_FILE, ${path}, cannot be read.`,
      'check its path and permissions',
    );
  }
}

/** Tells keys apart without telling anything about them: the first 64 bits of a SHA-256. */
export function credentialFingerprint(apiKey: string): string {
  return createHash('sha256').update(`paybatch credential\n${apiKey}`).digest('hex').slice(0, 16);
}

function refuse(message: string, next: string): Failure {
  return new Failure(exitCodes.usage, 'api_key_missing', message, next);
}
