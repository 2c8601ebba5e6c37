import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSettings, valuesByName } from '../../../src/call/settings.ts';
import { completionScript } from '../../../src/cli/definitions/completion.ts';
import { callOptionsOf } from '../../../src/cli/options/given-options.ts';
import { environmentName, optionName } from '../../../src/cli/options/options.ts';
import { parseCommandLine } from '../../../src/cli/program.ts';
import {
  allSettings,
  type NamedSetting,
  type SettingName,
} from '../../../src/domain/settings/definitions.ts';
import { plainText } from '../../../src/domain/settings/message.ts';
import { manualPage } from '../../support/manual-page.ts';

/** A value of each setting that is not its default, as a command line takes it. */
const samples: Readonly<Record<SettingName, string | true | readonly string[]>> = {
  mode: 'live',
  baseUrl: 'https://api.example.test',
  localSandbox: true,
  sandboxDir: 'api',
  sandboxFaults: 'drop:1',
  customerIdPath: ['data.uuid'],
  institutionsPageParameter: 'page',
  institutionsFirstPage: '1',
  institutionsMaxAge: '3h',
  kind: 'customers',
  sheet: 'NOV',
  hidden: 'skip',
  acceptDrift: '1a2b3c4d',
  leaveOutNonRows: true,
  delimiter: ';',
  encoding: 'windows-1252',
  mapping: 'mapping.json',
  noRememberedMapping: true,
  rules: 'rules.json',
  skipRefused: true,
  allowNone: true,
  requireComplete: true,
  changes: 'hold',
  maxInvalid: '5%',
  expectRows: '20',
  expectTotal: ['KES=12.50'],
  ledgerDir: 'ledger',
  concurrency: '3',
  rate: '7.5',
  maxAttempts: '2',
  timeout: '9',
  waitingCodes: ['kyc_required', 'kyc_pending'],
  waitingDelay: '2h',
  refusedAlike: 'off',
  yes: true,
  keyLifetime: '36h',
  notice: 'notice.txt',
  out: 'elsewhere',
};

const page = fileURLToPath(new URL('../../../docs/library.md', import.meta.url));
const begin = '| Setting | Meaning |\n|---|---|\n';

function documented(): string {
  const lines = allSettings.map(({ group, name, setting }) => {
    const unstated = setting.shownDefault ?? setting.write(setting.defaultValue).join(', ');
    return `| \`${group}.${name}\` | ${plainText(setting.description)}${unstated === '' ? '' : ` (default: ${unstated})`} |\n`;
  });
  return begin + lines.join('').replaceAll(/N\|(P%|off)/g, 'N\\|$1');
}

function valueIn(settings: ReturnType<typeof readSettings>, { group, name }: NamedSetting): unknown {
  return Reflect.get(settings[group], name);
}

it('every name is unique, and is the same everywhere', () => {
  const names = allSettings.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(samples).sort()).toEqual([...names].sort());
});

it('are listed in the documentation of the library', () => {
  const text = readFileSync(page, 'utf8');
  if (process.env['UPDATE_DOCS'] === '1') {
    const kept = text.includes(begin) ? text.slice(0, text.indexOf(begin)) : text;
    writeFileSync(page, kept + documented());
  }
  expect(readFileSync(page, 'utf8')).toContain(documented());
});

const asked = await parseCommandLine(['--help-all'], 100);
const help = 'text' in asked ? asked.text : '';
const manual = await manualPage();
const completions = await Promise.all(['bash', 'zsh', 'fish'].map(completionScript));

describe.each(allSettings.map((setting): [SettingName, NamedSetting] => [setting.name, setting]))(
  '%s',
  (name, named) => {
    const { setting, group } = named;
    const sample = samples[name];
    const value = setting.read(sample);
    const option = `--${optionName(name)}`;

    it('has a value that is not the default, and is written as it is read', () => {
      expect(value).not.toEqual(setting.defaultValue);
      if (setting.shape === 'flag') return;
      const written = setting.write(value);
      expect(setting.read(setting.shape === 'list' ? written : written[0])).toEqual(value);
    });

    it('is an option of the command line', async () => {
      const given =
        setting.shape === 'flag' ? [option] : [sample].flat().flatMap((each) => [option, String(each)]);
      const call = await parseCommandLine(['import', 'people.csv', ...given], 100);
      if ('text' in call) throw new Error(call.text);
      expect(valueIn(callOptionsOf(call.options, {}).settings, named)).toEqual(value);
    });

    it('is an environment variable', () => {
      const text = sample === true ? 'yes' : [sample].flat().join(',');
      const environment = { [environmentName(optionName(name))]: text };
      expect(valueIn(callOptionsOf({}, environment).settings, named)).toEqual(value);
    });

    it.each([name, optionName(name)])('is the key %s of the config file', (key) => {
      const folder = mkdtempSync(join(tmpdir(), 'paybatch-config-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const config = join(folder, 'paybatch.json');
      writeFileSync(config, JSON.stringify({ [key]: sample }));
      expect(valueIn(callOptionsOf({ config }, {}).settings, named)).toEqual(value);
    });

    it('is a setting of the library, in its group', () => {
      expect(valueIn(readSettings(valuesByName({ [group]: { [name]: sample } })), named)).toEqual(value);
    });

    it('is in help, the manual page and the completion', () => {
      expect(help).toMatch(new RegExp(`${option}(?: |$)`, 'm'));
      expect(manual).toContain(option.replaceAll('-', '\\-'));
      for (const script of completions) expect(script).toContain(optionName(name));
    });
  },
);
