import type { CallResult } from '../../../src/account/result.ts';
import { controlHeaders } from '../../sandbox/harness.ts';
import type { InProcessDesk } from './in-process.ts';

export const customer =
  'external_id,first_name,last_name,country,email\nC-1,Amina,Otieno,KE,a@example.test\n';

export function accounts(...labels: string[]): string {
  const rows = labels.map((label) => `C-1,USD,regular,polygon,${label}\n`);
  return `customer_external_id,currency,type,blockchain_network,label\n${rows.join('')}`;
}

export function collections(...rows: readonly (readonly [reference: string, amount: string])[]): string {
  const lines = rows.map(([reference, amount]) => `${reference},${amount},KES,KE,C-1,Main\n`);
  return `client_reference,amount,currency,country,customer_external_id,destination_label\n${lines.join('')}`;
}

/** Imports files by their names, and returns the id of the last one's batch. */
export async function importAll(
  desk: InProcessDesk,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  for (const [name, content] of Object.entries(files)) await desk.write(name, content);
  const words = ['import', ...Object.keys(files), '--max-attempts', '1', '--yes'];
  const { document } = await desk.call(words, env);
  return (document as CallResult).batches.at(-1)?.id ?? '';
}

/** Imports collections for one customer's account. */
export function importCollections(
  desk: InProcessDesk,
  ...rows: readonly (readonly [reference: string, amount: string])[]
): Promise<string> {
  return importAll(desk, { 'c.csv': customer, 'a.csv': accounts('Main'), 'p.csv': collections(...rows) });
}

export interface Reconciled {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly reconciliation: {
    readonly account: {
      readonly isComplete: boolean;
      readonly source: { isEqual: boolean } | null;
      readonly echoes: { differing: number };
    };
    readonly doubts: number;
    readonly replayed: readonly { row: number; state: string; origin: string | null }[];
    readonly comparison: {
      readonly compared: readonly string[];
      readonly onlyInSome: readonly string[];
      readonly there: { readonly leftOut: readonly { reason: string; records: number }[] };
      readonly states: readonly { side: string; state: string; records: number }[];
    } | null;
    readonly files: { verdicts?: string | null; breaks: string | null; pairs: string | null };
  };
}

export async function reconcile(desk: InProcessDesk, ...words: string[]): Promise<Reconciled> {
  const { document, ...end } = await desk.call(['reconcile', ...words]);
  return { ...end, ...(document as Pick<Reconciled, 'reconciliation'>) };
}

export function stateCounts({ reconciliation }: Reconciled, side: string): Record<string, number> {
  const states = reconciliation.comparison?.states.filter((each) => each.side === side) ?? [];
  // Matched records that need a person are counted apart from the others.
  const counts: Record<string, number> = {};
  for (const { state, records } of states) counts[state] = (counts[state] ?? 0) + records;
  return counts;
}

/** A collection as the other side has it. */
export interface Held {
  readonly id: string;
  readonly client_reference: string;
  readonly amount: string;
  readonly currency: string;
}

export async function heldByApi(desk: InProcessDesk): Promise<Held[]> {
  const address = `${desk.sandbox.url}/sandbox/objects?kind=collections&mode=sandbox`;
  const answer = await fetch(address, { headers: controlHeaders(desk.sandbox) });
  const lines = (await answer.text()).trim().split('\n');
  return lines.map((line) => {
    const { id, object } = JSON.parse(line);
    return { ...object, id };
  });
}

/** What the other side holds, as an export of its dashboard would list it. */
export async function exportOf(
  desk: InProcessDesk,
  name: string,
  change: (lines: string[]) => string[],
): Promise<void> {
  const lines = (await heldByApi(desk)).map(({ id, client_reference, amount, currency }) =>
    [id, client_reference, amount, currency].join(),
  );
  await desk.write(name, ['id,client_reference,amount,currency', ...change(lines)].join('\n'));
}

export const wideCoverage = ['--covers-from', '2020-01-01', '--covers-to', '2099-12-31'];
