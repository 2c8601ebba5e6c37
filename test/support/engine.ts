import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Engine, type EngineConfig } from '../../src/index.ts';
import type { Desk } from './cli-desk.ts';

/** An engine that is closed when the test is over. */
export async function openEngine(config: EngineConfig): Promise<Engine> {
  const engine = await Engine.open(config);
  onTestFinished(() => engine.close());
  return engine;
}

/** The configuration with which an engine works like the command line of a desk. */
export function configOfDesk({ sandbox, databaseUrl, env, folder }: Desk): EngineConfig {
  return {
    api: { baseUrl: sandbox.url, apiKey: sandbox.apiKeys.sandbox },
    ledger: databaseUrl === null ? { ledgerDir: env['PAYBATCH_LEDGER_DIR'] ?? '' } : { databaseUrl },
    output: { out: join(folder, 'results') },
  };
}

/** Agrees to whatever it is asked. */
export const agreeing = { confirm: () => true };
