import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { callOptionsOf } from '../../../src/cli/options/given-options.ts';
import { PaybatchError } from '../../../src/domain/failures/paybatch-error.ts';

function configFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'paybatch-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'paybatch.json');
  writeFileSync(path, content);
  return path;
}

function refusalOf(given: Record<string, unknown>, environment: NodeJS.ProcessEnv = {}): PaybatchError {
  try {
    callOptionsOf(given, environment);
  } catch (error) {
    if (error instanceof PaybatchError) return error;
    throw error;
  }
  throw new Error('the options were not refused');
}

describe('a variable of the environment', () => {
  it.each([
    ['PAYBATCH_BASEURL', 'PAYBATCH_BASE_URL'],
    ['PAYBATCH_MAX_INVALD', 'PAYBATCH_MAX_INVALID'],
    ['PAYBATCH_LIVE_APIKEY', 'PAYBATCH_LIVE_API_KEY'],
    ['PAYBATCH_DATABASE_URL', 'DATABASE_URL'],
  ])('that is misspelt would do nothing, so it is refused: %s', (name, meant) => {
    const refusal = refusalOf({}, { [name]: 'x' });
    expect(refusal).toMatchObject({ kind: 'usage', code: 'option_invalid' });
    expect(refusal.message).toBe(`There is no variable ${name}. Did you mean ${meant}?`);
  });

  it.each(['PAYBATCH_NOW', 'PAYBATCH_TEST_DATABASE_URL', 'PAYBATCH_API_KEY_FILE', 'PAYBATCH_CONFIG', 'PATH'])(
    'that is not like a name of paybatch, or has another beginning, may be there: %s',
    (name) => {
      expect(callOptionsOf({}, { [name]: '' })).toEqual(callOptionsOf({}, {}));
      if (name !== 'PAYBATCH_CONFIG')
        expect(callOptionsOf({}, { [name]: 'x' })).toEqual(callOptionsOf({}, {}));
    },
  );
});

