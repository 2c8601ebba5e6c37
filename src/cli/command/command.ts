/* A command from its definition to its exit code: its context, its execution, and the output of its result. */

import type { CallResult, WrittenBatches } from '../../account/result.ts';
import {
  type Activity,
  type Actor,
  type Call,
  type ClockPort,
  systemClock,
  userName,
} from '../../call/context.ts';
import { readSettings } from '../../call/settings.ts';
import { asKnownFailure, internalError } from '../../call/start.ts';
import { exitCodes } from '../../disk/log/exit-codes.ts';
import {
  FilesRefused,
  PaybatchError,
  type Phrasebook,
  traceOf,
} from '../../domain/failures/paybatch-error.ts';
import type { Settings } from '../../domain/settings/definitions.ts';
import { printable } from '../../domain/text/characters.ts';
import { Engine } from '../../engine/engine.ts';
import { type CommandEnd, documentOf } from '../json/document.ts';
import {
  callOptionsOf,
  type GivenOptions,
  machineSettingsIn,
  type Speech,
} from '../options/given-options.ts';
import { type OptionDefinition, type SharedOptionName, terminalText } from '../options/options.ts';
import { commandLineWords, nextOf } from '../remedies/remedy-text.ts';
import { boundUsualHeapGrowth, listenForInterruption, stoppingSentence } from '../terminal/process.ts';
import { answerOn } from '../terminal/questions.ts';
import { type SaidNote, saidNote, showEventsOn } from '../terminal/show-events.ts';
import { openTerminal, type Terminal } from '../terminal/terminal.ts';
import { type OutputStreams, widthFor } from '../views/streams.ts';
import { batchSummary } from '../views/summary.ts';
import { folded, jsonText, safeForTerminal } from '../views/terminal-text.ts';

/** The values read from a command line, by option and argument name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** A word of a command line that is not an option. */
export interface ArgumentDefinition {
  readonly name: string;
  readonly description: string;
  readonly isRequired?: boolean;
  readonly isList?: boolean;
  readonly choices?: readonly string[];
}

/** An example command line, and its purpose. */
export interface Example {
  readonly line: string;
  readonly purpose: string;
}

/**
 * The definition of a command before it is loaded: how it is parsed, and its text in help, completion and the manual
 * page.
 */
export interface CommandDefinition {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly ArgumentDefinition[];
  /** The options of this command only. */
  readonly options: readonly OptionDefinition[];
  /** The shared options that are often needed with this command. */
  readonly oftenNeeded: readonly SharedOptionName[];
  readonly examples: readonly Example[];
}

/** Runs a command: passes the arguments to a use case, and its result to the terminal. */
export type Command = (app: App, parsed: Arguments) => Promise<CommandEnd>;

/** The parsed command line: the stated options, and the work to do with them. */
export interface ParsedCall {
  readonly options: GivenOptions;
  readonly work: (app: App) => Promise<CommandEnd>;
}

/** A text value; undefined when not stated. */
export function textOf(parsed: Arguments, name: string): string | undefined {
  const value = parsed[name];
  return typeof value === 'string' ? value : undefined;
}

/** A list of text values; empty when not stated. */
export function textsOf(parsed: Arguments, name: string): string[] {
  const value = parsed[name];
  return Array.isArray(value) ? value.map(String) : [];
}

/** A usage error, with the help of its command. */
export function usageError(command: string, message: string): PaybatchError {
  return new PaybatchError('usage', message, `paybatch ${command} --help`);
}

/** The end of a command whose result is a text for people, or a document with `--json`. */
export function ended<Result extends CallResult>(
  { terminal }: App,
  result: Result,
  text: string,
  document: object,
): Result & { readonly document: object } {
  terminal.print(text);
  return { ...result, document };
}

/* Prints the result of a call: its batches, its failure, or its JSON object. */

/** Prints for a person the result of each batch, and what stopped the run. */
export function printBatches(
  app: App,
  { batches, failure }: Pick<WrittenBatches, 'batches' | 'failure'>,
): void {
  const { terminal } = app;
  for (const batch of batches) {
    const summary = batchSummary(batch, {
      useColour: terminal.useColour,
      words: app.words,
      terminalColumns: terminal.columns,
    });
    terminal.print(`${summary}\n`);
  }
  if (failure !== null) sayFailure(app, failure);
}

/** Prints an error, with a next command that works as it is printed. Errors are also printed with `--quiet`. */
export function sayFailure(app: App, failure: PaybatchError): void {
  for (const line of failureLines(failure, app.words)) app.terminal.complain(line);
}

