import type { LoggedRowEvent } from '../../src/recover/logged-rows.ts';
import type { RowEvents } from '../../src/recover/run-history.ts';

/** Keeps the events of rows as a test's few need it. */
export function rowEventsInMemory(): RowEvents {
  const events: LoggedRowEvent[] = [];
  return {
    add: async (event) => {
      events.push(event);
    },
    async *read(firstRow, lastRow) {
      yield* events.filter(({ row }) => row >= firstRow && row <= lastRow);
    },
  };
}
