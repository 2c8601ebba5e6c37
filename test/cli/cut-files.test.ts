import { appendFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/cli-desk.ts';
import { textRow, workbook } from '../support/workbook.ts';

const header = 'external_id,email,phone,city,first_name,last_name';

/** Customers as CSV, each line with its line end. */
function people(count: number, first = 1): string {
  const rows = Array.from({ length: count }, (_, at) => {
    const number = first + at;
    return `C-${number},p${number}@people.example,+2547120000${String(number).padStart(2, '0')},,Amina,Odhiambo`;
  });
  return [header, ...rows].map((line) => `${line}\r\n`).join('');
}

/** The beginning of a text: without a number of its last characters. */
const cutBy = (text: string, characters: number): string => text.slice(0, -characters);

/** Writes a file that is older than a minute, so that it is looked at once. */
async function old(desk: Desk, name: string, content: string | Buffer): Promise<string> {
  await desk.write(name, content);
  await utimes(join(desk.folder, name), new Date(), new Date(Date.now() - 3_600_000));
  return name;
}

describe('a last line without its line end', () => {
  it('is said, and proves nothing where no earlier file of its header had one', async () => {
    const desk = await openDesk();
    for (const first of [1, 11]) {
      const file = await old(desk, `sheet-${first}.csv`, cutBy(people(3, first), 2));
      const end = await desk.run(['import', file]);
      expect(end.exitCode).toBe(0);
      expect(end.stderr.replaceAll(/\s+/g, ' ')).toContain('its last line has no line end');
      const rows = await desk.results(`sheet-${first}`);
      expect(rows.at(-1)?.['result_notes']).toContain('the file ends here without a line end');
      expect(rows[0]?.['result_notes']).toBe('');
    }
  });

  it('holds its row where earlier files of its header had one, until the whole file comes', async () => {
    const desk = await openDesk();
    await desk.run(['import', await old(desk, 'june.csv', people(3))]);
    const july = people(3, 11);
    // Half of a name, and again somewhat more of it.
    for (const missing of [6, 4]) {
      const file = await old(desk, `july-${missing}.csv`, cutBy(july, missing));
      const { summary } = await desk.json(['import', file]);
      expect(summary.exit_code).toBe(5);
      const rows = await desk.results(`july-${missing}`);
      expect(rows.at(-1)).toMatchObject({ result_status: 'held', result_code: 'file_may_be_cut' });
      expect(rows.slice(0, -1).every((row) => row['result_status'] !== 'held')).toBe(true);
    }
    const whole = await desk.json(['import', await old(desk, 'july.csv', july)]);
    expect(whole.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 1, existing: 2 } }] });
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(6);
  });

  it('keeps a number that was cut off from becoming another payee', async () => {
    const desk = await openDesk();
    const columns =
      'payee_type,customer_external_id,account_name,currency,institution_name,institution_country,account_number';
    const payees = (...numbers: string[]) =>
      [columns, ...numbers.map((number) => `bank_account,C-1,Amina,KES,KCB Bank Kenya,KE,${number}`)]
        .map((line) => `${line}\n`)
        .join('');
    await desk.run(['import', await old(desk, 'people.csv', people(1))]);
    expect((await desk.run(['import', await old(desk, 'june.csv', payees('2000000100'))])).exitCode).toBe(0);
    const july = payees('2000000250', '2000000260');
    const cut = await desk.json(['import', await old(desk, 'july.csv', cutBy(july, 5))]);
    expect(cut.summary).toMatchObject({ exit_code: 5, batches: [{ counts: { created: 1, held: 1 } }] });
    const again = await desk.json(['import', await old(desk, 'july.csv', july)]);
    expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 1, existing: 1 } }] });
    expect(desk.sandbox.counts().sandbox.created.external_accounts).toBe(3);
    const batch = cut.summary.batches[0]?.batch ?? '';
    expect((await desk.run(['close', batch, '--note', 'cut off'])).exitCode).toBe(0);
  });

  it('is sent after a word of a person', async () => {
    const desk = await openDesk();
    await desk.run(['import', await old(desk, 'june.csv', people(2))]);
    const { summary } = await desk.json(['import', await old(desk, 'july.csv', cutBy(people(2, 11), 2))]);
    const batch = summary.batches[0]?.batch ?? '';
    expect((await desk.run(['resolve', batch, '--row', '3', '--as', 'send'])).exitCode).toBe(0);
    expect((await desk.json(['resume', batch])).summary).toMatchObject({
      exit_code: 0,
      batches: [{ counts: { created: 2 } }],
    });
  });

  it('of a failed file that comes back holds nothing: it names its batch behind its own values', async () => {
    const desk = await openDesk();
    const file = await old(desk, 'june.csv', people(3).replace('p2@people.example', 'p2'));
    expect((await desk.run(['import', file])).exitCode).toBe(1);
    const failed = (await desk.resultText('.failed.csv')).trimEnd().replace(',p2,', ',p2@people.example,');
    const again = await desk.json(['import', await old(desk, 'back.csv', failed)]);
    expect(again.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 1 } }] });
  });

  it('refuses the file with --require-complete', async () => {
    const desk = await openDesk();
    const file = await old(desk, 'june.csv', cutBy(people(3), 2));
    for (const command of ['validate', 'import']) {
      const { summary } = await desk.json([command, file, '--require-complete']);
      expect(summary).toMatchObject({ exit_code: 3, error: { code: 'file_may_be_cut' } });
    }
    expect(desk.sandbox.counts().sandbox.created.customers).toBe(0);
    const whole = await old(desk, 'whole.csv', people(3));
    const both = await desk.json(['import', file, whole, '--require-complete', '--skip-refused']);
    expect(both.summary).toMatchObject({ exit_code: 3, batches: [{ counts: { created: 3 } }] });
  });
});

