import { expect, it } from 'vitest';
import type { PayeeSigns } from '../../src/domain/rows/finding.ts';
import type { ChangedRow, StagedRow } from '../../src/domain/rows/ledger-row.ts';
import { definitionNamed } from '../../src/kinds/registry.ts';
import { type PayeePort, payeeSignsOf } from '../../src/watch/payee.ts';
import { PayeeWatch } from '../../src/watch/payee-watch.ts';

const resource = 'recipients/sepa';
const [first, second, third] = ['DE89370400440532013000', 'DE75512108001245126199', 'AT611904300234573201'];
const [fourth, fifth] = ['FR1420041010050500013M02606', 'BE68539007547034'];

/** A row of the employer's payroll; `reference` is a column that is not read. */
function row(
  number: number,
  name: string,
  iban: string,
  given: Partial<StagedRow> & { reference?: string } = {},
): StagedRow {
  const { reference = '', ...others } = given;
  const record = { customer_id: 'employer', account_name: name, iban, bank_name: 'Bank' };
  return {
    ...{ row: number, resource, state: 'staged', cells: [reference], record, findings: [], notes: [] },
    ...{ handle: null, sameAs: null, objectId: null, reason: null },
    ...others,
  };
}

function signsOf(name: string, iban: string): PayeeSigns {
  const signs = payeeSignsOf(definitionNamed(resource), row(2, name, iban).record);
  if (signs === null) throw new Error('nobody is paid');
  return signs;
}

/** Last month's payees: more than are compared row by row. */
function paidBefore(
  known: readonly (readonly [name: string, iban: string, reference?: string])[],
): PayeePort {
  const payees = known.map(([name, iban, reference = '']) => ({
    name,
    reference,
    signs: signsOf(name, iban),
  }));
  return {
    readings: async () => [],
    findFamilyRows: async () => [],
    findKnownNames: async (customers) => customers.map((_, n) => ({ n, names: null })),
    readKnownNames: async function* () {
      yield payees.map(({ signs: { name, marks } }) => ({ name, marks }));
    },
    findKnownAccounts: async () => new Set(),
    findPayees: async () => [],
    findNamedPayees: async (asked) =>
      asked.flatMap(({ n, name: key }) =>
        payees.flatMap(({ name, reference, signs }, at) =>
          signs.name === key
            ? [{ n, batch: 'b4000000', row: at + 2, name, account: signs.account, cells: [reference] }]
            : [],
        ),
      ),
    findDecisions: async () => [],
  };
}

/** Which earlier row each row is found to replace. */
async function late(port: PayeePort, rows: readonly StagedRow[]): Promise<unknown> {
  const found: ChangedRow[] = [];
  const options = {
    isHeld: false,
    namingColumns: [0],
    onLate: (more: readonly ChangedRow[]) => void found.push(...more),
  };
  async function* groups(): AsyncGenerator<readonly StagedRow[]> {
    for (const each of rows) yield [each];
  }
  for await (const _ of new PayeeWatch(port, options).judgeAll(groups()));
  return found.map(({ row: number, changes = [] }) => [number, changes[0]?.code, changes[0]?.earlier.row]);
}

const changed = 'payee_details_changed';

it('finds a payee who is missing from the file under a name that is alike', async () => {
  const port = paidBefore([
    ['Amina Otieno', first],
    ['Jon Kamau', second],
  ]);
  const present = row(2, 'Jon Kamau', second, { state: 'existing' });
  expect(await late(port, [present, row(3, 'A. Otieno', third)])).toEqual([[3, changed, 2]]);
  expect(await late(port, [row(2, 'Amino Otieno', third), present])).toEqual([[2, changed, 2]]);
});

it('finds a missing payee whose account is paid under another name', async () => {
  const port = paidBefore([['Amina Otieno', first]]);
  const taken = row(3, 'Brian Otieno', first, { state: 'held' });
  expect(await late(port, [row(2, 'A. Otieno', third), taken])).toEqual([[2, changed, 2]]);
});

it('finds a missing payee beside a namesake who is paid elsewhere', async () => {
  const port = paidBefore([
    ['Ifeoma A. Okafor', first, 'P-1001'],
    ['Ifeoma C. Okafor', second, 'P-1002'],
  ]);
  const namesakes = [3, 2].map((known) => ({ batch: 'b4000000', row: known }));
  const isSame = { isSameCustomer: true, isSameName: true, isSameDetails: false };
  const findPayees: PayeePort['findPayees'] = async (asked) =>
    asked.flatMap(({ n, account }) =>
      account === signsOf('Ifeoma A. Okafor', third).account
        ? namesakes.map((place) => ({ n, ...place, ...isSame }))
        : [],
    );
  const rows = [
    row(2, 'Ifeoma A. Okafor', third),
    row(3, 'Peter Kamau', fourth, { reference: 'P-1002' }),
    row(4, 'Mary Njeri', fifth, { reference: 'P-1001' }),
  ];
  expect(await late({ ...port, findPayees }, rows)).toEqual([[3, changed, 3]]);
});

it('finds a missing payee by the reference of the row where another one of the same name is paid', async () => {
  const port = paidBefore([
    ['Jose Ibanez', first, 'P-1001'],
    ['Ibanez, Jose', second, 'P-1002'],
  ]);
  const present = row(2, 'Ibanez, Jose', second, { state: 'existing', reference: 'P-1002' });
  const fresh = row(3, 'Peter Kamau', third, { reference: 'P-1001' });
  expect(await late(port, [present, fresh])).toEqual([[3, changed, 2]]);
  expect(await late(port, [present, row(3, 'J. Ibanez', third)])).toEqual([]);
});

it('finds a payee by a reference that several months have', async () => {
  const port = paidBefore([
    ['Amina Otieno', first, 'P-1001'],
    ['OTIENO Amina', second, 'P-1001'],
  ]);
  expect(await late(port, [row(2, 'Peter Kamau', third, { reference: 'P-1001' })])).toEqual([
    [2, changed, 2],
  ]);
});

it('reports nothing of a new name that is like one that is still paid', async () => {
  const port = paidBefore([['Amina Otieno', first]]);
  const present = row(3, 'OTIENO Amina', first, { state: 'existing' });
  expect(await late(port, [row(2, 'Amino Otieno', third), present])).toEqual([]);
});

it('finds a missing payee by the reference of the row, unless others have it too', async () => {
  const port = paidBefore([['Amina Otieno', first, 'P-1001']]);
  expect(await late(port, [row(2, 'Peter Kamau', third, { reference: 'P-1001' })])).toEqual([
    [2, changed, 2],
  ]);
  const twice = [2, 3].map((number) =>
    row(number, ['Peter Kamau', 'Mary Njeri'][number - 2] ?? '', number === 2 ? second : third, {
      reference: 'P-1001',
    }),
  );
  expect(await late(port, twice)).toEqual([]);
});

it('finds a new payee who occurs twice, with two accounts', async () => {
  const port = paidBefore([]);
  const rows = [row(2, 'Mary Njeri', first), row(3, 'Njeri, MARY', second), row(4, 'Peter Kamau', third)];
  expect(await late(port, rows)).toEqual([[3, changed, 2]]);
  expect(await late(port, [row(2, 'Mary A. Njeri', first), row(3, 'Mary B. Njeri', second)])).toEqual([]);
});
