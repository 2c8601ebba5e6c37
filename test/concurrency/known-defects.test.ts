import { afterAll, beforeAll, it, onTestFinished } from 'vitest';
import { directedSchedules } from './directed-schedules.ts';
import { openLane } from './lane.ts';
import { type DirectedSchedule, Stage } from './stage.ts';
import { startWorldServer, type WorldServer } from './world-server.ts';

let server: WorldServer;
beforeAll(async () => {
  server = await startWorldServer();
});
afterAll(() => server.dispose());

for (const { name, happen } of directedSchedules) it(name, () => happenOnStage(happen));

async function happenOnStage(happen: DirectedSchedule['happen']): Promise<void> {
  const stage = new Stage(await openLane(server));
  onTestFinished(async ({ task }) => {
    if (task.result?.state === 'fail') {
      for (const { trace } of stage.worlds) process.stderr.write(`${task.name}:\n${trace.join('\n')}\n`);
    }
    await stage.close();
  });
  await happen(stage);
}