describe('a file that is cut elsewhere', () => {
  it.each([
    ['in its second column', 'C-3,p3@pe'],
    ['in its first column', 'C-'],
    ['behind a comma', 'C-3,p3@people.example,+254712000003,'],
  ])('%s has its last row held or refused as cut, and never left out as a heading', async (_, rest) => {
    const desk = await openDesk();
    const file = await old(desk, 'june.csv', `${people(2)}${rest}`);
    const end = await desk.run(['import', file, '--leave-out-non-rows']);
    expect(end.stderr).not.toContain('heading');
    const rows = await desk.results();
    expect(rows).toHaveLength(3);
    expect(['held', 'invalid']).toContain(rows[2]?.['result_status']);
    expect(rows[2]?.['result_message']).toContain('it may be cut off');
    expect(rows.slice(0, 2).map((row) => row['result_status'])).toEqual(['created', 'created']);
  });

  it('keeps a signature below the rows what it is', async () => {
    const desk = await openDesk();
    const file = await old(desk, 'june.csv', `${people(2)}Approved by: Jane`);
    const { summary } = await desk.json(['import', file, '--leave-out-non-rows']);
    expect(summary).toMatchObject({ exit_code: 0, batches: [{ rows: 2 }] });
  });

  it('in a quoted value is refused as cut off', async () => {
    const desk = await openDesk();
    const quoted = people(3).replaceAll(/[^,\r\n]+/g, '"$&"');
    const { summary } = await desk.json(['import', await old(desk, 'june.csv', cutBy(quoted, 6))]);
    expect(summary).toMatchObject({ exit_code: 3, error: { code: 'file_may_be_cut' } });
    expect(summary.error?.message).toContain('row 4');
  });

  it.each(['xlsx', 'csv.gz'])('as %s is refused as cut off', async (ending) => {
    const desk = await openDesk();
    const lines = people(40).trimEnd().split('\r\n');
    const rows = lines.map((line, at) => textRow(at + 1, line.split(','))).join('');
    const whole =
      ending === 'xlsx' ? workbook({ sheets: [{ name: 'customers', rows }] }) : gzipSync(people(40));
    const half = whole.subarray(0, Math.floor(whole.length * 0.6));
    const { summary } = await desk.json(['import', await old(desk, `june.${ending}`, half)]);
    expect(summary).toMatchObject({ exit_code: 3, error: { code: 'file_may_be_cut' } });
    expect(summary.error?.message).toContain('cut off');
  });
});

describe('a file that is being written', () => {
  it('is not imported: exit 4; with --skip-refused the complete files are sent', async () => {
    const desk = await openDesk();
    const text = people(30);
    const path = join(desk.folder, 'copied.csv');
    await writeFile(path, text.slice(0, 100));
    let at = 100;
    const writing = setInterval(() => {
      void appendFile(path, text.slice(at, at + 7));
      at += 7;
    }, 100);
    try {
      const alone = await desk.json(['import', 'copied.csv']);
      expect(alone.summary).toMatchObject({ exit_code: 4, error: { code: 'file_may_be_growing' } });
      const whole = await old(desk, 'whole.csv', people(2, 50));
      const both = await desk.json(['import', 'copied.csv', whole, '--skip-refused']);
      expect(both.summary).toMatchObject({ exit_code: 4, batches: [{ counts: { created: 2 } }] });
    } finally {
      clearInterval(writing);
    }
    await writeFile(path, text);
    const later = await desk.json(['import', 'copied.csv']);
    expect(later.summary).toMatchObject({ exit_code: 0, batches: [{ counts: { created: 30 } }] });
  });

  it('and has grown no more after two seconds is taken', async () => {
    const desk = await openDesk();
    const file = await desk.write('sheet.csv', cutBy(people(2), 2));
    expect((await desk.run(['import', file])).exitCode).toBe(0);
  });
});
