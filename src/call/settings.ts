/* The settings of a call, checked and completed; the files and keys that they name; and the version of the program. */

import { createHash } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import type { Mode } from '../domain/batches/batch.ts';
import { PaybatchError, type Remedies } from '../domain/failures/paybatch-error.ts';
import {
  type AnyGroup,
  type GivenSettings,
  type SettingName,
  type Settings,
  settingGroups,
  type ValuesOf,
} from '../domain/settings/definitions.ts';
import { type Message, say } from '../domain/settings/message.ts';
import { type MachineSettingName, type MachineSettings, UnusableValue } from '../domain/settings/setting.ts';
import { kinds } from '../kinds/registry.ts';

/** Stated values by the names of their settings; undefined for settings without a stated value. */
export type GivenValues = Readonly<Partial<Record<SettingName, unknown>>>;

/** Thrown for a value that a setting does not accept. `problem` is the rest of a sentence that begins with the setting. */
export class UnusableSetting extends Error {
  override readonly name = 'UnusableSetting';
  readonly setting: SettingName;
  readonly problem: string;

  constructor(setting: SettingName, problem: string) {
    super(`${setting} ${problem}.`);
    this.setting = setting;
    this.problem = problem;
  }
}

/**
 * Checks settings, and completes them with their defaults.
 * @throws UnusableSetting for the first value that its setting does not accept
 */
export function readSettings(raw: GivenValues): Settings {
  const { mode, ...api } = valuesOf(settingGroups.api, raw);
  const reading = valuesOf(settingGroups.reading, raw);
  if (reading.kind !== undefined && !kinds.includes(reading.kind)) {
    throw new UnusableSetting('kind', `is "${reading.kind}"; it can be ${kinds.join(', ')}`);
  }
  return {
    api: { ...api, mode: mode ?? 'sandbox', isModeStated: mode !== undefined },
    reading,
    controls: valuesOf(settingGroups.controls, raw),
    ledger: valuesOf(settingGroups.ledger, raw),
    sending: valuesOf(settingGroups.sending, raw),
    keys: valuesOf(settingGroups.keys, raw),
    output: valuesOf(settingGroups.output, raw),
  };
}

/** The values of groups, by name only. If several groups state a value, the last one counts. */
export function valuesByName(...several: readonly GivenSettings[]): GivenValues {
  const values: Record<string, unknown> = {};
  for (const groups of several) {
    for (const group of Object.values(groups)) {
      for (const [name, value] of Object.entries(group ?? {})) if (value !== undefined) values[name] = value;
    }
  }
  return values;
}

function valuesOf<Group extends AnyGroup>(group: Group, raw: GivenValues): ValuesOf<Group> {
  const values = Object.entries(group).map(([name, setting]) => {
    const value: unknown = Reflect.get(raw, name);
    return [
      name,
      value === undefined ? setting.defaultValue : readAs(name as SettingName, () => setting.read(value)),
    ];
  });
  return Object.fromEntries(values) as ValuesOf<Group>;
}

function readAs<Value>(name: SettingName, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnusableValue) throw new UnusableSetting(name, error.message);
    throw error;
  }
}

/* The API key: the settings that name it, and the files that may contain it. */

/** The settings for a key and for the path of its file: for each mode, and for either mode. */
const places = {
  sandbox: ['sandboxApiKey', 'sandboxApiKeyFile'],
  live: ['liveApiKey', 'liveApiKeyFile'],
  either: ['apiKey', 'apiKeyFile'],
} as const satisfies Readonly<
  Record<Mode | 'either', readonly [value: MachineSettingName, file: MachineSettingName]>
>;

/** Every setting that may name a file with a key. */
export const keyFileSettings: readonly MachineSettingName[] = Object.values(places).map(([, file]) => file);

/**
 * Minimum length of a key. The key is removed from the API's answers, and a shorter key would also match ordinary words.
 */
const fewestCharacters = 8;

/**
 * Reads the secret key of the API for a mode.
 * @throws PaybatchError (`usage`) when no key or two keys are set, and when the key is also set for the other mode, is too
 *   short, or cannot be a header's value. The error quotes no value of these settings, since a key may be set by mistake
 *   where a path is expected
 */
export function readApiKey(machine: MachineSettings, mode: Mode): string {
  const [own, ownFile] = places[mode];
  const [first, second] = [...places[mode], ...places.either].filter((setting) => isSet(machine, setting));
  if (first !== undefined && second !== undefined) {
    throw missing(say`Both ${{ setting: first }} and ${{ setting: second }} are set.`, 'unset one of them');
  }
  const key = first === undefined ? '' : keyIn(machine, first);
  if (first === undefined || key === '') {
    throw missing(`There is no API key for ${mode} mode.`, [
      { action: 'set', oneOf: [{ setting: own }, { setting: ownFile }, { setting: 'apiKey' }] },
      { action: 'set', purpose: 'try it', oneOf: [{ setting: 'localSandbox' }] },
    ]);
  }
  if (!/^[\x21-\x7e]+$/.test(key))
    throw missing('The API key holds characters that no header can carry.', 'check it');
  if (key.length < fewestCharacters) {
    throw new PaybatchError(
      'api_key_too_short',
      say`The API key of ${{ setting: first }} has ${key.length} characters; at least ${fewestCharacters} are needed.`,
      'check that it is the whole key',
    );
  }
  refuseKeyOfOtherMode(machine, mode, key);
  return key;
}

function isSet(machine: MachineSettings, setting: MachineSettingName): boolean {
  return (machine[setting] ?? '') !== '';
}

function keyIn(machine: MachineSettings, setting: MachineSettingName): string {
  const value = machine[setting] ?? '';
  return (keyFileSettings.includes(setting) ? readKeyFile(setting, value) : value).trim();
}

