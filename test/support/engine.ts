import { onTestFinished } from 'vitest';
import { Engine, type EngineConfig } from '../../src/index.ts';

/** An engine that is closed when the test is over. */
export async function openEngine(config: EngineConfig): Promise<Engine> {
  const engine = await Engine.open(config);
  onTestFinished(() => engine.close());
  return engine;
}

/** Agrees to whatever it is asked. */
export const agreeing = { confirm: () => true };
