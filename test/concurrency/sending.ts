import type { LimitFunction } from 'p-limit';
import { createConcurrencyLimit } from '../../src/api/limiters.ts';
import { createSender } from '../../src/api/sender.ts';
import type { PipelineEvent } from '../../src/disk/log/run-event.ts';
import type { RunLogPort } from '../../src/disk/log/run-log.ts';
import type { resolvedEvent } from '../../src/reconcile/verdicts/decide-rows.ts';
import type { LoggedEvent } from '../../src/recover/logged-rows.ts';
import type { ProcessBatchContext } from '../../src/send/process-batch.ts';
import { realMs, worldClock } from './fast-time.ts';
import type { Program } from './program.ts';
import type { World } from './world.ts';

/** The product's own sender, over an API in this process. */
export function openSender(
  world: World,
  program: Program,
  options: { readonly concurrency: number; readonly maxAttempts: number; readonly stopSignal: AbortSignal },
): { readonly sender: ProcessBatchContext['sender']; readonly onLimiter: (limiter: LimitFunction) => void } {
  let limiter: LimitFunction | undefined;
  const concurrency = createConcurrencyLimit({
    maximum: options.concurrency,
    onLimitChange: (limit) => {
      if (limiter !== undefined) limiter.concurrency = limit;
    },
  });
  const sender = createSender({
    client: {
      post: async (request) => {
        world.progress.tick();
        const fault = world.apiFaultOf(program.name);
        const reply = await world.api.receive(program.name, request, fault, program.random.fraction());
        await program.pass();
        return reply;
      },
    },
    timing: {
      ...worldClock,
      random: program.random.fraction,
      sleep: (durationInMs, signal) => program.sleep(realMs(durationInMs), signal),
    },
    maxAttempts: options.maxAttempts,
    concurrency,
    stopSignal: options.stopSignal,
    isPathProven: () => true,
  });
  return {
    sender,
    onLimiter: (next) => {
      limiter = next;
      next.concurrency = concurrency.current();
    },
  };
}

/** What the tests' programs note: what the product's pipeline does, and what its commands add. */
export type NotedEvent =
  | PipelineEvent
  | ReturnType<typeof resolvedEvent>
  | Omit<Extract<LoggedEvent, { event: 'run.started' }>, 'time' | 'batch'>;

export interface MemoryRunLog extends RunLogPort {
  readonly append: (events: readonly NotedEvent[]) => void;
}

/** The batch's run log: what was flushed is on disk, what was only appended dies with its program. */
export function openRunLog(world: World, program: Program): MemoryRunLog {
  let waiting: NotedEvent[] = [];
  let lookedAt = world.log.length;
  const flush = async (): Promise<void> => {
    await program.pass();
    const written = waiting;
    waiting = [];
    const stamp = { time: worldClock.now().toISOString(), batch: world.plan.id };
    for (const event of written) world.log.push({ ...stamp, ...event });
  };
  return {
    append: (events) => {
      waiting.push(...events);
    },
    flush,
    seal: async () => {
      await flush();
      await program.pass();
      const claims = world.log.slice(lookedAt).flatMap((event) => {
        if (event.event === 'run.started') return [{ run: event.run, claim: 0 }];
        return event.event === 'claim.made' ? [{ run: event.run, claim: event.claim }] : [];
      });
      lookedAt = world.log.length;
      return claims;
    },
  };
}
