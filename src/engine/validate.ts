import { withRefused } from '../account/result.ts';
import type { CallContext } from '../call/context.ts';
import { openCheckAccess } from '../check/judging-access.ts';
import type { OpenInputs } from '../read/sources/inputs.ts';
import { type CheckedFiles, checkAll } from './check-files.ts';
import { namingRefused, withInputs } from './with-inputs.ts';

/** What the files were found to be. */
export interface ValidateResult extends CheckedFiles {
  /** Whether an import would ask what is meant by hidden rows. */
  readonly isHiddenOpen: boolean;
}

/**
 * Reads, maps and validates every file; writes the findings, and stages and sends nothing.
 * @param request paths of the files; `-` is standard input
 */
export async function validateFiles(
  app: CallContext,
  { files }: { readonly files: readonly string[] },
): Promise<ValidateResult> {
  return withInputs(app, files, async (inputs) => {
    if (inputs.inputTables.length === 0) {
      return { outcome: 'done', batches: [], failure: null, checked: [], isHiddenOpen: false };
    }
    const end = await namingRefused(inputs, () => checkOpened(app, inputs));
    return withRefused({ ...end, isHiddenOpen: isChoiceOpen(inputs) }, inputs.refused);
  });
}

async function checkOpened(app: CallContext, inputs: OpenInputs): Promise<CheckedFiles> {
  return checkAll(app, inputs, await openCheckAccess(app));
}

function isChoiceOpen({ inputTables }: OpenInputs): boolean {
  return inputTables.some(({ hidden, hiddenChoice }) => hidden.count > 0 && hiddenChoice === null);
}
