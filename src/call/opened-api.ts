/* The API of a call: which address and key are in force, and how it is opened. */

import { resolve } from 'node:path';
import type { ProxySettings } from '../api/connections.ts';
import { type Environment, localSandboxPrefix } from '../domain/batches/batch.ts';
import { PaybatchError, type Remedies } from '../domain/failures/paybatch-error.ts';
import { isLoopbackUrl } from '../domain/machine/addresses.ts';
import type { ApiTarget, LedgerTarget, Settings } from '../domain/settings/definitions.ts';
import { type Message, say } from '../domain/settings/message.ts';
import type { MachineSettings } from '../domain/settings/setting.ts';
import { credentialFingerprint, readApiKey, requireStatedFingerprint } from './settings.ts';

/** The settings for the API and the ledger of an engine, which are the same for all of its calls. */
export interface Place {
  readonly api: ApiTarget;
  readonly ledger: LedgerTarget;
  readonly machine: MachineSettings;
}

/**
 * An environment variable that Node.js itself applies in this process, whatever the settings are; empty if it is not set.
 */
export function nodeVariable(name: 'NODE_EXTRA_CA_CERTS' | 'NODE_TLS_REJECT_UNAUTHORIZED'): string {
  return process.env[name] ?? '';
}

/** The settings that select the API, and the folder of the built-in sandbox. */
type ApiPlace = Pick<Settings, 'api' | 'ledger'>;

/** The API that an engine uses, and its credentials. */
export interface OpenedApi {
  readonly environment: Environment;
  readonly baseUrl: URL;
  readonly apiKey: string;
  readonly credential: string;
  /**
   * Whether the settings state the fingerprint of the key. A person has compared it with the key in the provider's
   * dashboard then.
   */
  readonly isKeyCompared: boolean;
  /** Whether the API is the built-in sandbox, which this process has started. */
  readonly isBuiltIn: boolean;
  /** The proxy of the machine's settings. Connections to the API may still be direct, if `noProxy` lists its host. */
  readonly proxy?: ProxySettings | undefined;
  readonly close: () => Promise<void>;
}

/**
 * Opens the API that the settings name.
 * @throws PaybatchError (`usage`) when the settings do not name an API, or name one that must not be used
 */
export async function openApi({ machine, ...settings }: Place): Promise<OpenedApi> {
  if (settings.api.localSandbox) return startLocalSandbox(settings);
  const baseUrl = statedBaseUrl(settings);
  if (settings.api.mode === 'live') requireCheckedCertificates();
  const apiKey = readApiKey(machine, settings.api.mode);
  const credential = credentialFingerprint(apiKey);
  requireStatedFingerprint(machine, settings.api.mode, credential);
  return {
    environment: { mode: settings.api.mode, origin: originOf(baseUrl) },
    baseUrl,
    apiKey,
    credential,
    isKeyCompared: settings.api.mode === 'live' && (machine.liveKeyFingerprint ?? '').trim() !== '',
    isBuiltIn: false,
    proxy: baseUrl.protocol === 'https:' ? proxyIn(machine) : undefined,
    close: async () => {},
  };
}

/** Starts the built-in sandbox. Its port changes from run to run, so the environment is named after its data folder. */
async function startLocalSandbox(settings: ApiPlace): Promise<OpenedApi> {
  if (settings.api.mode === 'live')
    throw usage(say`${{ setting: 'localSandbox' }} is for sandbox mode only.`, {
      action: 'leave_out',
      settings: [{ setting: 'mode', value: 'live' }],
    });
  if (settings.api.baseUrl !== undefined) {
    throw usage(say`${{ setting: 'localSandbox' }} and ${{ setting: 'baseUrl' }} name two APIs.`, {
      action: 'leave_out',
      settings: [{ setting: 'localSandbox' }, { setting: 'baseUrl' }],
    });
  }
  const dataDir = sandboxFolder(settings);
  try {
    const { parseFaults } = await import('../sandbox/faults.ts');
    const { startSandboxInWorker } = await import('../sandbox/worker.ts');
    const faults = settings.api.sandboxFaults;
    const sandbox = await startSandboxInWorker({
      dataDir,
      ...(faults === undefined ? {} : { faults: parseFaults(faults) }),
    });
    return {
      environment: { mode: 'sandbox', origin: `${localSandboxPrefix}${sandbox.storeId}` },
      baseUrl: new URL(sandbox.url),
      apiKey: sandbox.apiKeys.sandbox,
      credential: credentialFingerprint(sandbox.apiKeys.sandbox),
      isKeyCompared: false,
      isBuiltIn: true,
      close: sandbox.close,
    };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const { DataFolderInUse } = await import('../sandbox/data-folder.ts');
    if (error instanceof DataFolderInUse) {
      throw new PaybatchError('sandbox_in_use', `The built-in sandbox is held: ${problem}.`, [
        { action: 'advice', text: 'wait for it to end', next: { action: 'again' } },
        { action: 'set', purpose: 'use another folder', oneOf: [{ setting: 'sandboxDir' }] },
      ]);
    }
    throw usage(`The built-in sandbox could not be started: ${problem}.`, [
      'see docs/sandbox.md',
      { action: 'set', purpose: 'use another folder', oneOf: [{ setting: 'sandboxDir' }] },
    ]);
  }
}

