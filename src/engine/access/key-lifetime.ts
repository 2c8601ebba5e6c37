import type { Mode } from '../../domain/batches/batch.ts';
import { type KeyLifetime, keyLifetimeOf } from '../../domain/sending/key-age.ts';
import type { CallContext } from '../running/context.ts';

/** How long keys of a batch may be sent again, by the mode of the batch, which looking commands need not be told. */
export function keyLifetimeFor({ settings }: Pick<CallContext, 'settings'>, mode: Mode): KeyLifetime {
  return keyLifetimeOf(mode, settings.keys.keyLifetime);
}

/** Says it, where it is so. */
export function noteAssumedLifetime(app: Pick<CallContext, 'settings' | 'report'>, mode: Mode): void {
  const lifetime = keyLifetimeFor(app, mode);
  if (!lifetime.isAssumed) return;
  app.report({
    kind: 'note',
    note: { code: 'key_lifetime_assumed', durationInMs: lifetime.durationInMs },
  });
}