describe('an option', () => {
  it('has the default that is documented', () => {
    const { settings, speech } = callOptionsOf({}, {});
    expect({ settings, speech }).toEqual({
      settings: {
        api: {
          mode: 'sandbox',
          isModeStated: false,
          localSandbox: false,
          customerIdPath: ['data.id', 'id', 'customer.id', 'data.customer.id'],
          institutionsMaxAge: 86_400_000,
        },
        reading: { leaveOutNonRows: false, noRememberedMapping: false },
        controls: { skipRefused: false, allowNone: false, requireComplete: false },
        ledger: { ledgerDir: '.paybatch' },
        sending: {
          concurrency: 16,
          maxAttempts: 5,
          timeout: 30,
          waitingCodes: ['kyc_required'],
          waitingDelay: 900_000,
          refusedAlike: 50,
          yes: false,
        },
        keys: {},
        output: { out: 'results' },
      },
      speech: { json: false, quiet: false, verbose: false },
    });
  });

  it('of the command line wins over the environment, and that over the config file', () => {
    const config = configFile('{"concurrency": 3, "max-attempts": 3, "timeout": 3, "keyLifetime": "3h"}');
    const environment = { PAYBATCH_CONCURRENCY: '2', PAYBATCH_MAX_ATTEMPTS: '2', PAYBATCH_CONFIG: config };
    const { settings } = callOptionsOf({ concurrency: '1' }, environment);
    expect([
      settings.sending.concurrency,
      settings.sending.maxAttempts,
      settings.sending.timeout,
      settings.keys.keyLifetime,
    ]).toEqual([1, 2, 3, 10_800_000]);
  });

  it('--config wins over PAYBATCH_CONFIG', () => {
    const mine = configFile('{"out": "mine"}');
    expect(callOptionsOf({ config: mine }, { PAYBATCH_CONFIG: '/nowhere.json' }).settings.output.out).toBe(
      'mine',
    );
  });

  it('that says yes or no can be given in the environment', () => {
    expect(
      callOptionsOf({}, { PAYBATCH_YES: 'yes', PAYBATCH_JSON: '1', PAYBATCH_QUIET: 'off' }),
    ).toMatchObject({
      settings: { sending: { yes: true } },
      speech: { json: true, quiet: false },
    });
    expect(refusalOf({}, { PAYBATCH_YES: 'perhaps' }).message).toContain('PAYBATCH_YES');
  });

  it('that is an empty environment variable counts as not given', () => {
    const config = configFile('{"out": "mine", "yes": true}');
    const environment = { PAYBATCH_OUT: '', PAYBATCH_YES: '', PAYBATCH_CONFIG: config, PAYBATCH_RATE: '' };
    expect(callOptionsOf({}, environment)).toMatchObject({
      settings: { output: { out: 'mine' }, sending: { yes: true } },
    });
  });

  it('that is a list is separated by commas in the environment', () => {
    const { settings } = callOptionsOf({}, { PAYBATCH_CUSTOMER_ID_PATH: 'data.uuid, uuid' });
    expect(settings.api.customerIdPath).toEqual(['data.uuid', 'uuid']);
  });

  it('that is a number of rows or a share of them keeps which of the two it is', () => {
    expect(callOptionsOf({ 'max-invalid': '20' }, {}).settings.controls.maxInvalid).toEqual({ rows: 20 });
    expect(callOptionsOf({ 'max-invalid': '2.5%' }, {}).settings.controls.maxInvalid).toEqual({
      percent: 2.5,
    });
  });

  it('that is a total for each currency may come one by one or in one text', () => {
    const expected = { KES: '1234567.00', UGX: '5' };
    expect(
      callOptionsOf({ 'expect-total': ['kes=01234567.00', 'UGX=5'] }, {}).settings.controls.expectTotal,
    ).toEqual(expected);
    const environment = { PAYBATCH_EXPECT_TOTAL: 'KES=1234567.00,UGX=5' };
    expect(callOptionsOf({}, environment).settings.controls.expectTotal).toEqual(expected);
  });

  it.each([
    ['concurrency', '0'],
    ['concurrency', '1.5'],
    ['concurrency', 'many'],
    ['max-attempts', '0'],
    ['timeout', '0'],
    ['rate', '-1'],
    ['key-lifetime', '24'],
    ['key-lifetime', '0h'],
    ['max-invalid', '101%'],
    ['max-invalid', '1.5'],
    ['max-invalid', '-1'],
    ['expect-rows', '-1'],
    ['expect-total', 'KES'],
    ['expect-total', 'KES=1e3'],
    ['expect-total', 'KES=1,KES=2'],
    ['kind', 'people'],
    ['out', ''],
  ])('--%s %s is refused by name', (name, value) => {
    const refusal = refusalOf({ [name]: value });
    expect({ kind: refusal.kind, code: refusal.code }).toEqual({
      kind: 'usage',
      code: 'option_invalid',
    });
    expect(refusal.message).toContain(`--${name}`);
  });

  it('given twice is refused', () => {
    expect(refusalOf({ out: ['a', 'b'] }).kind).toBe('usage');
    expect(refusalOf({ config: ['a.json', 'b.json'] }).kind).toBe('usage');
  });
});

describe('a config file', () => {
  it.each([
    ['an unknown option', '{"colour": "red"}', '"colour"'],
    ['the API key', '{"api-key": "sk_1"}', '"api-key"'],
    ['no JSON', 'out: results', 'not JSON'],
    ['a list', '[]', 'not a JSON object'],
  ])('with %s is refused', (_, content, named) => {
    const refusal = refusalOf({ config: configFile(content) });
    expect({ kind: refusal.kind, code: refusal.code }).toEqual({
      kind: 'usage',
      code: 'config_invalid',
    });
    expect(refusal.message).toContain(named);
    expect(refusal.message).not.toContain('sk_1');
  });

  it('that is not there is refused', () => {
    expect(refusalOf({ config: '/nowhere/paybatch.json' }).message).toContain('cannot be read');
  });
});
