import { withRefused } from '../account/result.ts';
import { directoriesOf } from '../call/api-access.ts';
import type { LedgerAccess } from '../call/connections.ts';
import type { CallContext } from '../call/context.ts';
import type { OpenedApi } from '../call/opened-api.ts';
import type { FileReadings } from '../read/sources/readings.ts';
import { type SendResult, sendResult, withApi } from '../send/batches/continue-batches.ts';
import { sendWithLater } from '../send/batches/later-batches.ts';
import { settleLeased } from '../send/batches/log-of-run.ts';
import { type AgreedPlans, agreedPlansOf } from '../send/batches/planning.ts';
import { stageFiles } from '../send/batches/stage-files.ts';
import { namingRefused, withInputs } from './with-inputs.ts';

/** Files to import. */
interface ImportRequest {
  /** Paths; `-` is standard input. */
  readonly files: readonly string[];
  /** What was said of one of them alone. */
  readonly fileReadings?: FileReadings;
  /** Send only if it is still what the plan of this hash showed, for a single batch; for several, a list with the hash of each. */
  readonly planHash?: AgreedPlans | undefined;
}

/** Reads, maps, validates and stages every file, then submits, and writes the results. */
export async function importFiles(context: CallContext, request: ImportRequest): Promise<SendResult> {
  const app = { ...context, files: request.files };
  const agreed = agreedPlansOf(request.planHash, request.files);
  return withInputs(
    app,
    request.files,
    async (inputs) => {
      if (inputs.inputTables.length === 0) return nothingToImport(app);
      const stageAndSend = async (target: OpenedApi, access: LedgerAccess): Promise<SendResult> => {
        const openDirectory = directoriesOf(app, access.verbs);
        const { held, refused } = await stageFiles(app, access, {
          command: 'import',
          inputs,
          environment: target.environment,
          openDirectory,
        });
        await settleLeased(app, access, held);
        const options = { agreed, openDirectory, files: request.files };
        const sent = await sendWithLater(app, access, target, held, options);
        return withRefused(sendResult(sent, target), refused);
      };
      return namingRefused(inputs, () => withApi(app, stageAndSend));
    },
    request.fileReadings,
  );
}

/** No file is there, and that is as it should be (`allowNone`). */
function nothingToImport({ settings }: CallContext): SendResult {
  return {
    outcome: 'done',
    batches: [],
    failure: null,
    environment: { mode: settings.api.mode, origin: '' },
    sending: 'none',
    sentRows: 0,
  };
}
