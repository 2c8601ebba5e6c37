/* Reads the settings of a call: the stated values, checked and completed with the defaults. */

import {
  type AnyGroup,
  type GivenSettings,
  type SettingName,
  type Settings,
  settingGroups,
  type ValuesOf,
} from '../domain/settings/definitions.ts';
import { UnusableValue } from '../domain/settings/setting.ts';
import { kinds } from '../kinds/registry.ts';

/** Stated values, by the names of their settings; undefined where none is stated. */
export type GivenValues = Readonly<Partial<Record<SettingName, unknown>>>;

/** A setting with a value that it does not accept; `problem` ends a sentence that begins with the setting. */
export class UnusableSetting extends Error {
  override readonly name = 'UnusableSetting';
  readonly setting: SettingName;
  readonly problem: string;

  constructor(setting: SettingName, problem: string) {
    super(`${setting} ${problem}.`);
    this.setting = setting;
    this.problem = problem;
  }
}

/**
 * Checks settings, and completes them with their defaults.
 * @throws UnusableSetting for the first value that its setting does not accept
 */
export function readSettings(given: GivenValues): Settings {
  const { mode, ...api } = valuesOf(settingGroups.api, given);
  const reading = valuesOf(settingGroups.reading, given);
  if (reading.kind !== undefined && !kinds.includes(reading.kind)) {
    throw new UnusableSetting('kind', `is "${reading.kind}"; it can be ${kinds.join(', ')}`);
  }
  return {
    api: { ...api, mode: mode ?? 'sandbox', isModeStated: mode !== undefined },
    reading,
    controls: valuesOf(settingGroups.controls, given),
    ledger: valuesOf(settingGroups.ledger, given),
    sending: valuesOf(settingGroups.sending, given),
    keys: valuesOf(settingGroups.keys, given),
    output: valuesOf(settingGroups.output, given),
  };
}

/** The values of groups, by name alone; where several groups state one, the last counts. */
export function valuesByName(...several: readonly GivenSettings[]): GivenValues {
  const values: Record<string, unknown> = {};
  for (const groups of several) {
    for (const group of Object.values(groups)) {
      for (const [name, value] of Object.entries(group ?? {})) if (value !== undefined) values[name] = value;
    }
  }
  return values;
}

function valuesOf<Group extends AnyGroup>(group: Group, given: GivenValues): ValuesOf<Group> {
  const values = Object.entries(group).map(([name, setting]) => {
    const value: unknown = Reflect.get(given, name);
    return [
      name,
      value === undefined ? setting.defaultValue : readAs(name as SettingName, () => setting.read(value)),
    ];
  });
  return Object.fromEntries(values) as ValuesOf<Group>;
}

function readAs<Value>(name: SettingName, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnusableValue) throw new UnusableSetting(name, error.message);
    throw error;
  }
}
