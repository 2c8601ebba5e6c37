/* The commands about halts, approvals, people, policies and the audit trail. */

import { plannedRows } from '../../account/batch-tables.ts';
import { haltSentences } from '../../account/words/check-text.ts';
import { approvalHeadline } from '../../account/words/wording.ts';
import type { DecisionResult, PlanForApproval } from '../../controls/approve.ts';
import { isUserRole } from '../../domain/controls/controls.ts';
import { countOf } from '../../domain/money/money.ts';
import { printable } from '../../domain/text/characters.ts';
import type { HaltResult } from '../../engine/halt.ts';
import {
  type App,
  type Arguments,
  type Command,
  ended,
  printBatches,
  sayFailure,
  textOf,
  textsOf,
  usageError,
} from '../command/command.ts';
import {
  decisionDocument,
  disownDocument,
  exportDocument,
  haltDocument,
  policyDocument,
  userDocument,
  usersDocument,
  verificationDocument,
} from '../json/controls.ts';
import type { CommandEnd } from '../json/document.ts';
import { disowningLines } from '../terminal/questions.ts';
import {
  addedText,
  auditText,
  decidedOnPolicyText,
  decidedOnUserText,
  invitedText,
  lockedText,
  policyText,
  rotatedText,
  setText,
  usersText,
} from '../views/controls.ts';
import { changeLines, titleOf } from '../views/summary.ts';
import { blocksOf, colourIf } from '../views/terminal-text.ts';
import { planBlocks } from './sending.ts';

/* The command `disown`: takes back objects that were created live with a sandbox key. */

export const disownCommand: Command = async (app, parsed) => {
  const request = { key: textOf(parsed, 'fingerprint') ?? '', note: textOf(parsed, 'note') ?? '' };
  const result = await app.engine.disown(request, app.call).result;
  printBatches(app, result);
  app.terminal.print(disowningLines(result.taken).join('\n'));
  const rows = result.taken.batches.reduce((sum, { created, existing }) => sum + created + existing, 0);
  app.terminal.print(
    `Taken back: ${countOf(rows, 'row')}. The key is refused in live mode from now on. Nothing was sent.`,
  );
  return { ...result, document: disownDocument(result, app.words) };
};

/* The command `halt`: stops everything, lifts the stop, or reports whether everything is stopped. */

export const haltCommand: Command = async (app, parsed) => {
  const request = { note: textOf(parsed, 'note'), isLifted: parsed['lift'] === true };
  const result = await app.engine.halt(request, app.call).result;
  return ended(app, result, haltLines(result).join('\n'), haltDocument(result));
};

/** The state, with one line for each fact. */
function haltLines({ halt, did, liftedBy, inDoubt }: HaltResult): readonly string[] {
  if (halt === null) return [did === 'lifted' ? 'Lifted: runs send again.' : 'Nothing is halted.'];
  const [said = '', ...held] = haltSentences({ halt, inDoubt }).map(printable);
  return [
    said,
    ...(did === 'halted'
      ? ['No run begins another request. What is in flight is finished and recorded.']
      : []),
    ...held,
    ...(liftedBy === null
      ? []
      : [
          `Version ${liftedBy} of the policy lifts it. It waits for approvals: paybatch policy approve ${liftedBy}`,
        ]),
  ];
}

/* The commands of approvers: `approve` and `reject`. */

/** Shows a plan, and signs its approval. */
export const approveCommand: Command = async (app, parsed) => {
  const request = {
    batch: textOf(parsed, 'batch') ?? '',
    planHash: textOf(parsed, 'plan-hash'),
    note: textOf(parsed, 'note'),
    report: textOf(parsed, 'report'),
  };
  const result = await app.engine.approve(request, app.call).result;
  const { plan, standing } = result;
  const { useColour, columns } = app.terminal;
  if (plan !== null) app.terminal.print(approvalText(plan, { useColour, terminalColumns: columns }));
  return reported(app, result, `Signed by ${result.by}. ${approvalHeadline(standing)}.`);
};

