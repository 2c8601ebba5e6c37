/* The resources that an engine opens once and keeps for all of its calls: the ledger, the API and its clients. */

import type { KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ApiClient, createApiClient } from '../api/client.ts';
import { PaybatchError, type Remedy } from '../domain/failures/paybatch-error.ts';
import type { SendingLimits } from '../domain/settings/definitions.ts';
import { asOpeningFailure } from '../ledger/connection/database-failure.ts';
import { requireSchema } from '../ledger/connection/migrate.ts';
import { type Ledger, openEmbeddedLedger, openServerLedger } from '../ledger/connection/open.ts';
import type { TimeLimits } from '../ledger/connection/server-pool.ts';
import {
  type ReadOnlyServer,
  readWhetherReadOnly,
  requireWrites,
} from '../ledger/connection/server-settings.ts';
import * as exported from '../ledger/exported-verbs.ts';
import { type LedgerVerbs, type VerbsWith, verbBinder } from '../ledger/verbs.ts';
import { type OpenedApi, openApi, type Place } from './opened-api.ts';
import { userAgent } from './settings.ts';

/** The remedy if the embedded ledger is not sufficient. */
export const migratedServer: Remedy = {
  action: 'set',
  purpose: 'name a PostgreSQL server',
  oneOf: [{ setting: 'databaseUrl' }],
  next: { action: 'migrate' },
};

/** The open ledger. */
export interface LedgerAccess {
  readonly ledger: Ledger;
  readonly verbs: LedgerVerbs;
  /** The ledger's verbs, with those of files that only few calls need. */
  readonly verbsWith: <Files extends object>(files: Files) => VerbsWith<Files>;
  /** The server of the ledger if it accepts no writes; otherwise null. */
  readonly readOnly: ReadOnlyServer | null;
}

/** The key pair of a console. */
interface ConsoleKey {
  readonly keyId: string;
  readonly privateKey: KeyObject;
}

/** Binds the verbs of an open ledger. @param readOnly its server if it accepts no writes; otherwise null */
export function accessTo(ledger: Ledger, readOnly: ReadOnlyServer | null): LedgerAccess {
  const { database, shortStatements } = ledger;
  const bind = verbBinder(database, undefined, shortStatements, readOnly !== null);
  const verbs = bind(exported);
  return { ledger, readOnly, verbs, verbsWith: (files) => ({ ...verbs, ...bind(files) }) };
}

/**
 * The connections of an engine. Each resource is opened when a call first needs it, and stays open until the engine is
 * closed.
 */
export class Connections {
  readonly #place: Place;
  readonly #clients = new Map<string, ApiClient>();
  #ledger: Promise<LedgerAccess> | undefined;
  #api: Promise<OpenedApi> | undefined;
  readonly #privateKeys = new Map<string, Promise<KeyObject>>();

  constructor(place: Place) {
    this.#place = place;
  }

  /** Whether a ledger exists. Read-only calls do not create one. */
  isLedgerThere(): boolean {
    return this.isLedgerOnServer() || existsSync(resolve(this.#place.ledger.ledgerDir, 'pgdata'));
  }

  isLedgerOnServer(): boolean {
    return (this.#place.machine.databaseUrl ?? '') !== '';
  }

  /**
   * The ledger, with its schema checked, on a server that accepts writes.
   * @throws PaybatchError (`usage`) in live mode without a server, with a missing or outdated schema, or at a standby;
   *   (`stopped`) when the database cannot be reached; (`busy`) when another process has the embedded ledger open
   */
  async ledger(): Promise<LedgerAccess> {
    return this.#withWrites(await this.#opened(requireWrites));
  }

  /** The ledger for read-only calls. A standby can serve these as well. */
  ledgerToRead(): Promise<LedgerAccess> {
    return this.#opened(() => {});
  }

  #opened(check: typeof requireWrites): Promise<LedgerAccess> {
    this.#ledger ??= this.#openLedger(check).catch((error: unknown) => {
      this.#ledger = undefined;
      throw error;
    });
    return this.#ledger;
  }

