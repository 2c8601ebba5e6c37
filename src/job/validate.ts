import { exitCodes } from '../domain/failures/exit-code.ts';
import { openCheckAccess } from './access/judging-access.ts';
import { requireOutFolder } from './files/out-folder.ts';
import { checkAll } from './reading/check-files.ts';
import { firstRoundsOf } from './reading/first-rounds.ts';
import { type OpenInputs, openInputs } from './reading/inputs.ts';
import { readRules } from './reading/judging.ts';
import { namingRefused } from './reading/refused-files.ts';
import { rememberedMappingsOf } from './reading/remembered-mappings.ts';
import type { JobContext } from './running/context.ts';
import { type JobResult, withRefused } from './running/result.ts';

/** What the files were found to be. */
export interface ValidateResult extends JobResult {
  /** Whether an import would ask what is meant by hidden rows. */
  readonly isHiddenOpen: boolean;
}

/**
 * Reads, maps and validates every file; writes the findings, and stages and sends nothing.
 * @param request paths of the files; `-` is standard input
 */
export async function validateFiles(
  app: JobContext,
  { files }: { readonly files: readonly string[] },
): Promise<ValidateResult> {
  await requireOutFolder(app.settings);
  const rules = readRules(app.settings.rules);
  const inputs = await openInputs(
    files,
    app.settings,
    rules,
    firstRoundsOf(app),
    await rememberedMappingsOf(app),
  );
  for (const note of inputs.notes) app.report({ kind: 'note', text: note });
  try {
    if (inputs.intakes.length === 0) {
      return { exitCode: exitCodes.done, batches: [], failure: null, isHiddenOpen: false };
    }
    const end = await namingRefused(inputs, () => checkOpened(app, inputs));
    return withRefused({ ...end, isHiddenOpen: isChoiceOpen(inputs) }, inputs.refused);
  } finally {
    await inputs.close();
  }
}

async function checkOpened(app: JobContext, inputs: OpenInputs): Promise<JobResult> {
  const access = await openCheckAccess(app);
  try {
    return await checkAll(app, inputs, access);
  } finally {
    await access.close();
  }
}

function isChoiceOpen({ intakes }: OpenInputs): boolean {
  return intakes.some(({ hidden, hiddenChoice }) => hidden.count > 0 && hiddenChoice === null);
}
