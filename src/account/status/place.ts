import { keyLifetimeFor } from '../../call/api-access.ts';
import type { CallContext } from '../../call/context.ts';
import type { AccountPlace } from '../read-accounts.ts';

/** The folder and files of a call that reads batches. */
export function placeOf(app: CallContext): AccountPlace {
  return {
    out: app.settings.output.out,
    files: app.files ?? [],
    now: app.clock.now(),
    keyLifetimeInMs: {
      live: keyLifetimeFor(app, 'live').durationInMs,
      sandbox: keyLifetimeFor(app, 'sandbox').durationInMs,
    },
  };
}
