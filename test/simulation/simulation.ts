import { accountHandle } from '../../src/resources/kinds/shared.ts';
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
  readonly runs: SimulatedRun[] = [];
  readonly #disks: readonly [SimulatedDisk, SimulatedDisk][];

  constructor(seed: number, engine: Engine, kind: ScenarioKind = 'anything') {
    const random = createRandom(seed);
    this.engine = engine;
    this.world = new World(random);
    this.scenario = createScenario(random, kind);
    this.faults = new Faults(random, kind === 'anything' ? undefined : 0.4);
    if (kind === 'rows that always fail') this.faults.end();
    this.keyLifetimeInMs = this.scenario.keyLifetimeInMs;
    this.api = new ModelApi(this.world, this.keyLifetimeInMs + keyLifetimeMarginInMs);
    this.network = new SimulatedNetwork(this.world, this.faults, this.api);
    this.network.fateOf = (request) => (this.isBad(request.body.toString('utf8')) ? this.#badFate : null);
    let calls = 0;
    this.model = new engine.ModelLedger(() => {
      // No two statements of a database have the same time.
      calls += 1;
      return this.world.nowInMs + calls / 1_000_000;
    });
    this.transactions = new engine.ModelTransactions(this.world, this.model);
    this.uses = new KeyUses(this.world, this.model);
    this.watch = new Watch(this.world, this.api, this.model);
    const hasClaim = (run: string, claim: number): boolean => this.model.hasClaim(run, claim);
    this.#disks = [customersBatch, accountsBatch, twinsBatch].map(() => [
      new SimulatedDisk(this.world, this.faults, hasClaim),
      new SimulatedDisk(this.world, this.faults, hasClaim),
    ]);
    this.#stage();
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

  /** What a program can tell of others: those of its own host are there or not, of another host's nobody knows. */
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
