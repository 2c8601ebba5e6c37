import type { ApiClient } from '../../src/api/client.ts';
import type { Reply } from '../../src/api/exchange.ts';
import type { KeyUser, KeyUses } from './key-uses.ts';
import type { SimulatedNetwork } from './simulated-network.ts';
import type { World } from './world.ts';

export interface SimulatedClientOptions extends KeyUser {
  readonly world: World;
  readonly network: SimulatedNetwork;
  readonly uses: KeyUses;
  readonly concurrency: number;
  readonly requestsPerSecond: number | null;
  readonly isHalted: () => boolean;
}

/** The one way to the API, as the sender sees it, with the limits of its run watched. */
export function createSimulatedClient(options: SimulatedClientOptions): Pick<ApiClient, 'post'> {
  const { world, network, actor, uses } = options;
  const sentAt: number[] = [];
  let inFlight = 0;
  let closedUntilInMs = 0;
  const checkLimits = (): void => {
    if (inFlight > options.concurrency) {
      world.violate('concurrency limit', `${inFlight} requests of ${actor.name} at once`);
    }
    if (options.isHalted()) world.violate('nothing is sent after a stop', actor.name);
    if (world.nowInMs < closedUntilInMs) world.violate('pause kept', `${actor.name} was asked to wait`);
    const { requestsPerSecond } = options;
    // A little less than a second: timers wake a little late, and not all equally.
    const inWindow = sentAt.filter((at) => at > world.nowInMs - 990).length;
    if (requestsPerSecond !== null && inWindow > requestsPerSecond) {
      world.violate('rate limit', `${inWindow} requests of ${actor.name} within a second`);
    }
  };
  const learn = (reply: Reply): void => {
    if (reply.kind !== 'answer' || reply.status !== 429) return;
    const waitInS = Number(reply.headers.retryAfter ?? 1);
    // A date depends on the program's own clock, which may be wrong here.
    if (!Number.isNaN(waitInS)) closedUntilInMs = Math.max(closedUntilInMs, world.nowInMs + waitInS * 1000);
  };
  return {
    post: (request) =>
      new Promise((resolve) => {
        const short = request.idempotencyKey.slice(0, 8);
        inFlight += 1;
        sentAt.push(world.nowInMs);
        world.note(actor.name, `sends ${short} to ${request.path}`);
        const noteReply = uses.begin(request, options);
        checkLimits();
        network.exchange(actor, request, options.credential, (reply) => {
          inFlight -= 1;
          const text = reply.kind === 'answer' ? `${reply.status} ${reply.body.state}` : reply.reason;
          world.note(actor.name, `hears ${text} about ${short}`);
          noteReply(reply);
          learn(reply);
          resolve(reply);
        });
      }),
  };
}
