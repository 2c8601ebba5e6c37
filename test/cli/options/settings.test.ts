import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settingsOf } from '../../../src/cli/options/settings.ts';
import { Failure } from '../../../src/domain/failures/failure.ts';

function configFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'paybatch-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'paybatch.json');
  writeFileSync(path, content);
  return path;
}

function refusalOf(given: Record<string, unknown>, environment: NodeJS.ProcessEnv = {}): Failure {
  try {
    settingsOf(given, environment);
  } catch (error) {
    if (error instanceof Failure) return error;
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
    expect(refusal).toMatchObject({ exitCode: 2, code: 'option_invalid' });
    expect(refusal.message).toBe(`There is no variable ${name}. Did you mean ${meant}?`);
  });

  it.each(['PAYBATCH_NOW', 'PAYBATCH_TEST_DATABASE_URL', 'PAYBATCH_API_KEY_FILE', 'PAYBATCH_CONFIG', 'PATH'])(
    'that is not like one of ours, or not ours, may be there: %s',
    (name) => {
      expect(settingsOf({}, { [name]: '' })).toEqual(settingsOf({}, {}));
      if (name !== 'PAYBATCH_CONFIG') expect(settingsOf({}, { [name]: 'x' })).toEqual(settingsOf({}, {}));
    },
  );
});

describe('an option', () => {
  it('has the default that is documented', () => {
    expect(settingsOf({}, {})).toEqual({
      mode: 'sandbox',
      isModeStated: false,
      'local-sandbox': false,
      'leave-out-non-rows': false,
      'no-remembered-mapping': false,
      'customer-id-path': ['data.id', 'id', 'customer.id', 'data.customer.id'],
      'institutions-max-age': 86_400_000,
      'ledger-dir': '.paybatch',
      concurrency: 16,
      'max-attempts': 5,
      timeout: 30,
      'waiting-codes': ['kyc_required'],
      'waiting-delay': 900_000,
      'refused-alike': 50,
      'skip-refused': false,
      'allow-none': false,
      yes: false,
      out: 'results',
      json: false,
      quiet: false,
      verbose: false,
    });
  });

  it('of the command line wins over the environment, and that over the config file', () => {
    const config = configFile('{"concurrency": 3, "max-attempts": 3, "timeout": 3, "keyLifetime": "3h"}');
    const environment = { PAYBATCH_CONCURRENCY: '2', PAYBATCH_MAX_ATTEMPTS: '2', PAYBATCH_CONFIG: config };
    const settings = settingsOf({ concurrency: '1' }, environment);
    expect([
      settings.concurrency,
      settings['max-attempts'],
      settings.timeout,
      settings['key-lifetime'],
    ]).toEqual([1, 2, 3, 10_800_000]);
  });

  it('--config wins over PAYBATCH_CONFIG', () => {
    const mine = configFile('{"out": "mine"}');
    expect(settingsOf({ config: mine }, { PAYBATCH_CONFIG: '/nowhere.json' }).out).toBe('mine');
  });

  it('that says yes or no can be given in the environment', () => {
    expect(settingsOf({}, { PAYBATCH_YES: 'yes', PAYBATCH_JSON: '1', PAYBATCH_QUIET: 'off' })).toMatchObject({
      yes: true,
      json: true,
      quiet: false,
    });
    expect(refusalOf({}, { PAYBATCH_YES: 'perhaps' }).message).toContain('PAYBATCH_YES');
  });

  it('that is an empty environment variable counts as not given', () => {
    const config = configFile('{"out": "mine", "yes": true}');
    const environment = { PAYBATCH_OUT: '', PAYBATCH_YES: '', PAYBATCH_CONFIG: config, PAYBATCH_RATE: '' };
    expect(settingsOf({}, environment)).toMatchObject({ out: 'mine', yes: true });
  });

  it('that is a list is separated by commas in the environment', () => {
    const settings = settingsOf({}, { PAYBATCH_CUSTOMER_ID_PATH: 'data.uuid, uuid' });
    expect(settings['customer-id-path']).toEqual(['data.uuid', 'uuid']);
  });

  it('that is a number of rows or a share of them keeps which of the two it is', () => {
    expect(settingsOf({ 'max-invalid': '20' }, {})['max-invalid']).toEqual({ rows: 20 });
    expect(settingsOf({ 'max-invalid': '2.5%' }, {})['max-invalid']).toEqual({ percent: 2.5 });
  });

  it('that is a total for each currency may come one by one or in one text', () => {
    const expected = { KES: '1234567.00', UGX: '5' };
    expect(settingsOf({ 'expect-total': ['kes=01234567.00', 'UGX=5'] }, {})['expect-total']).toEqual(
      expected,
    );
    const environment = { PAYBATCH_EXPECT_TOTAL: 'KES=1234567.00,UGX=5' };
    expect(settingsOf({}, environment)['expect-total']).toEqual(expected);
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
    expect({ exitCode: refusal.exitCode, code: refusal.code }).toEqual({
      exitCode: 2,
      code: 'option_invalid',
    });
    expect(refusal.message).toContain(`--${name}`);
  });

  it('given twice is refused', () => {
    expect(refusalOf({ out: ['a', 'b'] }).exitCode).toBe(2);
    expect(refusalOf({ config: ['a.json', 'b.json'] }).exitCode).toBe(2);
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
    expect({ exitCode: refusal.exitCode, code: refusal.code }).toEqual({
      exitCode: 2,
      code: 'config_invalid',
    });
    expect(refusal.message).toContain(named);
    expect(refusal.message).not.toContain('sk_1');
  });

  it('that is not there is refused', () => {
    expect(refusalOf({ config: '/nowhere/paybatch.json' }).message).toContain('cannot be read');
  });
});
