/* The engine: opened once, it serves many calls, from every channel. */

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
  type Method,
  type RequestOf,
  type ResultOf,
  requiresActor,
  runsConcurrently,
  type UseCase,
  useCases,
} from './use-cases.ts';

/** The settings of an engine, and defaults for its calls where their requests state nothing else. */
export interface EngineConfig extends Omit<GivenSettings, 'api' | 'ledger'> {
  readonly api?: GivenSettings['api'] & {
    /** The secret key for the mode; the built-in sandbox needs none. */
    readonly apiKey?: string | undefined;
  };
  readonly ledger?: GivenSettings['ledger'] & {
    /** A PostgreSQL server. Without one the ledger is embedded, in `ledgerDir`, and only this process can use it. */
    readonly databaseUrl?: string | undefined;
  };
  /** The person who acts, proven by a key. Without it each call names its actor, who cannot approve anything. */
  readonly user?: {
    /** Path of the person's key file. */
    readonly keyFile?: string | undefined;
    /** Its passphrase. Without it and without `passphraseFile`, `confirm` of a call asks for it. */
    readonly passphrase?: string | undefined;
    /** Path of a file with the passphrase. */
    readonly passphraseFile?: string | undefined;
  };
}

/**
 * Opens its resources once, and serves calls: many at a time on a PostgreSQL server; on the embedded ledger one after the
 * other, in the order of arrival, except for read-only calls.
 */
