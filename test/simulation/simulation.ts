import { accountHandle } from '../../src/kinds/definition-parts.ts';
import type { Engine } from './engine.ts';
import { Faults, type RequestFate } from './faults.ts';
import { KeyUses } from './key-uses.ts';
import { environmentId } from './ledger-port.ts';
import { ModelApi } from './model-api.ts';
import type { ModelLedger } from './model-ledger.ts';
import { stagedModelRow } from './model-row.ts';
import type { ModelTransactions } from './model-transactions.ts';
import { createRandom } from './random.ts';
import {
  accountsBatch,
  createScenario,
  customersBatch,
  type Scenario,
  type ScenarioKind,
  twinsBatch,
} from './scenario.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { SimulatedNetwork } from './simulated-network.ts';
import type { RunPlan, SimulatedRun } from './simulated-run.ts';
import { Watch } from './watch.ts';
import { World } from './world.ts';

/** The API remembers keys a little longer than we rely on, since requests are under way for a while. */
const keyLifetimeMarginInMs = 5 * 60_000;

/** What the programs of a world share, whichever ledger they use. */
interface Parts {
  readonly engine: Engine;
  readonly world: World;
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly api: ModelApi;
  readonly network: SimulatedNetwork;
  readonly disks: readonly [SimulatedDisk, SimulatedDisk][];
  readonly runs: SimulatedRun[];
  readonly ledgers: ModelLedger[];
}

/** One seed's world with everything in it, before anything has happened. */
export class Simulation {
  readonly engine: Engine;
  readonly world: World;
  readonly scenario: Scenario;
  readonly faults: Faults;
  readonly api: ModelApi;
  readonly network: SimulatedNetwork;
  readonly model: ModelLedger;
  readonly transactions: ModelTransactions;
  readonly uses: KeyUses;
  readonly watch: Watch;
  readonly keyLifetimeInMs: number;
  /** The programs of all ledgers. */
  readonly runs: SimulatedRun[];
  readonly #disks: readonly [SimulatedDisk, SimulatedDisk][];
  readonly #parts: Parts;

  private constructor(parts: Parts, model: ModelLedger) {
    const { engine, world, scenario, faults, api, network, disks, runs } = parts;
    this.#parts = parts;
    this.engine = engine;
    this.world = world;
    this.scenario = scenario;
    this.faults = faults;
    this.api = api;
    this.network = network;
    this.#disks = disks;
    this.runs = runs;
    this.keyLifetimeInMs = scenario.keyLifetimeInMs;
    this.model = model;
    parts.ledgers.push(model);
    this.transactions = new engine.ModelTransactions(world, model);
    this.uses = new KeyUses(world, model);
    this.watch = new Watch(world, api, model);
  }

  static begin(seed: number, engine: Engine, kind: ScenarioKind = 'anything'): Simulation {
    const random = createRandom(seed);
    const world = new World(random);
    const scenario = createScenario(random, kind);
    const hasSlowCommits = kind === 'one contended batch' || kind === 'rows that always fail';
    const faults = new Faults(random, hasSlowCommits ? 0.4 : undefined);
    if (kind === 'rows that always fail') faults.end();
    const api = new ModelApi(world, scenario.keyLifetimeInMs + keyLifetimeMarginInMs);
    const network = new SimulatedNetwork(world, faults, api);
    const ledgers: ModelLedger[] = [];
    const hasClaim = (run: string, claim: number): boolean =>
      ledgers.some((ledger) => ledger.hasClaim(run, claim));
    const newDisk = (): SimulatedDisk => new SimulatedDisk(world, faults, hasClaim);
    const disks = [customersBatch, accountsBatch, twinsBatch].map((): [SimulatedDisk, SimulatedDisk] => [
      newDisk(),
      newDisk(),
    ]);
    let calls = 0;
    const model = new engine.ModelLedger(() => {
      // No two statements of a database have the same time.
      calls += 1;
      return world.nowInMs + calls / 1_000_000;
    });
    const parts = { engine, world, scenario, faults, api, network, disks, runs: [], ledgers };
    const simulation = new Simulation(parts, model);
    network.fateOf = ({ body }) => (simulation.isBad(body.toString('utf8')) ? simulation.#badFate : null);
    simulation.#stage();
    return simulation;
  }

  /** The same world as a program sees it that uses another ledger: a standby that was promoted, for example. */
  withLedger(model: ModelLedger): Simulation {
    return new Simulation(this.#parts, model);
  }

  get #badFate(): RequestFate | null {
    return this.scenario.bad?.fate ?? null;
  }

  /** Whether a customer's request always fails. */
  isBad(body: string): boolean {
    const { bad } = this.scenario;
    if (bad === null) return false;
    const place = Number(/"external_id":"c(\d+)"/.exec(body)?.[1] ?? Number.NaN);
    return place >= bad.first && place < bad.first + bad.count;
  }

  /** From now on requests fail no more that always did. */
  heal(): void {
    this.network.fateOf = () => null;
  }

  /** A host keeps one run log for each batch. */
  diskOf({ batchId, host }: Pick<RunPlan, 'batchId' | 'host'>): SimulatedDisk {
    const disks = this.#disks[[customersBatch, accountsBatch, twinsBatch].indexOf(batchId)];
    if (disks === undefined) throw new Error('there is no such batch');
    return disks[host];
  }

  disksOfHost(host: 0 | 1): SimulatedDisk[] {
    return this.#disks.map((disks) => disks[host]);
  }

  /** What a program knows of others: whether those of its own host are alive, and nothing of those of another host. */
  aliveFor(asking: SimulatedRun): (owner: string) => boolean {
    return (owner) => {
      const run = this.runs.find(({ name }) => name === owner);
      if (run === undefined || run.plan.host !== asking.plan.host) return true;
      return !run.isDead && !run.hasEnded;
    };
  }

  #stage(): void {
    const { customers, accounts, twins } = this.scenario;
    for (let index = 0; index < customers; index += 1)
      this.#stageCustomer(customersBatch, index, 'one@example.test');
    for (let index = 0; index < accounts; index += 1) this.#stageAccount(index);
    for (let index = 0; index < twins; index += 1) {
      this.#stageCustomer(twinsBatch, index, index % 2 === 0 ? 'one@example.test' : 'other@example.test');
    }
  }

  #stageCustomer(batchId: string, index: number, email: string): void {
    const externalId = `c${index}`;
    const record = { external_id: externalId, email };
    this.#stageRow(batchId, 'customers', index, record, externalId);
    if (this.world.random.chance(this.scenario.refusalRate)) this.api.refused.add(`customer ${externalId}`);
  }

  #stageAccount(index: number): void {
    const customer = `c${this.world.random.whole(0, this.scenario.customers - 1)}`;
    const label = `account ${index}`;
    const record = { customer_external_id: customer, currency: 'USD', blockchain_network: 'polygon', label };
    this.#stageRow(accountsBatch, 'accounts', index, record, accountHandle(record, label) ?? null);
  }

  #stageRow(
    batchId: string,
    kind: 'customers' | 'accounts',
    index: number,
    record: Readonly<Record<string, string>>,
    handle: string | null,
  ): void {
    const place = { batchId, environmentId, kind, row: index + 2, resource: kind, record };
    this.model.stage(stagedModelRow(place, handle, 0));
  }
}
