import { expect, it } from 'vitest';
import { openDesk } from '../support/cli-desk.ts';
import { csvOf } from '../support/cli-files.ts';

const mapping = JSON.stringify({
  kind: 'customers',
  columns: { No: 'external_id', First: 'first_name', Last: 'last_name', Mobile: 'phone', Town: 'city' },
  constants: { country: 'KE', type: 'individual' },
  phoneCountry: 'KE',
});

const names = ['Amina Otieno', 'Brian Kamau', 'Grace Were', 'David Mutua', 'Esther Njoroge', 'Peter Omondi'];

function members(from = 0, isExchanged = false): Record<string, string>[] {
  return names.map((name, at) => {
    const [first = '', last = ''] = name.split(' ');
    const mobile = `07123456${10 + at}`;
    const own = isExchanged ? { First: last, Last: first } : { First: first, Last: last };
    return { No: `M-${1_001 + at}`, ...own, Mobile: mobile, Town: `Town ${String.fromCharCode(65 + from)}` };
  });
}

it('sends nothing of a file whose columns contradict the last one, until a person takes it', async () => {
  const desk = await openDesk();
  await desk.write('m.json', mapping);
  const first = await desk.json([
    'import',
    await desk.write('may.csv', csvOf(members())),
    '--mapping',
    'm.json',
  ]);
  expect(first.summary.batches[0]).toMatchObject({ counts: { created: 6 }, drift: [] });

  const june = await desk.write('june.csv', csvOf(members(1, true)));
  const refused = await desk.json(['import', june, '--mapping', 'm.json']);
  expect(refused.summary).toMatchObject({ exit_code: 3, batches: [], error: { code: 'reading_drifted' } });
  const { message = '', next = '' } = refused.summary.error ?? {};
  expect(message).toContain(
    '“First” holds what another column held: before “Amina”, “Brian”; now “Otieno”, “Kamau”',
  );
  const [, code = ''] = /--accept-drift ([0-9a-f]{8}) /.exec(next ?? '') ?? [];
  expect(code).not.toBe('');
  for (const command of ['plan', 'validate']) {
    const other = await desk.json([command, june, '--mapping', 'm.json']);
    expect(other.summary).toMatchObject({ exit_code: 3, error: { code: 'reading_drifted' } });
  }

  // The code is for this content only.
  const july = await desk.write('july.csv', csvOf(members(2, true)));
  const still = await desk.json(['import', july, '--mapping', 'm.json', '--accept-drift', code]);
  expect(still.exitCode).toBe(3);
  const taken = await desk.json(['import', june, '--mapping', 'm.json', '--accept-drift', code]);
  expect(taken.summary.batches[0]).toMatchObject({
    drift: [
      { column: 'First', what: 'swapped' },
      { column: 'Last', what: 'swapped' },
    ],
  });
  const said = await desk.run(['results', taken.summary.batches[0]?.batch ?? '']);
  expect(said.stdout).toContain('“First” holds what another column held');
});