  /** Checks again whether a server accepts writes: a standby may have been promoted since it was opened. */
  async #withWrites(access: LedgerAccess): Promise<LedgerAccess> {
    if (access.readOnly === null) return access;
    requireWrites(await access.verbs.readWhetherReadOnly());
    const promoted = accessTo(access.ledger, null);
    this.#ledger = Promise.resolve(promoted);
    return promoted;
  }

  async #openLedger(check: typeof requireWrites): Promise<LedgerAccess> {
    const ledger = await this.openUnchecked();
    try {
      const readOnly = ledger.isEmbedded ? null : await readWhetherReadOnly(ledger.database);
      check(readOnly);
      await requireSchema(ledger);
      return accessTo(ledger, readOnly);
    } catch (error) {
      await ledger.close();
      throw asOpeningFailure(error);
    }
  }

  /**
   * Opens the ledger for a migration, without checking its schema. The caller has to close it.
   * @param limits how long statements may take on a server
   */
  async openUnchecked(limits?: TimeLimits): Promise<Ledger> {
    const { api, ledger, machine } = this.#place;
    const url = machine.databaseUrl ?? '';
    if (url !== '') return openServerLedger(url, limits);
    if (api.mode === 'live') {
      throw new PaybatchError(
        'database_missing',
        'Live mode needs a PostgreSQL server: the embedded ledger does not survive a power cut.',
        migratedServer,
      );
    }
    return openEmbeddedLedger(resolve(ledger.ledgerDir));
  }

  /**
   * Closes the ledger; the next call that needs it opens it again. Used for a migration, and after a failure of the
   * embedded ledger.
   */
  async closeLedger(): Promise<void> {
    // A ledger that could not be opened does not have to be closed. Its error was reported to the call that needed it.
    const opened = await this.#ledger?.catch(() => undefined);
    this.#ledger = undefined;
    await opened?.ledger.close();
  }

  /**
   * The API of the settings. If that is the built-in sandbox, it is started.
   * @throws PaybatchError (`usage`) when the settings do not name an API, or name one that must not be used
   */
  api(): Promise<OpenedApi> {
    this.#api ??= openApi(this.#place).catch((error: unknown) => {
      this.#api = undefined;
      throw error;
    });
    return this.#api;
  }

  /** A client of the API for calls with these limits. It is closed with the engine. */
  async client({ timeout, concurrency }: SendingLimits): Promise<ApiClient> {
    const { baseUrl, apiKey, proxy } = await this.api();
    const key = `${timeout} ${concurrency}`;
    const known = this.#clients.get(key);
    if (known !== undefined) return known;
    const client = createApiClient({
      baseUrl,
      apiKey,
      proxy,
      userAgent,
      timeoutInMs: timeout * 1000,
      connections: concurrency,
    });
    this.#clients.set(key, client);
    return client;
  }

  /**
   * A person's private key, which is decrypted once for all calls.
   * @param keyFile the text of its file
   */
  privateKey(keyFile: string, open: () => Promise<KeyObject>): Promise<KeyObject> {
    const known = this.#privateKeys.get(keyFile);
    if (known !== undefined) return known;
    const opening = open().catch((error: unknown) => {
      this.#privateKeys.delete(keyFile);
      throw error;
    });
    this.#privateKeys.set(keyFile, opening);
    return opening;
  }

  /**
   * Fingerprints of API keys that a person has confirmed for this engine, because the ledger knew too little about them.
   */
  readonly agreedKeys = new Set<string>();

  /** The key with which the console of this engine signs; null without one. */
  consoleKey: ConsoleKey | null = null;

  /** Closes all open resources. No call may be running. */
  async close(): Promise<void> {
    this.#privateKeys.clear();
    this.consoleKey = null;
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
    this.#clients.clear();
    const api = await this.#api?.catch(() => undefined);
    this.#api = undefined;
    await api?.close();
    await this.closeLedger();
  }
}
