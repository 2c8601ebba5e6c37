import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csvOf, customer, customers } from '../support/cli-files.ts';
import { type InProcessDesk, openInProcessDesk } from './reconciling/in-process.ts';

/** A desk whose environment names no API, so that the options of a call are all that there is. */
async function deskWithOptions(): Promise<{ desk: InProcessDesk; place: readonly string[] }> {
  const desk = await openInProcessDesk();
  await mkdir(join(desk.folder, 'of today'));
  return { desk, place: ['--base-url', desk.sandbox.url] };
}

/** What a failed call says is next. */
function nextOf({ stderr }: { readonly stderr: string }): string[] {
  return Array.from(stderr.matchAll(/^ {2}next: (.*)$/gm), ([, next = '']) => next);
}

describe('the next command of a failure', () => {
  it('names the file that was refused, quoted, with the options that were given', async () => {
    const { desk, place } = await deskWithOptions();
    const file = await desk.write("of today/Amina's.csv", csvOf([customer(1, { email: 'none' })]));
    const quoted = "'of today/Amina'\\''s.csv'";
    const options = ['--out', 'other results', ...place];
    const invalid = await desk.call([
      'import',
      file,
      '--max-invalid',
      '0',
      '--kind',
      'customers',
      ...options,
    ]);
    expect(nextOf(invalid)).toEqual([
      `paybatch validate ${quoted} --kind customers --base-url ${desk.sandbox.url} --out 'other results' lists the findings`,
    ]);
    const strange = await desk.write('of today/strange.csv', 'x,y\n1,2\n');
    expect(nextOf(await desk.call(['validate', strange, '--delimiter', ';', ...place]))[0]).toContain(
      `paybatch mapping 'of today/strange.csv' --delimiter ';' --base-url ${desk.sandbox.url} proposes`,
    );
    const columns = await desk.write('of today/more.csv', csvOf([{ ...customer(1), colour: 'red' }]));
    expect(nextOf(await desk.call(['plan', columns, ...place]))[0]).toMatch(
      /^paybatch mapping 'of today\/more\.csv' --base-url \S+ proposes a mapping/,
    );
  });

  it('is in the object of --json as well', async () => {
    const { desk, place } = await deskWithOptions();
    const file = await desk.write('more.csv', csvOf([{ ...customer(1), colour: 'red' }]));
    const { summary } = await desk.json(['import', file, ...place]);
    expect(summary.error?.next).toContain(`paybatch mapping more.csv --base-url ${desk.sandbox.url} `);
  });

  it('names the batch, and the plan that was meant', async () => {
    const { desk, place } = await deskWithOptions();
    const people = await desk.write('people.csv', csvOf(customers(2)));
    const others = await desk.write('others.csv', csvOf(customers(4).slice(2)));
    const { summary } = await desk.json(['plan', people, ...place]);
    const [planned] = summary.batches;
    const short = planned?.batch?.slice(0, 8);
    const hash = planned?.plan_hash ?? '';
    const both = await desk.call(['import', people, others, '--plan-hash', hash, ...place]);
    expect(nextOf(both)).toEqual([
      `submit them one by one: paybatch submit ${short} --plan-hash ${hash} --base-url ${desk.sandbox.url}`,
    ]);
    const otherHash = `${hash.startsWith('f') ? '0' : 'f'}${hash.slice(1)}`;
    const changed = await desk.call(['import', people, '--plan-hash', otherHash, ...place]);
    expect(nextOf(changed)).toEqual([
      `look at it again: paybatch plan people.csv --base-url ${desk.sandbox.url}`,
    ]);
    const submitted = await desk.call(['submit', short ?? '', '--plan-hash', 'f'.repeat(64), ...place]);
    expect(nextOf(submitted)).toEqual([
      `look at it again: paybatch plan people.csv --base-url ${desk.sandbox.url}`,
    ]);
    const unknown = await desk.call(['status', 'abcd1234', '--ledger-dir', 'elsewhere']);
    expect(nextOf(unknown)).toEqual([
      `paybatch status --base-url ${desk.sandbox.url} --ledger-dir elsewhere lists the batches`,
    ]);
  });

  it('repeats the stated options of the API, but no defaults', async () => {
    const { desk, place } = await deskWithOptions();
    const stated = [
      ...['--customer-id-path', 'data.ref', '--institutions-first-page', '0'],
      ...['--waiting-codes', 'kyc_required,on_hold', '--waiting-delay', '90m', '--key-lifetime', '36h'],
    ];
    const unknown = await desk.call(['status', 'abcd1234', ...stated, ...place]);
    expect(nextOf(unknown)).toEqual([
      `paybatch status --base-url ${desk.sandbox.url} ${stated.join(' ')} lists the batches`,
    ]);
    const usual = ['--waiting-codes', 'kyc_required', '--waiting-delay', '15m'];
    expect(nextOf(await desk.call(['status', 'abcd1234', ...usual, ...place]))).toEqual([
      `paybatch status --base-url ${desk.sandbox.url} lists the batches`,
    ]);
  });
});
