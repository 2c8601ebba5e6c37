/* The command `sandbox`: the local Payments API in the foreground. */

import { resolve } from 'node:path';
import { type CallResult, noBatches } from '../../account/result.ts';
import { sandboxFolder } from '../../call/opened-api.ts';
import { PaybatchError } from '../../domain/failures/paybatch-error.ts';
import { parseDuration } from '../../domain/settings/setting.ts';
import type { SandboxOptions } from '../../sandbox/core.ts';
import { parseFaults } from '../../sandbox/faults.ts';
import { startSandbox } from '../../sandbox/server.ts';
import { type App, type Arguments, textOf } from '../command/command.ts';
import { interruption } from '../terminal/process.ts';

const kycChoices = ['automatic', 'required'] as const;
const customerAnswers = ['enveloped', 'bare', 'nested'] as const;

/** Runs the local Payments API in the foreground, until it is interrupted. */
export async function sandboxCommand(app: App, parsed: Arguments): Promise<CallResult> {
  const sandbox = await startOrRefuse(sandboxOptions(app, parsed));
  app.terminal.print(
    [
      `The local Payments API sandbox listens at ${sandbox.url}`,
      '',
      `  sandbox key    ${sandbox.apiKeys.sandbox}`,
      `  live key       ${sandbox.apiKeys.live}`,
      `  control token  ${sandbox.controlToken}`,
      ...(sandbox.certificatePath === null ? [] : [`  certificate    ${sandbox.certificatePath}`]),
      '',
      'In another terminal:',
      `  ${sandbox.certificatePath === null ? '' : `NODE_EXTRA_CA_CERTS=${sandbox.certificatePath} `}PAYBATCH_SANDBOX_API_KEY=${sandbox.apiKeys.sandbox} paybatch import FILE --base-url ${sandbox.url}`,
      '',
      'Ctrl-C ends it; what it holds stays.',
    ].join('\n'),
  );
  await interruption(app.interrupted);
  await sandbox.close();
  return noBatches;
}

async function startOrRefuse(options: SandboxOptions): ReturnType<typeof startSandbox> {
  try {
    return await startSandbox(options);
  } catch (error) {
    throw refuse(
      `The sandbox could not be started: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

function sandboxOptions(app: App, parsed: Arguments): SandboxOptions {
  const port = textOf(parsed, 'port');
  const latency = textOf(parsed, 'latency-ms');
  const keyLifetime = textOf(parsed, 'key-lifetime');
  const faults = textOf(parsed, 'faults');
  const kycAfter = textOf(parsed, 'kyc-after');
  const kyc = kycChoices.find((choice) => choice === parsed['kyc']);
  const customerAnswer = customerAnswers.find((choice) => choice === parsed['customer-answer']);
  return {
    dataDir: resolve(textOf(parsed, 'data-dir') ?? sandboxFolder(app.settings)),
    ...(port === undefined ? {} : { port: wholeNumber('--port', port, 65_535) }),
    ...(latency === undefined ? {} : { latencyInMs: wholeNumber('--latency-ms', latency, 600_000) }),
    ...(keyLifetime === undefined ? {} : { keyLifetimeInMs: duration('--key-lifetime', keyLifetime) }),
    ...(kycAfter === undefined ? {} : { kycAfterInMs: duration('--kyc-after', kycAfter) }),
    ...(parsed['tls'] === true ? { tls: true } : {}),
    ...(faults === undefined ? {} : { faults: faultPlan(faults) }),
    ...(kyc === undefined ? {} : { kyc }),
    ...(customerAnswer === undefined ? {} : { customerAnswer }),
  };
}

function faultPlan(text: string): ReturnType<typeof parseFaults> {
  try {
    return parseFaults(text);
  } catch (error) {
    throw refuse(`--faults: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function wholeNumber(option: string, text: string, most: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw refuse(`${option} is "${text}"; it has to be a whole number of at most ${most}.`);
}

function duration(option: string, text: string): number {
  const durationInMs = parseDuration(text);
  if (durationInMs !== null) return durationInMs;
  throw refuse(`${option} is "${text}", which is no duration such as 30s or 24h.`);
}

function refuse(message: string): PaybatchError {
  return new PaybatchError('sandbox_refused', message, 'paybatch sandbox --help, docs/sandbox.md');
}