/**
 * The folder of the built-in sandbox. It is beside the ledger's folder, not in it: its data belongs to the API, and must
 * survive the loss of a ledger.
 */
export function sandboxFolder(settings: ApiPlace): string {
  return settings.api.sandboxDir ?? `${resolve(settings.ledger.ledgerDir)}-sandbox`;
}

/** Whether the API at an address is not on this machine. The mode has to be stated for such an API. */
export function isElsewhere(address = ''): boolean {
  return URL.canParse(address) && !isLoopbackUrl(new URL(address));
}

/** The environment that the options state; undefined if they name no address. @throws PaybatchError (`usage`) */
export function statedEnvironment(settings: ApiPlace): Environment | undefined {
  if (settings.api.baseUrl === undefined) return undefined;
  return { mode: settings.api.mode, origin: originOf(statedBaseUrl(settings)) };
}

/**
 * The API's address. An address on another machine does not show whether the API is for tests or for real money, so the
 * mode has to be stated.
 */
function statedBaseUrl(settings: ApiPlace): URL {
  const baseUrl = parseBaseUrl(settings.api.baseUrl);
  if (settings.api.isModeStated || isLoopbackUrl(baseUrl)) return baseUrl;
  throw usage(
    say`${{ setting: 'mode' }} is not given: ${baseUrl.origin} is not on this machine, and may be for tests or for real money.`,
    {
      action: 'set',
      oneOf: [
        { setting: 'mode', value: 'sandbox' },
        { setting: 'mode', value: 'live' },
      ],
    },
  );
}

/**
 * Refuses a variable of Node.js that switches off the check of certificates. Without this check, anybody on the network
 * path can read the key.
 */
function requireCheckedCertificates(): void {
  if (nodeVariable('NODE_TLS_REJECT_UNAUTHORIZED') !== '0') return;
  throw usage(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 turns the check of certificates off, and live mode needs it.',
    'unset NODE_TLS_REJECT_UNAUTHORIZED; a certificate of your own goes into NODE_EXTRA_CA_CERTS',
  );
}

function parseBaseUrl(text: string | undefined): URL {
  if (text === undefined) {
    throw usage('There is no address of the API.', [
      { action: 'set', oneOf: [{ setting: 'baseUrl' }] },
      { action: 'set', purpose: 'try it', oneOf: [{ setting: 'localSandbox' }] },
    ]);
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usage(
      say`${{ setting: 'baseUrl' }} is no http or https address.`,
      'give it as https://api.example.com',
    );
  }
  if (url.protocol === 'http:' && !isLoopbackUrl(url)) {
    throw usage(
      say`${{ setting: 'baseUrl' }} is not encrypted: plain http is for this machine only.`,
      'use https',
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw usage(
      say`${{ setting: 'baseUrl' }} must be an address without user, query or fragment.`,
      'give it as https://api.example.com',
    );
  }
  // Every request path already begins with `/v1`. If the address contained it as well, no path would be found.
  url.pathname = url.pathname.replace(/\/v1\/*$/, '');
  return url;
}

/** Scheme, host, port and path prefix, which together identify an API. */
function originOf(baseUrl: URL): string {
  return `${baseUrl.origin}${baseUrl.pathname.replace(/\/+$/, '')}`;
}

function usage(message: Message, next: Remedies): PaybatchError {
  return new PaybatchError('configuration', message, next);
}

/**
 * The proxy for HTTPS. Its credentials are part of its address, and are never shown.
 * @throws PaybatchError (`usage`) when the address is not that of a proxy
 */
export function proxyIn({ httpsProxy = '', noProxy = '' }: MachineSettings): ProxySettings | undefined {
  const text = httpsProxy.trim();
  if (text === '') return undefined;
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol)) throw unusable();
  const authorization = authorizationIn(address);
  address.username = '';
  address.password = '';
  return { address, authorization, noProxy };
}

function authorizationIn({ username, password }: URL): string | null {
  if (username === '') return null;
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(credentials).toString('base64')}`;
  } catch {
    throw unusable();
  }
}

/** The error for an invalid proxy setting. It does not show the value, which may contain a password. */
function unusable(): PaybatchError {
  return new PaybatchError(
    'configuration',
    say`${{ setting: 'httpsProxy' }} is no http or https address of a proxy.`,
    'give it as http://proxy.example:3128, or unset it',
  );
}
