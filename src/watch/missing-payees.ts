/*
 * Compares the new payees of a file, once it is read to its end, with the known payees of their customers that are missing
 * from it: one of these may be paid under another name, at another account. Payees who are still in the file are left out,
 * so that names may be compared much more broadly than row by row: in a payroll many names are alike.
 */

import type { PayeeChange } from '../domain/rows/finding.ts';
import type { ChangedRow } from '../domain/rows/ledger-row.ts';
import type { NameMarks } from '../domain/text/payee-names.ts';
import { areNamesakes, comparedName, haveSameWords, mayBeOnePayee, shareAWord } from '../kinds/like-names.ts';
import type { NamedPayee } from '../ledger/before-sending/payees.ts';
import { type Candidate, keysOf, type PayeePort } from './payee.ts';
import { byRow } from './payee-comparison.ts';
import type { PayeesOfFile } from './payees-of-file.ts';

/** A row whose payee is new to the ledger although its customer is known. */
export interface NewPayee {
  readonly candidate: Candidate;
  /** What else the row names its payee by: a staff number. */
  readonly references: readonly string[];
}

/** This many new payees of a file are compared. */
export const mostNewPayees = 10_000;

/** All names of a customer of this many known payees are read; of more, those that are missing and share a word. */
const mostReadAlways = 2_000;

/** A customer of this many known payees is the payee: a wholly new name takes the place of the old one. */
const payeesOfOneself = 1;

const atOnce = 1_000;

/** A known payee that is missing from the file. */
interface Missing {
  readonly batch: string;
  readonly row: number;
  readonly name: string;
  readonly cells: readonly string[];
  /** Whether a payee of this name is in the file: only a reference tells that this is another one. */
  readonly isNamePaid: boolean;
}

/** @returns the rows that may pay a missing payee, each with the finding */
export async function findReplacing(
  port: PayeePort,
  fresh: readonly NewPayee[],
  paid: PayeesOfFile,
): Promise<ChangedRow[]> {
  const byCustomer = new Map<string, NewPayee[]>();
  for (const each of fresh) {
    const { customer } = each.candidate.signs;
    const own = byCustomer.get(customer);
    if (own === undefined) byCustomer.set(customer, [each]);
    else own.push(each);
  }
  const customers = [...byCustomer.keys()];
  const found: ChangedRow[] = [];
  for (let from = 0; from < customers.length; from += atOnce) {
    const group = customers.slice(from, from + atOnce);
    const wanted: NameOfCustomer[] = [];
    const oneself = new Set<string>();
    for (const { n, names } of await port.findKnownNames(group)) {
      const customer = group[n] ?? '';
      const ofCustomer = byCustomer.get(customer) ?? [];
      const known = new Map<string, NameMarks>();
      for await (const page of names === null ? port.readKnownNames(customer) : [names])
        for (const { name, marks } of page) known.set(name, marks);
      if (names?.length === payeesOfOneself && ofCustomer.length === 1) oneself.add(customer);
      const alike =
        known.size <= mostReadAlways
          ? [...known.keys()]
          : sharingSounds(known, ofCustomer, (name) => paid.hasPayee({ customer, name }));
      for (const name of alike) wanted.push({ customer, name });
    }
    const missing = await readMissing(port, wanted, paid);
    for (const [customer, ofCustomer] of missing) {
      const rows = byCustomer.get(customer) ?? [];
      found.push(...(await replacingIn(port, rows, ofCustomer, { paid, isOneself: oneself.has(customer) })));
    }
  }
  return found;
}

interface NameOfCustomer {
  readonly customer: string;
  readonly name: string;
}

/** The names of no payee of the file that have a word of a new name, by their marks. */
function sharingSounds(
  known: ReadonlyMap<string, NameMarks>,
  fresh: readonly NewPayee[],
  isPaid: (name: string) => boolean,
): string[] {
  const sounds = new Set(
    fresh.flatMap(({ candidate }) => (candidate.signs.marks ?? []).map((mark) => mark >> 8)),
  );
  const isWanted = (marks: NameMarks): boolean =>
    marks === null || marks.some((mark) => sounds.has(mark >> 8));
  return [...known].flatMap(([name, marks]) => (isWanted(marks) && !isPaid(name) ? [name] : []));
}

/** By customer, the newest first. */
async function readMissing(
  port: PayeePort,
  names: readonly NameOfCustomer[],
  paid: PayeesOfFile,
): Promise<ReadonlyMap<string, readonly Missing[]>> {
  const missing = new Map<string, Missing[]>();
  const readings = await port.readings();
  for (let from = 0; from < names.length; from += atOnce) {
    const asked = names.slice(from, from + atOnce).map((each, n) => ({ n, ...each }));
    const ofNames = await port.findNamedPayees(asked, readings);
    const isPaid = ({ n, account, ...place }: NamedPayee): boolean => {
      const { customer = '', name = '' } = asked[n] ?? {};
      return paid.wasReplaced(place) || paid.hasAccount({ customer, name, account });
    };
    const present = new Set(ofNames.filter(isPaid));
    const presentOf = byRow([...present]);
    for (const payee of ofNames) {
      if (present.has(payee)) continue;
      const { n, batch, row, name, cells } = payee;
      const customer = asked[n]?.customer ?? '';
      const own = missing.get(customer) ?? [];
      missing.set(customer, own);
      // A payee may have had other accounts before.
      const compared = comparedName(name);
      const isNamePaid = (presentOf.get(n) ?? []).some(
        (each) => !areNamesakes(comparedName(each.name), compared),
      );
      own.push({ batch, row, name, cells, isNamePaid });
    }
  }
  return missing;
}

async function replacingIn(
  port: PayeePort,
  fresh: readonly NewPayee[],
  missing: readonly Missing[],
  { paid, isOneself }: { readonly paid: PayeesOfFile; readonly isOneself: boolean },
): Promise<ChangedRow[]> {
  const found: ChangedRow[] = [];
  const compared = missing.map((each) => ({ ...each, compared: comparedName(each.name) }));
  for (const { candidate, references } of fresh) {
    const family = await familyOf(port, candidate);
    const own = comparedName(candidate.name);
    const unique = references.filter((reference) => !paid.isRepeated(reference));
    const named = compared.filter(({ cells }) => unique.some((reference) => cells.includes(reference)));
    // A value that several payees had last time is no reference of one of them.
    const isOfOne = named.every(
      (each) => named[0] !== undefined && haveSameWords(each.compared, named[0].compared),
    );
    const before = compared.find(
      (each) =>
        ((isOfOne && named.includes(each)) ||
          (!each.isNamePaid &&
            (haveSameWords(each.compared, own) ||
              mayBeOnePayee(each.compared, own) ||
              (isOneself && !shareAWord(each.compared, own))))) &&
        !family.has(`${each.batch} ${each.row}`),
    );
    if (before !== undefined) found.push(changedRow(candidate, { batch: before.batch, row: before.row }));
  }
  return found;
}

/** The rows that a row corrects, with their other corrections: these do not count. */
async function familyOf(port: PayeePort, { at, relative }: Candidate): Promise<ReadonlySet<string>> {
  if (relative === undefined) return new Set();
  const rows = await port.findFamilyRows([{ n: at, ...relative }]);
  return new Set(rows.map(({ batch, row }) => `${batch} ${row}`));
}

/** A row that pays a known payee at another account, or under another name. */
export function changedRow(candidate: Candidate, earlier: PayeeChange['earlier']): ChangedRow {
  const { row } = candidate;
  const code = 'payee_details_changed' as const;
  return { ...row, changes: [{ row: row.row, code, earlier, keys: keysOf(candidate) }] };
}