export class Engine implements AsyncDisposable {
  /** The settings of a call whose request states no others. */
  readonly settings: Settings;
  readonly #given: GivenValues;
  readonly #machine: MachineSettings;
  readonly #connections: Connections;
  readonly #turn: LimitFunction;
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  /**
   * Opens an engine, and its ledger if there is one.
   * @throws PaybatchError (`option_invalid`) for an invalid setting; as `Connections.ledger` does
   */
  static async open({ api = {}, ledger = {}, user = {}, ...others }: EngineConfig = {}): Promise<Engine> {
    const { apiKey, ...apiSettings } = api;
    const { databaseUrl, ...ledgerSettings } = ledger;
    const given = valuesByName({ api: apiSettings, ledger: ledgerSettings, ...others });
    const engine = Engine.withSettings(given, {
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
   * An engine with the settings by their names, and those of the machine. It opens each resource when it is first needed.
   * @throws PaybatchError (`option_invalid`) for an invalid setting
   */
  static withSettings(given: GivenValues, machine: MachineSettings): Engine {
    return new Engine(given, machine);
  }

  private constructor(given: GivenValues, machine: MachineSettings) {
    this.#given = given;
    this.#machine = machine;
    this.settings = settingsOf(given);
    const { api, ledger } = this.settings;
    this.#connections = new Connections({ api, ledger, machine });
    this.#turn = pLimit(this.#connections.isLedgerOnServer() ? Number.POSITIVE_INFINITY : 1);
  }

  /** Reads, checks, stages and sends files, and writes their results; a second call continues the import. */
  readonly import = this.#method('import');

  /** Checks files without sending or staging anything, and writes the findings. */
  readonly validate = this.#method('validate');

  /** Checks and stages files, and returns what would be sent, with totals and a plan hash. */
  readonly plan = this.#method('plan');

  /** Sends a planned batch. */
  readonly submit = this.#method('submit');

  /** Continues an interrupted batch; the newest unfinished import where none is named. */
  readonly resume = this.#method('resume');

  /** Sends a batch's rejected rows again under new keys, and its waiting rows. */
  readonly retry = this.#method('retry');

  /** Records what a person decided about rows. */
  readonly resolve = this.#method('resolve');

  /** The rows that a verdict for many would apply to. */
  readonly selection = this.#method('selection');

  /** Closes a batch: no run continues it, and its rows that were never sent stay unsent. */
  readonly closeBatch = this.#method('closeBatch');

  /** Takes back what was created live with a key that turned out to be a sandbox key. */
  readonly disown = this.#method('disown');

  /** Stops everything, lifts that, or says how it stands. */
  readonly halt = this.#method('halt');

  /** The fingerprint of the live key in force where nothing proves that it is one. */
  readonly unprovenKey = this.#method('unprovenKey');

  /** Shows the plan of a batch, and signs its approval where the hash of the plan is given. */
  readonly approve = this.#method('approve');

  /** Signs that the plan of a batch is rejected. */
  readonly reject = this.#method('reject');

  /** Describes the newest batches, one batch, or one row. */
  readonly status = this.#method('status');

  /** What needs a person, over all batches, by the action that it needs. */
  readonly worklist = this.#method('worklist');

  /** Batches and rows by an id, a key, a reference, an IBAN, a phone number, or the name of a file. */
  readonly find = this.#method('find');

  /** A batch with its latest plan, and the changes of its payees: all that a page shows of it. */
  readonly overview = this.#method('overview');

  /** Rows of a batch that meet conditions, one page at a time, and a summary of all of them. */
  readonly rows = this.#method('rows');

  /** The draft of a batch's corrections, with the checker's current findings. */
  readonly draft = this.#method('draft');
  /** What an edit of one column in many rows would do. */
  readonly previewEdit = this.#method('previewEdit');
  /** Edits cells in the draft of a batch's corrections. */
  readonly editDraft = this.#method('editDraft');
  /** What a step of a draft has changed, and how many of its rows pass now. */
  readonly draftStep = this.#method('draftStep');
  /** Undoes a step of a draft. */
  readonly undoStep = this.#method('undoStep');
  /** An ending that faulty cells of a column share, and that can be taken off. */
  readonly findEnding = this.#method('findEnding');
  /** The values that the checker knows for a column of a batch. */
  readonly choices = this.#method('choices');
  /** Discards edits of a draft. */
  readonly discardEdits = this.#method('discardEdits');
  /** Makes a correction from a draft, and returns what would be sent. */
  readonly planDraft = this.#method('planDraft');

  /** Writes a batch's result files again. */
  readonly results = this.#method('results');

  /** Accounts for every row of a batch. */
  readonly reconcile = this.#method('reconcile');

  /** Compares two files with each other, without a ledger. */
  readonly compare = this.#method('compare');

  /** Rebuilds a lost ledger's batch from its file and its run logs. */
  readonly recover = this.#method('recover');

  /** Proposes how to read a file, or agrees on it with a person. */
  readonly mapping = this.#method('mapping');

  /** Agrees on how to read a file, through a channel that leads the dialogue itself. */
  readonly agreeOnMapping = this.#method('agreeOnMapping');

  /** Proposes how to read an export of the other side. */
  readonly exportMapping = this.#method('exportMapping');

  /** Agrees with a person on how to read an export of the other side, and remembers it. */
  readonly agreeOnExportMapping = this.#method('agreeOnExportMapping');

  /** Shows the remembered mappings, or forgets one. */
  readonly rememberedMappings = this.#method('rememberedMappings');

  /** A country's institutions. */
  readonly institutions = this.#method('institutions');

  /** The countries whose institutions can be queried, and those of which the ledger has lists. */
  readonly institutionCountries = this.#method('institutionCountries');

  /** A file to fill in. */
  readonly template = this.#method('template');

  /** Verifies the audit trail: its hashes, and that tables, signatures, run logs and a kept head match it. */
  readonly verifyAudit = this.#method('verifyAudit');

  /** Writes the audit trail as lines of JSON. */
  readonly exportAudit = this.#method('exportAudit');

  /** Examines the machine, the ledger and the API. */
  readonly doctor = this.#method('doctor');

  /** Brings the ledger's schema up to date. */
  readonly migrate = this.#method('migrate');

  /** The users of the ledger, who have a key of their own. */
  readonly listUsers = this.#method('listUsers');
  /** Adds a user, and writes the key file of that person. */
  readonly addUser = this.#method('addUser');
  /** Approves or rejects an approver whose appointment is open. */
  readonly decideOnUser = this.#method('decideOnUser');
  /** Locks a user for good. */
  readonly lockUser = this.#method('lockUser');
  /** Replaces the key of the user who acts. */
  readonly rotateKey = this.#method('rotateKey');

  /** Makes a one-time link with which a user sets a password for the console. */
  readonly inviteUser = this.#method('inviteUser');

  /** The user of a link to set a password. */
  readonly readPasswordLink = this.#method('readPasswordLink');

  /** Sets the password of the link's user. */
  readonly setPassword = this.#method('setPassword');

  /** The users of the ledger, with how each can sign in at the console. */
  readonly listAccess = this.#method('listAccess');

  /** Opens the key with which the console signs the approvals of people there. */
  readonly openConsoleKey = this.#method('openConsoleKey');

  /** Signs a person in at the console. */
  readonly signIn = this.#method('signIn');

  /** The user of a session at the console. */
  readonly readSession = this.#method('readSession');

  /** Ends a session at the console. */
  readonly signOut = this.#method('signOut');

  /** The policy in force, and the proposed ones. */
  readonly showPolicy = this.#method('showPolicy');

  /** Proposes a policy; the first one is in force at once. */
  readonly setPolicy = this.#method('setPolicy');
  /** Approves or rejects a proposed policy. */
  readonly decideOnPolicy = this.#method('decideOnPolicy');
  /** Lets a recovered ledger send live without a policy. */
  readonly waivePolicy = this.#method('waivePolicy');

  /** Stops the calls under way as their signals would, waits for them, and closes all resources. A later call is refused. */
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

  #method<Name extends keyof typeof useCases>(name: Name): Method<Name> {
    return (request, call) => this.#start(name, request, call);
  }

  #start<Name extends keyof typeof useCases>(
    name: Name,
    request: RequestOf<Loaded<Name>>,
    call: Call = {},
  ): Running<ResultOf<Loaded<Name>>> {
    const load = useCases[name] as () => Promise<UseCase<unknown, ResultOf<Loaded<Name>>>>;
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
      return runsConcurrently.has(name) ? act() : this.#turn(act);
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
      actor: actor ?? { name: userName(), door: 'library' },
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

  /** The settings of a call, and its request without them. */
  #settingsFor(request: unknown): [Settings, unknown] {
    if (typeof request !== 'object' || request === null) return [this.settings, request];
    const entries = Object.entries(request);
    const groups = Object.fromEntries(entries.filter(([name]) => name in settingGroups));
    const own = Object.fromEntries(entries.filter(([name]) => !(name in settingGroups)));
    if (Object.keys(groups).length === 0) return [this.settings, own];
    if ('api' in groups || 'ledger' in groups) throw placeOfEngine();
    return [settingsOf({ ...this.#given, ...valuesByName(groups) }), own];
  }

  /** The embedded PostgreSQL does not survive some errors, such as a full disk: the next call opens it again. */
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

async function actingContext(name: keyof typeof useCases, context: CallContext): Promise<CallContext> {
  if (!requiresActor.has(name) || (context.machine.userKeyFile ?? '') === '') return context;
  const { provenActor } = await import('../controls/user-key.ts');
  const { actor } = await provenActor(context);
  return { ...context, actor };
}

function isOfLedger(error: unknown): boolean {
  return !(error instanceof PaybatchError) || /^(?:database|ledger)_/.test(error.code);
}

function settingsOf(given: GivenValues): Settings {
  try {
    return readSettings(given);
  } catch (error) {
    if (!(error instanceof UnusableSetting)) throw error;
    throw new PaybatchError('option_invalid', error.message, 'see docs/library.md');
  }
}

function closed(): PaybatchError {
  return new PaybatchError('engine_closed', 'The engine is closed.', 'open another one');
}

function placeOfEngine(): PaybatchError {
  return new PaybatchError(
    'option_invalid',
    'A call cannot have another API or ledger than its engine.',
    'open another engine for them',
  );
}