/** An error in one or two lines: what is wrong, and what to do next. */
function failureLines(failure: PaybatchError, words: Phrasebook): string[] {
  if (failure instanceof FilesRefused && failure.each.length > 1) {
    return [
      `paybatch: ${failure.each.length} files are refused:`,
      ...failure.each.flatMap((refused) => failureLines(refused, words)),
    ];
  }
  const next = nextOf(failure, words);
  return [
    `paybatch: ${printable(terminalText(failure.said))}`,
    ...(next === null ? [] : [`  next: ${printable(next)}`]),
  ];
}

/** Prints the single object of `--json` on standard output. */
function printJson(result: CommandEnd, words: Phrasebook, { stdout }: Pick<OutputStreams, 'stdout'>): void {
  stdout.write(`${jsonText(documentOf(result, words))}\n`);
}

/* The context of a command: the engine, the terminal, and the phrases of the command line. */

/** The context of every command: the engine, how it is called, and the terminal. */
export interface App {
  readonly engine: Engine;
  readonly call: Call;
  /** Aborted when the program is asked to stop. */
  readonly interrupted: AbortSignal;
  readonly settings: Settings;
  readonly clock: ClockPort;
  readonly speech: Speech;
  readonly terminal: Terminal;
  /** The possible actions, in the form of commands to type. */
  readonly words: Phrasebook;
}

/**
 * The context of a command for a person at a terminal, which shows progress and asks questions.
 * @param notes receives the notes of the calls, for `--json`
 */
export function appOn(
  terminal: Terminal,
  others: Pick<App, 'engine' | 'speech' | 'interrupted'> & {
    readonly activity: Activity;
    readonly notes?: SaidNote[];
  },
): App {
  const { engine, speech, interrupted, activity, notes } = others;
  const actor: Actor = { name: userName(), channel: 'command line' };
  const { settings } = engine;
  const words = commandLineWords({ settings });
  const show = showEventsOn(terminal, words);
  const call: Call = {
    words,
    actor,
    activity,
    signal: interrupted,
    wantsDetails: speech.verbose,
    report: (event) => {
      show(event);
      if (event.kind === 'note') notes?.push(saidNote(event.note));
    },
    confirm: answerOn(terminal),
  };
  return { engine, call, interrupted, speech, terminal, words, settings, clock: systemClock };
}

/* Runs the command of a command line, from its options to its exit code. */

/**
 * Runs a parsed command line and returns the exit code. Expected errors are printed as sentences.
 * @param isJsonAsked whether `--json` was found before the sources of options were merged
 */
export async function runCall(
  call: ParsedCall,
  environment: NodeJS.ProcessEnv,
  isJsonAsked: boolean,
  streams: OutputStreams,
): Promise<number> {
  let isJson = isJsonAsked;
  let settings: Settings | null = null;
  const notes: SaidNote[] = [];
  boundUsualHeapGrowth();
  try {
    const options = callOptionsOf(call.options, environment);
    const { speech } = options;
    settings = options.settings;
    const { timeout } = settings.sending;
    isJson = speech.json;
    const activity = { requests: 0 };
    const terminal = openTerminal(speech, environment, streams, activity);
    const interruption = listenForInterruption(
      () => terminal.complain(stoppingSentence(activity.requests, timeout)),
      () => terminal.progress.stop(),
    );
    const interrupted = interruption.signal;
    const engine = Engine.withSettings(options.values, machineSettingsIn(environment));
    try {
      const app = appOn(terminal, { engine, speech, interrupted, activity, notes });
      const end = await call.work(app);
      if (speech.json) printJson({ ...end, notes }, app.words, streams);
      return exitCodes[end.outcome];
    } finally {
      await engine.close();
      interruption.stop();
    }
  } catch (error) {
    return sayError(error, isJson, streams, settings, notes);
  }
}

/**
 * Prints an error in the call's form: as sentences, or as one JSON object. Returns the exit code.
 * @param said the settings of the call, null if it failed before they were read; and its notes
 */
export function sayError(
  error: unknown,
  isJson: boolean,
  streams: OutputStreams,
  settings: Settings | null = null,
  notes: readonly SaidNote[] = [],
): number {
  const complain = (text: string): void => {
    const columns = widthFor(streams.stderr, Number.POSITIVE_INFINITY);
    streams.stderr.write(`${safeForTerminal(folded(text, columns), false)}\n`);
  };
  const known = asKnownFailure(error);
  const words = commandLineWords({ settings: settings ?? readSettings({}) });
  if (isJson) printJson({ outcome: known.kind, batches: [], failure: known, notes }, words, streams);
  for (const line of failureLines(known, words)) complain(line);
  if (known === internalError) complain(traceOf(error));
  return exitCodes[known.kind];
}
