import * as z from 'zod';
import { type CallSettings, callSettingsSchema, readSettings } from '../../engine/running/settings.ts';
import { type GivenOptions, layerOptions } from './layered-options.ts';

const settingsSchema = callSettingsSchema.extend({
  json: z.boolean().default(false),
  quiet: z.boolean().default(false),
  verbose: z.boolean().default(false),
});

/** The options of one call: the use case's settings, and how the command line speaks. */
export interface Settings extends CallSettings {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
}

/** @throws Failure (exit 2) that names the option and what it was given */
export function settingsOf(commandLine: GivenOptions, environment: NodeJS.ProcessEnv): Settings {
  return readSettings(settingsSchema, layerOptions(commandLine, environment));
}