/**
 * Refuses a key that is also set for the other mode. Each mode has its own key, so one of the two settings is a mistake.
 */
function refuseKeyOfOtherMode(machine: MachineSettings, mode: Mode, key: string): void {
  const other = mode === 'live' ? 'sandbox' : 'live';
  for (const setting of places[other].filter((each) => isSet(machine, each))) {
    if (keyIn(machine, setting) !== key) continue;
    throw otherModesKey(
      say`The API key for ${mode} mode is the one that ${{ setting }} gives for ${other} mode.`,
    );
  }
}

/** @returns the refusal of a key that belongs to the other mode */
export function otherModesKey(message: Message): PaybatchError {
  return new PaybatchError(
    'api_key_of_other_mode',
    message,
    say`check ${{ setting: 'mode' }}, ${{ setting: 'sandboxApiKey' }} and ${{ setting: 'liveApiKey' }}: each mode has a key of its own`,
  );
}

function readKeyFile(setting: MachineSettingName, path: string): string {
  try {
    return readSecretFile(path);
  } catch (error) {
    throw missing(
      say`The file of ${{ setting }} ${whyUnreadable(error)}.`,
      say`check that ${{ setting }} is the path of a regular file that holds the key and nothing else, and that you may read it`,
    );
  }
}

/** The reason why a file could not be read, as the rest of a sentence that begins with the file. */
export function whyUnreadable(error: unknown): string {
  if (error instanceof UnusableFile) return error.message;
  return `cannot be read${error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''}`;
}

/** A fingerprint that identifies a key without revealing it: the first 64 bits of a SHA-256, in hex. */
export function credentialFingerprint(apiKey: string): string {
  return createHash('sha256').update(`paybatch credential\n${apiKey}`).digest('hex').slice(0, 16);
}

/**
 * Checks a key with the stated fingerprint of the live key, since an API key does not show its mode. If the fingerprint is
 * stated, only this key is used in live mode, and it is not used in another mode.
 * @throws PaybatchError (`live_key_differs`), (`api_key_of_other_mode`)
 */
export function requireStatedFingerprint(machine: MachineSettings, mode: Mode, fingerprint: string): void {
  const stated = (machine.liveKeyFingerprint ?? '').trim().toLowerCase();
  if (stated === '' || (mode === 'live') === (stated === fingerprint)) return;
  if (mode === 'sandbox') {
    throw otherModesKey(
      say`The API key for sandbox mode is the live one: it has the fingerprint of ${{ setting: 'liveKeyFingerprint' }}.`,
    );
  }
  throw new PaybatchError(
    'live_key_differs',
    say`The API key for live mode has the fingerprint ${fingerprint}, and ${{ setting: 'liveKeyFingerprint' }} is ${stated}.`,
    say`compare the key with the live secret key in the dashboard of the API; if it was rotated there, set ${{ setting: 'liveKeyFingerprint' }} to ${fingerprint}`,
  );
}

function missing(message: Message, next: Remedies): PaybatchError {
  return new PaybatchError('api_key_missing', message, next);
}

/** Thrown if a file is not read to its end. The message is the rest of a sentence that begins with the file. */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile';
}

/**
 * Maximum size of files with settings, mappings and rules. Even a mapping with an API's whole list of institutions is far
 * smaller.
 */
const mostBytesOfSettings = 16 * 1024 * 1024;

/** Maximum size of a file with a secret: a header cannot carry a longer key. */
const mostBytesOfSecret = 16 * 1024;

/**
 * Reads the text of a file with settings. A pipe is accepted, but endless input is not.
 * @throws UnusableFile when the file is too large; the system's error when it cannot be read
 */
export function readSettingsFile(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    return readAtMost(descriptor, mostBytesOfSettings, '16 MiB');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads the text of a file with a secret. It must be a regular file, or a symbolic link to one, as Kubernetes mounts
 * secrets. A pipe could be read only once, but the key is needed more often. A device has no end.
 * @throws UnusableFile when it is something else, or too large; the system's error when it cannot be read. Do not show
 *   these errors unchanged, since the stated path may be the secret itself
 */
export function readSecretFile(path: string): string {
  // Without O_NONBLOCK, opening a pipe that has no writer would wait for ever.
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return readSecretOf(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads the text of an open file with a secret.
 * @throws UnusableFile when it is not a regular file, or too large; the system's error when it cannot be read
 */
export function readSecretOf(descriptor: number): string {
  if (!fstatSync(descriptor).isFile()) throw new UnusableFile('is no regular file');
  return readAtMost(descriptor, mostBytesOfSecret, '16 KiB');
}

/** Reads a file up to a limit. The size that the system states is ignored, since it is 0 for many files in `/proc`. */
function readAtMost(descriptor: number, mostBytes: number, limit: string): string {
  const bytes = Buffer.alloc(mostBytes + 1);
  let length = 0;
  for (;;) {
    const read = readSync(descriptor, bytes, length, bytes.length - length, null);
    length += read;
    if (length > mostBytes) throw new UnusableFile(`holds more than ${limit}`);
    if (read === 0) return bytes.toString('utf8', 0, length);
  }
}

/**
 * Reads the version in package.json, which is two folders up from the sources, three from the compiled files, and four from
 * the bundle.
 */
function readVersion(): string {
  for (const path of ['../../package.json', '../../../package.json', '../../../../package.json']) {
    const url = new URL(path, import.meta.url);
    if (!existsSync(url)) continue;
    const manifest: { name?: unknown; version?: unknown } = JSON.parse(readFileSync(url, 'utf8'));
    if (manifest.name === 'paybatch') return String(manifest.version);
  }
  return 'unknown';
}

export const version = readVersion();

export const userAgent = `paybatch/${version}`;
