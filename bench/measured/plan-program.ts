import { fileURLToPath } from 'node:url';
import { Engine } from '../../src/engine/engine.ts';
import { definitionsOf } from '../../src/kinds/registry.ts';

/** Of an API that is never called: the rows name no institution. */
export const plannedOrigin = 'http://127.0.0.1:9';

/*
 * FILE DATABASE-URL with|without OUT
 *
 * Plans a file in a process of its own, with or without a look at what changed: the rows of a definition that has no
 * payee pay nobody.
 */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file = '', databaseUrl = '', comparison = '', out = ''] = process.argv.slice(2);
  if (comparison === 'without')
    for (const definition of definitionsOf('recipients')) Reflect.deleteProperty(definition, 'payee');
  const engine = await Engine.open({
    api: { mode: 'sandbox', baseUrl: plannedOrigin },
    ledger: { databaseUrl },
    output: { out },
  });
  const { failure } = await engine.plan({ files: [file] }).result;
  await engine.close();
  if (failure !== null) throw failure;
}
