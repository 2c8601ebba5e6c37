/* The engine. It is opened once and serves many calls, from every channel. */

import { type LimitFunction, default as pLimit } from 'p-limit';
import { withEndKept } from '../account/result.ts';
import { callWords } from '../account/words/row-words.ts';
import { Connections } from '../call/connections.ts';
import { type Call, type CallContext, systemClock, userName } from '../call/context.ts';
import { type GivenValues, readSettings, UnusableSetting, valuesByName } from '../call/settings.ts';
import { asFailure, type Running, start } from '../call/start.ts';
import { PaybatchError } from '../domain/failures/paybatch-error.ts';
import { type GivenSettings, type Settings, settingGroups } from '../domain/settings/definitions.ts';
import type { MachineSettings } from '../domain/settings/setting.ts';
import {
  type Loaded,
  methodsBy,
  type RequestOf,
  type ResultOf,
  type UseCase,
  type UseCaseName,
  useCases,
  WithMethods,
} from './use-cases.ts';

/** The settings of an engine. They are also the defaults for calls whose requests state no other settings. */
export interface EngineConfig extends Omit<GivenSettings, 'api' | 'ledger'> {
  readonly api?: GivenSettings['api'] & {
    /** The secret key for the mode; the built-in sandbox needs none. */
    readonly apiKey?: string | undefined;
  };
  readonly ledger?: GivenSettings['ledger'] & {
    /** A PostgreSQL server. Without one the ledger is embedded, in `ledgerDir`, and only this process can use it. */
    readonly databaseUrl?: string | undefined;
  };
  /** The person who acts, proven by a key. When absent, each call names its actor, who cannot approve anything. */
  readonly user?: {
    /** Path of the person's key file. */
    readonly keyFile?: string | undefined;
    /** Its passphrase. If both this and `passphraseFile` are absent, `confirm` of a call asks for it. */
    readonly passphrase?: string | undefined;
    /** Path of a file with the passphrase. */
    readonly passphraseFile?: string | undefined;
  };
}

/**
 * Opens its resources once, and serves calls. On a PostgreSQL server it serves many calls at a time. On the embedded ledger
 * it serves them one after the other, in the order of arrival, except for those that run concurrently (see `useCases`).
 */