/** Signs the rejection of a plan. */
export const rejectCommand: Command = async (app, parsed) => {
  const request = { batch: textOf(parsed, 'batch') ?? '', note: textOf(parsed, 'note') ?? '' };
  const result = await app.engine.reject(request, app.call).result;
  return reported(
    app,
    result,
    `Rejected by ${result.by}: no row of the batch is sent until its plan is approved.`,
  );
};

function reported(app: App, result: DecisionResult, done: string): ReturnType<Command> {
  if (result.failure !== null) sayFailure(app, result.failure);
  else app.terminal.print(`\n${done}`);
  return Promise.resolve({ ...result, document: decisionDocument(result, app.words) });
}

/* Formats a plan that waits for approval, for a terminal. */

/**
 * The rows that would be sent, the changes, and the rows that would not be sent: several lines, without a newline at
 * the end.
 */
function approvalText(
  { account, report }: PlanForApproval,
  { useColour, terminalColumns }: { readonly useColour: boolean; readonly terminalColumns: number },
): string {
  const colour = colourIf(useColour);
  const { totals, planHash } = account.plan;
  const blocks = [
    [titleOf(account, colour), `  ${countOf(plannedRows(totals), 'row')} would be sent`],
    changeLines(account.changes, colour, terminalColumns),
    ...planBlocks(totals, colour),
    [`  plan hash  ${planHash}`, ...(report === null ? [] : [`  report     ${printable(report)}`])],
  ];
  return blocksOf(blocks);
}

export const userCommand: Command = (app, parsed) => {
  const action = textOf(parsed, 'action') ?? '';
  requireSuiting('user', parsed, {
    role: ['add'],
    'key-file': ['add'],
    'passphrase-file': ['add', 'rotate'],
    note: ['approve', 'reject'],
    'public-origin': ['invite'],
    name: ['add', 'approve', 'reject', 'lock', 'rotate', 'invite'],
  });
  if (action === 'list') return listUsers(app);
  return action === 'rotate'
    ? rotateKey(app, parsed)
    : actOnUser(app, action, nameIn(parsed, action), parsed);
};

async function listUsers(app: App): Promise<CommandEnd> {
  const result = await app.engine.listUsers({}, app.call).result;
  return ended(app, result, usersText(result, app.terminal.useColour), usersDocument(result));
}

async function actOnUser(app: App, action: string, name: string, parsed: Arguments): Promise<CommandEnd> {
  const { engine, call } = app;
  if (action === 'add') {
    const role = textOf(parsed, 'role');
    if (role === undefined || !isUserRole(role)) {
      throw usageError('user', 'user add needs --role: maker, approver or admin.');
    }
    const files = { keyFile: textOf(parsed, 'key-file'), passphraseFile: textOf(parsed, 'passphrase-file') };
    const added = await engine.addUser({ name, role, ...files }, call).result;
    return ended(app, added, addedText(added), userDocument(added));
  }
  if (action === 'invite') {
    const invited = await engine.inviteUser({ name }, call).result;
    const link = welcomeLink(textOf(parsed, 'public-origin') ?? usualOrigin, invited.token);
    return ended(app, invited, invitedText({ ...invited, link }), userDocument({ ...invited, link }));
  }
  if (action === 'lock') {
    const locked = await engine.lockUser({ name }, call).result;
    return ended(app, locked, lockedText(locked), userDocument(locked));
  }
  const decision = action === 'reject' ? 'reject' : 'approve';
  const decided = await engine.decideOnUser({ name, decision, note: textOf(parsed, 'note') }, call).result;
  return ended(app, decided, decidedOnUserText(decided, decision), userDocument(decided));
}

/** The address at which `serve` listens by default. */
const usualOrigin = 'http://127.0.0.1:8080';

function welcomeLink(origin: string, token: string): string {
  if (URL.canParse(origin) && /^https?:$/.test(new URL(origin).protocol)) {
    return new URL(`/welcome?token=${token}`, origin).href;
  }
  throw usageError(
    'user',
    `--public-origin is "${origin}"; it has to be an address such as https://paybatch.example.com.`,
  );
}

