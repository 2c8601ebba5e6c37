import type { Mode } from '../../domain/batches/batch.ts';
import { durationOption, type KeyLifetime, keyLifetimeOf } from '../../domain/sending/key-age.ts';
import type { CallContext } from '../running/context.ts';

/** How long keys of a batch may be sent again, by the mode of the batch, which looking commands need not be told. */
export function keyLifetimeFor({ settings }: Pick<CallContext, 'settings'>, mode: Mode): KeyLifetime {
  return keyLifetimeOf(mode, settings.keys.keyLifetime);
}

/** What a person should know while nobody has stated how long the provider keeps keys, and what to do about it. */
export function assumedLifetime({ durationInMs }: KeyLifetime): { text: string; advice: string } {
  return {
    text:
      'Nobody has stated how long the provider keeps idempotency keys, so that a row in doubt is sent again by itself ' +
      `only within ${durationOption(durationInMs)} of its first send; after that it is held for a person`,
    advice:
      'ask the provider: "For how long after its first use is a request with the same Idempotency-Key answered ' +
      'with the first result, and nothing created again?", and state that with --key-lifetime, such as 24h',
  };
}

/** Says it, where it is so. */
export function noteAssumedLifetime(app: Pick<CallContext, 'settings' | 'report'>, mode: Mode): void {
  const lifetime = keyLifetimeFor(app, mode);
  if (!lifetime.isAssumed) return;
  const { text, advice } = assumedLifetime(lifetime);
  app.report({ kind: 'note', text: `${text}.`, advice });
}