export class Engine extends WithMethods implements AsyncDisposable {
  /** The settings of a call whose request states no other settings. */
  readonly settings: Settings;
  readonly #raw: GivenValues;
  readonly #machine: MachineSettings;
  readonly #connections: Connections;
  readonly #turn: LimitFunction;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  /**
   * Opens an engine, and its ledger if one exists.
   * @throws PaybatchError (`option_invalid`) for an invalid setting; as `Connections.ledger` does
   */
  static async open({ api = {}, ledger = {}, user = {}, ...others }: EngineConfig = {}): Promise<Engine> {
    const { apiKey, ...apiSettings } = api;
    const { databaseUrl, ...ledgerSettings } = ledger;
    const raw = valuesByName({ api: apiSettings, ledger: ledgerSettings, ...others });
    const engine = Engine.withSettings(raw, {
      apiKey,
      databaseUrl,
      userKeyFile: user.keyFile,
      userPassphrase: user.passphrase,
      userPassphraseFile: user.passphraseFile,
    });
    if (engine.#hasLedgerToOpen()) await engine.#connections.ledgerToRead();
    return engine;
  }

  /**
   * Makes an engine from named settings and those of the machine. It opens each resource when it is first needed.
   * @throws PaybatchError (`option_invalid`) for an invalid setting
   */
  static withSettings(raw: GivenValues, machine: MachineSettings): Engine {
    return new Engine(raw, machine);
  }

  private constructor(raw: GivenValues, machine: MachineSettings) {
    super();
    Object.assign(
      this,
      methodsBy((name, request, call) => this.#start(name, request, call)),
    );
    this.#raw = raw;
    this.#machine = machine;
    this.settings = settingsOf(raw);
    const { api, ledger } = this.settings;
    this.#connections = new Connections({ api, ledger, machine });
    this.#turn = pLimit(this.#connections.isLedgerOnServer() ? Number.POSITIVE_INFINITY : 1);
  }

  /**
   * Stops the running calls, as an abort of their signals would. Waits for them, and closes all resources. A later call is
   * refused.
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#underWay);
    await this.#connections.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** A live engine has no embedded ledger; a call that needs a ledger reports that. */
  #hasLedgerToOpen(): boolean {
    const isUsable = this.settings.api.mode !== 'live' || this.#connections.isLedgerOnServer();
    return isUsable && this.#connections.isLedgerThere();
  }

  #start<Name extends UseCaseName>(
    name: Name,
    request: RequestOf<Loaded<Name>>,
    call: Call = {},
  ): Running<ResultOf<Loaded<Name>>> {
    const { runsConcurrently } = useCases[name];
    const load = useCases[name].load as () => Promise<UseCase<unknown, ResultOf<Loaded<Name>>>>;
    const running = start(async (report) => {
      if (this.#closing.signal.aborted) throw closed();
      const [settings, own] = this.#settingsFor(request);
      const context = this.#contextOf(settings, call, report);
      const work = await load();
      const act = (): Promise<ResultOf<Loaded<Name>>> => {
        // The engine may have been closed while the call waited.
        if (this.#closing.signal.aborted) throw closed();
        return this.#mending(() =>
          withEndKept(name, context, own, async () => work(await actingContext(name, context), own)),
        );
      };
      return runsConcurrently ? act() : this.#turn(act);
    });
    const ended = running.result.catch(() => {});
    this.#underWay.add(ended);
    void ended.then(() => this.#underWay.delete(ended));
    return running;
  }

  #contextOf(settings: Settings, call: Call, report: CallContext['report']): CallContext {
    const {
      signal,
      confirm,
      actor,
      activity = { requests: 0 },
      wantsDetails = false,
      words = callWords,
    } = call;
    const closing = this.#closing.signal;
    return {
      settings,
      activity,
      wantsDetails,
      words,
      machine: this.#machine,
      clock: systemClock,
      connections: this.#connections,
      actor: actor ?? { name: userName(), channel: 'library' },
      interrupted: signal === undefined ? closing : AbortSignal.any([signal, closing]),
      report: (event) => {
        call.report?.(event);
        report(event);
      },
      ask: async (question) => {
        const answer = confirm === undefined ? 'nobody' : await confirm(question);
        if (typeof answer !== 'boolean') return answer;
        return answer ? 'yes' : 'no';
      },
    };
  }

  /** Separates the settings of a call from the rest of its request. */
  #settingsFor(request: unknown): [Settings, unknown] {
    if (typeof request !== 'object' || request === null) return [this.settings, request];
    const entries = Object.entries(request);
    const groups = Object.fromEntries(entries.filter(([name]) => name in settingGroups));
    const own = Object.fromEntries(entries.filter(([name]) => !(name in settingGroups)));
    if (Object.keys(groups).length === 0) return [this.settings, own];
    if ('api' in groups || 'ledger' in groups) {
      throw new PaybatchError(
        'option_invalid',
        'A call cannot have another API or ledger than its engine.',
        'open another engine for them',
      );
    }
    return [settingsOf({ ...this.#raw, ...valuesByName(groups) }), own];
  }

  /**
   * Runs a call, and closes the ledger after errors that the embedded PostgreSQL does not survive, such as a full disk. The
   * next call opens it again.
   */
  async #mending<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!this.#connections.isLedgerOnServer() && isOfLedger(asFailure(error))) {
        await this.#connections.closeLedger().catch(() => {});
      }
      throw error;
    }
  }
}

async function actingContext(name: UseCaseName, context: CallContext): Promise<CallContext> {
  if (!useCases[name].requiresActor || (context.machine.userKeyFile ?? '') === '') return context;
  const { provenActor } = await import('../controls/user-key.ts');
  const { actor } = await provenActor(context);
  return { ...context, actor };
}

function isOfLedger(error: unknown): boolean {
  return !(error instanceof PaybatchError) || /^(?:database|ledger)_/.test(error.code);
}

function settingsOf(raw: GivenValues): Settings {
  try {
    return readSettings(raw);
  } catch (error) {
    if (!(error instanceof UnusableSetting)) throw error;
    throw new PaybatchError('option_invalid', error.message, 'see docs/library.md');
  }
}

function closed(): PaybatchError {
  return new PaybatchError('engine_closed', 'The engine is closed.', 'open another one');
}
