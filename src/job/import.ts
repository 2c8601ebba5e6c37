import { exitCodes } from '../domain/failures/exit-code.ts';
import { openDirectoryOf } from './access/api-access.ts';
import { requireOutFolder } from './files/out-folder.ts';
import { firstRoundsOf } from './reading/first-rounds.ts';
import { openInputs } from './reading/inputs.ts';
import { readRules } from './reading/judging.ts';
import { namingRefused } from './reading/refused-files.ts';
import { rememberedMappingsOf } from './reading/remembered-mappings.ts';
import { takeInFiles } from './reading/take-in-files.ts';
import type { JobContext } from './running/context.ts';
import { withRefused } from './running/result.ts';
import { planHashOf } from './sending/plan-hash.ts';
import { type SendResult, sendHeld, withApiAndLedger } from './sending/sending.ts';

/** Files to import. */
export interface ImportRequest {
  /** Paths; `-` is standard input. */
  readonly files: readonly string[];
  /** Send only if it is still what the plan of this hash showed; for a single batch. */
  readonly planHash?: string | undefined;
}

/** Reads, maps, validates and stages every file, then submits, and writes the results. */
export async function importFiles(app: JobContext, request: ImportRequest): Promise<SendResult> {
  const planHash = planHashOf(request.planHash, request.files);
  await requireOutFolder(app.settings);
  const rules = readRules(app.settings.rules);
  const inputs = await openInputs(
    request.files,
    app.settings,
    rules,
    firstRoundsOf(app),
    await rememberedMappingsOf(app),
  );
  for (const note of inputs.notes) app.report({ kind: 'note', text: note });
  try {
    if (inputs.intakes.length === 0) return nothingToImport(app);
    const look = (): Promise<SendResult> =>
      withApiAndLedger(app, async (target, access) => {
        const directories = openDirectoryOf(target, access.verbs, app);
        try {
          const { environment } = target;
          const files = {
            command: 'import',
            inputs,
            environment,
            openDirectory: directories.open,
          } as const;
          const { held, refused } = await takeInFiles(app, access, files);
          const sent = await sendHeld(app, access, target, held, {
            ...{ planHash, directories, files: request.files },
          });
          return withRefused(sent, refused);
        } finally {
          await directories.close();
        }
      });
    return await namingRefused(inputs, look);
  } finally {
    await inputs.close();
  }
}

/** No file is there, and that is as it should be (`--allow-none`). */
function nothingToImport({ settings: { mode } }: JobContext): SendResult {
  return {
    ...{ exitCode: exitCodes.done, batches: [], failure: null, environment: { mode, origin: '' } },
    ...{ sending: 'none', sentRows: 0 },
  };
}
