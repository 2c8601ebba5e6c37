import type { ModelApi } from './model-api.ts';
import type { ModelLedger } from './model-ledger.ts';
import type { ModelRow } from './model-row.ts';
import type { World } from './world.ts';

/** Watches what the ledger says against what is true at the API. */
export class Watch {
  readonly #world: World;
  readonly #api: ModelApi;
  readonly #model: ModelLedger;
  readonly #finals = new Map<string, string>();

  constructor(world: World, api: ModelApi, model: ModelLedger) {
    this.#world = world;
    this.#api = api;
    this.#model = model;
  }

  afterCommit(): void {
    for (const row of this.#model.rows.values()) {
      if (row.state === 'created') this.#checkCreated(row);
      else if (row.state === 'rejected') this.#checkRejected(row);
    }
  }

  #checkCreated(row: ModelRow): void {
    const place = placeOf(row);
    const before = this.#finals.get(place);
    if (before === row.objectId) return;
    if (before !== undefined) this.#world.violate('created has evidence', `${place} had the id ${before}`);
    this.#finals.set(place, row.objectId ?? '');
    const object = this.#api.objects.find(({ id }) => id === row.objectId);
    const key = this.#model.requestOf(row)?.idempotencyKey;
    if (object === undefined || (object.key !== key && row.code !== 'resolved')) {
      this.#world.violate(
        'created has evidence',
        `${place} has the id ${row.objectId}, which its key did not get`,
      );
    }
  }

  #checkRejected(row: ModelRow): void {
    const { httpStatus } = row;
    const isRefusal = httpStatus !== null && httpStatus >= 400 && httpStatus < 500;
    if (!isRefusal || [401, 403, 408, 409, 425, 429].includes(httpStatus)) {
      this.#world.violate(
        'only a refusal rejects',
        `${placeOf(row)} is rejected after the status ${httpStatus}`,
      );
    }
    const key = this.#model.requestOf(row)?.idempotencyKey;
    if (this.#api.objects.some((object) => object.key === key)) {
      this.#world.violate('rejected has no object', `${placeOf(row)} is rejected, and its object exists`);
    }
  }

  /**
   * When everything has come to rest: each object belongs to a row, and each row is in a state that is allowed at the end.
   */
  checkEnd(credential: string): void {
    for (const object of this.#api.objects) {
      const isKnown = [...this.#model.rows.values()].some(
        (row) =>
          row.objectId === object.id ||
          (['unknown', 'held'].includes(row.state) &&
            this.#model.requestOf(row)?.idempotencyKey === object.key),
      );
      if (!isKnown && !this.#api.allowedTwice.has(object.natural))
        this.#world.violate('every row once', `no row tells of the object ${object.id}`);
    }
    for (const row of this.#model.rows.values()) {
      const isStuck =
        ['staged', 'ready', 'sending'].includes(row.state) ||
        (row.state === 'unknown' && row.credential === credential);
      if (isStuck) this.#world.violate('the end is conclusive', `${placeOf(row)} is still ${row.state}`);
    }
    const ids = [...this.#finals.values()];
    if (new Set(ids).size < ids.length) this.#world.violate('every row once', 'two rows claim one object');
  }
}

export function placeOf({ batchId, row }: ModelRow): string {
  return `row ${row} of ${batchId.slice(0, 2)}`;
}