async function rotateKey(app: App, parsed: Arguments): Promise<CommandEnd> {
  const request = { name: textOf(parsed, 'name'), passphraseFile: textOf(parsed, 'passphrase-file') };
  const rotated = await app.engine.rotateKey(request, app.call).result;
  return ended(app, rotated, rotatedText(rotated), userDocument(rotated));
}

function nameIn(parsed: Arguments, action: string): string {
  const name = textOf(parsed, 'name');
  if (name === undefined) throw usageError('user', `Whom? user ${action} needs the user's name.`);
  return name;
}

export const policyCommand: Command = async (app, parsed) => {
  const { engine, call } = app;
  const action = textOf(parsed, 'action') ?? '';
  const file = textOf(parsed, 'file');
  requireSuiting('policy', parsed, {
    note: ['approve', 'reject', 'waive'],
    file: ['set', 'approve', 'reject'],
  });
  if (action === 'show') {
    const shown = await engine.showPolicy({}, call).result;
    return ended(app, shown, policyText(shown), policyDocument(shown));
  }
  if (action === 'set') {
    if (file === undefined) throw usageError('policy', 'policy set needs the file of the policy.');
    const set = await engine.setPolicy({ file }, call).result;
    return ended(app, set, setText(set), policyDocument(set));
  }
  if (action === 'waive') {
    const waived = await engine.waivePolicy({ note: textOf(parsed, 'note') ?? '' }, call).result;
    return ended(
      app,
      waived,
      'Waived: live batches are sent without a policy. The audit trail has your note.',
      policyDocument(waived),
    );
  }
  const decision = action === 'reject' ? 'reject' : 'approve';
  const request = { decision, note: textOf(parsed, 'note'), version: versionIn(file) } as const;
  const decided = await engine.decideOnPolicy(request, call).result;
  return ended(app, decided, decidedOnPolicyText(decided, decision), policyDocument(decided));
};

function versionIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usageError('policy', `"${text}" is no version of a policy.`);
}

/** Refuses options without an effect, since the caller would expect an effect. */
function requireSuiting(
  command: string,
  parsed: Arguments,
  actionsOf: Readonly<Record<string, readonly string[]>>,
): void {
  const action = textOf(parsed, 'action') ?? '';
  for (const [name, actions] of Object.entries(actionsOf)) {
    const value = textOf(parsed, name);
    if (value === undefined || actions.includes(action)) continue;
    const shown = name === 'name' || name === 'file' ? value : `--${name}`;
    throw usageError(command, `${command} ${action} does not take ${shown}.`);
  }
}

/* The command that verifies and exports the audit trail. */

export const auditCommand: Command = (app, parsed) =>
  textOf(parsed, 'what') === 'export' ? exportTrail(app, parsed) : verify(app, parsed);

async function verify(app: App, parsed: Arguments): Promise<CommandEnd> {
  if (textOf(parsed, 'to') !== undefined) throw usageError('audit', '--to goes with export.');
  const request = {
    batch: textOf(parsed, 'batch'),
    head: textOf(parsed, 'head'),
    logs: textsOf(parsed, 'log'),
  };
  const result = await app.engine.verifyAudit(request, app.call).result;
  return ended(app, result, auditText(result, app.terminal), verificationDocument(result));
}

async function exportTrail(app: App, parsed: Arguments): Promise<CommandEnd> {
  if (textOf(parsed, 'head') !== undefined) throw usageError('audit', '--head goes with verify.');
  if (textsOf(parsed, 'log').length > 0) throw usageError('audit', '--log goes with verify.');
  const [batch, file] = [textOf(parsed, 'batch'), textOf(parsed, 'to')];
  if (file === undefined && app.speech.json) {
    throw usageError('audit', 'With --json the events go to a file: name it with --to.');
  }
  const to = file ?? ((lines: string) => app.terminal.printBytes(Buffer.from(lines, 'utf8')));
  const result = await app.engine.exportAudit({ batch, to }, app.call).result;
  if (file !== undefined) {
    app.terminal.print(`${countOf(result.events, 'event')} written to ${printable(file)}.`);
  }
  return { ...result, document: exportDocument(result, file ?? null) };
}
