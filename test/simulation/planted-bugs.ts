import type { Edit } from './patched-source.ts';
import type { ScenarioKind } from './scenario.ts';
import type { Invariant } from './world.ts';

/** A mistake that somebody could make, and the invariants of which one notices it. */
export interface PlantedBug {
  readonly name: string;
  /** The schedule that has shown it, where the first few do not. It is tried first, and the others after it. */
  readonly seed?: number;
  readonly edits: readonly Edit[];
  readonly caughtBy: readonly Invariant[];
  /** The schedules that show it; anything when absent. */
  readonly scenario?: ScenarioKind;
  /** What shows it in place of runs of one ledger: two ledgers, or a recovery from a damaged log. */
  readonly shownBy?: 'split brain' | 'damaged log';
}

/** In the engine itself. */
export const engineBugs: readonly PlantedBug[] = [
  {
    name: 'a new key for each try',
    edits: [
      {
        within: 'tryOnce',
        find: 'await client.post(request,',
        replace:
          'await client.post({ ...request, idempotencyKey: request.idempotencyKey.replace(/^./, String(attempts.length)) },',
      },
    ],
    caughtBy: ['key on disk before it is sent', 'key in the ledger before it is sent'],
  },
  {
    name: 'the body is serialised anew for each try',
    edits: [
      {
        within: 'tryOnce',
        find: 'await client.post(request,',
        replace:
          'await client.post({ ...request, body: Buffer.from(JSON.stringify(JSON.parse(request.body.toString()), null, attempts.length)) },',
      },
    ],
    caughtBy: ['one key, one request'],
  },
  {
    name: 'a key made when it is sent, not when it is prepared',
    edits: [
      {
        within: 'sendFirst',
        find: 'const { path, idempotencyKey, body } = row;',
        replace: 'const { path, body } = row; const idempotencyKey = row.idempotencyKey.replace(/^./, "x");',
      },
    ],
    caughtBy: ['key on disk before it is sent', 'key in the ledger before it is sent'],
  },
  {
    name: 'a timeout is taken for a failure',
    edits: [
      {
        within: 'outcomeOf',
        find: "return { kind: 'unknown', reason: reply.reason };",
        replace: "return { kind: 'refused', code: reply.reason, message: '' };",
      },
    ],
    caughtBy: ['rejected has no object', 'only a refusal rejects'],
  },
  {
    name: 'a timeout is taken for "nothing was sent"',
    seed: 111,
    edits: [
      {
        within: 'outcomeOf',
        find: "return { kind: 'unknown', reason: reply.reason };",
        replace: "return { kind: 'not_sent', reason: reply.reason };",
      },
    ],
    caughtBy: ['rejected has no object', 'one key, one credential', 'no key past its lifetime'],
  },
  {
    name: 'a 5xx is taken for a refusal',
    edits: [{ within: 'classifyAnswer', find: 'status >= 500 || ', replace: '' }],
    caughtBy: ['rejected has no object', 'only a refusal rejects'],
  },
  {
    name: 'a refusal after an unknown try is taken for conclusive',
    edits: [{ within: 'refused', find: 'if (!mayExist(history, attempts)) return {', replace: 'return {' }],
    caughtBy: ['rejected has no object', 'no internal error'],
  },
  {
    name: 'only earlier claims count as doubt, not earlier tries of this one',
    edits: [
      {
        within: 'mayExist',
        find: " || attempts.some(({ outcome }) => outcome === 'unknown')",
        replace: '',
      },
    ],
    caughtBy: ['rejected has no object'],
  },
  {
    name: 'what earlier claims left in doubt is forgotten',
    seed: 13,
    edits: [
      {
        within: 'sendFirst',
        find: 'isEarlierTryUnknown: row.wasUnknown,',
        replace: 'isEarlierTryUnknown: false,',
      },
    ],
    caughtBy: ['rejected has no object', 'no internal error'],
  },
  {
    name: 'a row in doubt goes back to ready when its later try was not sent',
    seed: 118,
    edits: [{ within: 'inconclusive', find: 'if (!history.isEarlierTryUnknown) return', replace: 'return' }],
    caughtBy: ['no internal error'],
  },
  {
    name: 'created before the answer is complete',
    edits: [
      {
        within: 'creation',
        find: "if (json === undefined) return { kind: 'unknown', reason: 'answer_incomplete' };",
        replace: "if (json === undefined) return { kind: 'created', objectId: 'none' };",
      },
    ],
    caughtBy: ['created has evidence'],
  },
  {
    name: 'a 2xx without an id is taken for created',
    seed: 19,
    edits: [
      {
        within: 'creation',
        find: "return { kind: 'unknown', reason: 'answer_without_id' };",
        replace: "return { kind: 'created', objectId: 'none' };",
      },
    ],
    caughtBy: ['created has evidence'],
  },
  {
    name: 'a 409 is taken for created',
    edits: [
      {
        within: 'refusal',
        find: "return { kind: 'conflict', message };",
        replace: "return { kind: 'created', objectId: 'none' };",
      },
    ],
    caughtBy: ['created has evidence'],
  },
  {
    name: 'a 401 is taken for a refusal of the row',
    seed: 11,
    edits: [
      {
        within: 'classifyAnswer',
        find: 'if (status === 401 || status === 403) {',
        replace: 'if (status === 403) {',
      },
    ],
    caughtBy: ['only a refusal rejects'],
  },
  {
    name: 'a redirect is taken for an answer that says that nothing was done',
    seed: 61,
    edits: [
      {
        within: 'redirection',
        find: "return { kind: 'unknown', reason: 'redirect', stop: cause('redirect', message) };",
        replace: "return { kind: 'stop', reason: 'redirect', message };",
      },
    ],
    caughtBy: ['rejected has no object', 'one key, one credential', 'no key past its lifetime'],
  },
  {
    name: 'a page under a 2xx is taken for an answer that says that nothing was done',
    seed: 469,
    edits: [{ within: 'classifyAnswer', find: 'status >= 400 && status !== 409', replace: 'status !== 409' }],
    caughtBy: ['rejected has no object', 'one key, one credential', 'no key past its lifetime'],
  },
  {
    name: 'Retry-After is not kept',
    seed: 15,
    edits: [{ within: 'createRunLimits', find: 'gate.closeFor(pauseInMs);', replace: '' }],
    caughtBy: ['pause kept'],
  },
  {
    name: 'the rate is not kept',
    seed: 16,
    edits: [{ within: 'createRunLimits', find: 'await rate?.acquire(halt.signal);', replace: '' }],
    caughtBy: ['rate limit'],
  },
  {
    name: 'requests in flight are not limited',
    edits: [
      {
        within: 'giveTurns',
        find: 'submission.limiter(sendNext, ',
        replace: 'sendNext(',
      },
    ],
    caughtBy: ['concurrency limit'],
  },
  {
    name: 'the stop flag is not looked at before a try',
    seed: 31,
    edits: [{ within: 'createRunLimits', find: '!halt.signal.aborted && timing', replace: 'timing' }],
    caughtBy: ['nothing is sent after a stop'],
  },
  {
    name: 'a waiting row is sent without its parent',
    edits: [
      {
        within: 'decideRows',
        find: 'missing !== undefined).map(waitFor)',
        replace: 'missing !== missing).map(waitFor)',
      },
      { within: 'decideRows', find: 'missing === undefined);', replace: 'missing === missing);' },
    ],
    caughtBy: ['parent before child'],
  },
  {
    name: 'keys are not noted in the log when they are prepared',
    edits: [
      {
        within: 'prepareGroup',
        find: 'preparations.filter(isReady)',
        replace: 'preparations.filter(isReady).slice(1)',
      },
    ],
    caughtBy: ['key on disk before it is sent'],
  },
  {
    name: 'keys that another run prepared are not noted in this log',
    edits: [{ within: 'noteKeysOfOthers', find: 'preparedBy !== run.id', replace: 'preparedBy === ""' }],
    caughtBy: ['key on disk before it is sent'],
  },
  {
    name: 'the log is not waited for before the first byte',
    edits: [
      {
        within: 'noteClaim',
        find: 'await requireKnownClaims(ledger, batchId, await runLog.seal());',
        replace: 'runLog.seal().catch(() => {});',
      },
    ],
    caughtBy: ['key on disk before it is sent', 'claim on disk before it is sent'],
  },
  {
    name: 'claims are not noted in the log',
    edits: [
      {
        within: 'noteClaim',
        find: "runLog.append([{ event: 'claim.made', run: run.id, claim, ledger: ledgerId, rows: rangesOf(rows) }]);",
        replace: '',
      },
    ],
    caughtBy: ['claim on disk before it is sent'],
  },
  {
    name: 'a claim is noted in the log before it is committed',
    edits: [
      {
        within: 'claimGroup',
        find: 'const rows = await context.ledger.claimRows({',
        replace:
          "context.runLog.append([{ event: 'claim.made', run: run.id, claim }]); await context.runLog.flush(); const rows = await context.ledger.claimRows({",
      },
    ],
    caughtBy: ['a log names only what is committed'],
  },
  {
    name: 'rows are sent whose claim the log could not take',
    seed: 38,
    edits: [
      {
        within: 'claimGroup',
        find: '  } catch (error) {\n    fail(submission, error);\n  }\n  return group;',
        replace: '  } catch {}\n  return group;',
      },
    ],
    caughtBy: ['claim on disk before it is sent', 'key on disk before it is sent'],
  },
  {
    name: 'signs of life come too late, and nobody asks before a request',
    seed: 780,
    edits: [
      { within: 'sendFirst', find: 'context.holdsBatch()', replace: 'true' },
      {
        within: 'startHeartbeat',
        find: '}, leaseInMs / beatsInLease);',
        replace: '}, leaseInMs * 3);',
      },
    ],
    caughtBy: ['one worker for a row'],
    scenario: 'one contended batch',
  },
  {
    name: 'tries of the same rows are taken for an outage',
    seed: 15,
    edits: [
      {
        within: 'outage',
        find: 'if (this.#failedProbes < mostFailedProbes ||',
        replace: 'if (this.#failedTriesInARow < triesForDoubt ||',
      },
      {
        within: 'OutageWatch',
        find: 'return this.isInDoubt && this.#failedProbes < mostFailedProbes;',
        replace: 'return false;',
      },
    ],
    caughtBy: ['bad rows stop nothing'],
    scenario: 'rows that always fail',
  },
  {
    name: 'the rows beside those that failed tell whether the API is down, not others',
    seed: 9,
    edits: [
      {
        within: 'RowQueue',
        find: 'placesOfProbes[this.#probes % placesOfProbes.length] ?? 1',
        replace: '0',
      },
    ],
    caughtBy: ['bad rows stop nothing'],
    scenario: 'rows that always fail',
  },
  {
    name: 'the last rows of a file are taken for an outage',
    edits: [{ within: 'outage', find: '|| rowsLeft <= fewRows', replace: '|| rowsLeft < 0' }],
    caughtBy: ['bad rows stop nothing'],
    scenario: 'rows that always fail',
  },
  {
    name: 'an answer to another row does not end the doubt',
    seed: 9,
    edits: [
      {
        within: 'OutageWatch',
        find: 'this.#answered();\n      return;',
        replace: 'return;',
      },
    ],
    caughtBy: ['bad rows stop nothing'],
    scenario: 'rows that always fail',
  },
  {
    name: 'rows that were set aside do not get another turn',
    edits: [
      {
        within: 'askAgain',
        find: 'giveTurns(submission, queue.takeBack());',
        replace: 'queue.takeBack();',
      },
    ],
    caughtBy: ['every run ends'],
    scenario: 'rows that always fail',
  },
  {
    name: 'nothing is ever taken for an outage',
    edits: [{ within: 'outage', find: 'rowsLeft <= fewRows', replace: 'rowsLeft > 0' }],
    caughtBy: ['an outage is told soon'],
    scenario: 'rows that always fail',
  },
];

/** In what proves that a run log is whole, and that no other ledger writes to it. */
export const logBugs: readonly PlantedBug[] = [
  {
    name: 'the head is not written',
    edits: [{ within: '#writeHead', find: 'await this.#headFile.write({', replace: 'void ({' }],
    caughtBy: ['head before it is sent'],
  },
  {
    name: 'the head is not on disk before it gets its name',
    edits: [{ within: 'write', find: 'await handle.sync();', replace: '' }],
    caughtBy: ['head before it is sent'],
  },
  {
    name: 'the log is not on disk before its head',
    edits: [{ within: '#writeTexts', find: 'if (texts.length > 0) await this.#file.sync();', replace: '' }],
    caughtBy: ['key on disk before it is sent', 'claim on disk before it is sent'],
  },
  {
    name: 'what others have claimed is not compared with the ledger',
    edits: [
      {
        within: 'requireKnownClaims',
        find: 'claims.length > 0 &&',
        replace: 'claims.length > 1e9 &&',
      },
    ],
    caughtBy: ['one object for a natural key', 'two ledgers are noticed'],
    shownBy: 'split brain',
  },
  {
    name: 'what others have claimed is not looked for in the log',
    edits: [
      {
        within: '#readOthers',
        find: 'if (claim !== null) this.#claims.push(claim);',
        replace: '',
      },
    ],
    caughtBy: ['one object for a natural key', 'two ledgers are noticed'],
    shownBy: 'split brain',
  },
  {
    name: 'what others have claimed between the comparison and the opening of the log is not looked for',
    seed: 73,
    edits: [{ within: 'readClaims', find: 'if (from === size) return [];', replace: 'return [];' }],
    caughtBy: ['one object for a natural key', 'two ledgers are noticed'],
    shownBy: 'split brain',
  },
  {
    name: 'the log is looked at before the own claim is written',
    seed: 49,
    edits: [
      {
        within: 'noteClaim',
        find: 'runLog.append([{ event: ',
        replace: 'await requireKnownClaims(ledger, batchId, await runLog.seal()); runLog.append([{ event: ',
      },
      {
        within: 'noteClaim',
        find: 'await requireKnownClaims(ledger, batchId, await runLog.seal());\n}',
        replace: 'await runLog.seal();\n}',
      },
    ],
    caughtBy: ['one object for a natural key', 'two ledgers are noticed'],
    shownBy: 'split brain',
  },
  {
    name: 'hashes of lines are not compared',
    seed: 3407,
    edits: [
      {
        within: '#follow',
        find: 'isNext && chain.hashes.some((before) => hashOfLine(before, body) === hash)',
        replace: 'isNext',
      },
    ],
    caughtBy: ['a damaged log sends nothing twice'],
    shownBy: 'damaged log',
  },
  {
    name: 'missing lines are not noticed',
    edits: [
      {
        within: '#follow',
        find: "this.#lost({ kind: 'missing', at, hidden: line - chain.line, chain: name });",
        replace: '',
      },
    ],
    caughtBy: ['a damaged log sends nothing twice'],
    shownBy: 'damaged log',
  },
  {
    name: 'the end of a log is not compared with its head',
    seed: 17,
    edits: [{ within: '#checkEnd', find: 'if (hidden <= 0) return;', replace: 'return;' }],
    caughtBy: ['a damaged log sends nothing twice'],
    shownBy: 'damaged log',
  },
  {
    name: 'a row that was claimed and has no key is let go',
    seed: 10,
    edits: [
      {
        within: 'doubtAbout',
        find: "if (claimedKey > (known?.generation ?? 0)) return 'key_lost';",
        replace: '',
      },
    ],
    caughtBy: ['a damaged log sends nothing twice'],
    shownBy: 'damaged log',
  },
  {
    name: 'claims are not counted: no claim seems to be missing',
    edits: [
      {
        within: 'lacksClaims',
        find: 'return chain === undefined || chain.claimsNamed === null || chain.claimsNamed > chain.claims;',
        replace: 'return false;',
      },
    ],
    caughtBy: ['a damaged log sends nothing twice'],
    shownBy: 'damaged log',
  },
];

/** In the ledger, where the model replaces the SQL; `ledger-conformance.test.ts` ties the two together. */
export const ledgerBugs: readonly PlantedBug[] = [
  {
    name: 'rows of a closed batch are claimed',
    seed: 9061,
    edits: [
      {
        within: 'makeClaim',
        find: ' || this.isClosed(claim.batchId)) return false;',
        replace: ') return false;',
      },
      { within: 'closeUnsentRows', find: 'if (!this.isClosed(batchId)) return 0;', replace: 'return 0;' },
    ],
    caughtBy: ['nothing of a closed batch is sent'],
  },
  {
    name: 'the fencing token is not compared',
    seed: 22,
    edits: [
      {
        within: 'recordConclusions',
        find: ' && row.leaseToken === leaseToken;\n    });\n    const repeated',
        replace: ';\n    });\n    const repeated',
      },
    ],
    caughtBy: ['a late conclusion changes nothing'],
  },
  {
    name: 'a conclusion is recorded although it came too late',
    seed: 22,
    edits: [
      {
        within: 'recordConclusions',
        find: "return row?.state === 'sending' && row.leaseToken === leaseToken;",
        replace: 'return row !== undefined && leaseToken !== null;',
      },
    ],
    caughtBy: ['a late conclusion changes nothing', 'no internal error'],
  },
  {
    name: 'a sign of life prolongs nothing',
    seed: 642,
    edits: [
      { within: 'prolongRun', find: 'run.leaseUntil = now + leaseInMs;', replace: 'run.leaseUntil = now;' },
    ],
    caughtBy: ['one worker for a row'],
  },
  {
    name: 'a takeover forgets that the row may exist',
    seed: 22,
    edits: [
      {
        within: '#takeOver',
        find: "state: 'unknown',\n        mayExist: true,",
        replace: "state: 'ready',\n        firstSentAt: null,\n        credential: null,",
      },
    ],
    caughtBy: ['rejected has no object', 'one key, one credential', 'no key past its lifetime'],
  },
  {
    name: 'a verdict counts although its row was sent since',
    seed: 211,
    edits: [
      { within: 'writeVerdict', find: 'if (row.attempts !== verdict.attempts) return false;', replace: '' },
    ],
    caughtBy: ['one object for a natural key'],
  },
  {
    name: 'the age of a key counts from its latest claim',
    seed: 994,
    edits: [{ within: '#take', find: 'firstSentAt: row.firstSentAt ?? now,', replace: 'firstSentAt: now,' }],
    caughtBy: ['no key past its lifetime'],
  },
  {
    name: 'a key that is too old is sent again',
    seed: 19,
    edits: [
      {
        within: 'holdExpiredKeys',
        find: 'now - (row.firstSentAt ?? now) >= keyLifetimeInMs',
        replace: 'keyLifetimeInMs < 0',
      },
      {
        within: 'isClaimable',
        find: 'now - row.firstSentAt < claim.keyLifetimeInMs',
        replace: 'claim.keyLifetimeInMs > 0',
      },
      {
        within: 'rowsOfClaim',
        find: '(row.firstSentAt ?? now) - now + keyLifetimeInMs',
        replace: 'keyLifetimeInMs',
      },
    ],
    caughtBy: ['no key past its lifetime'],
  },
  {
    name: 'an unknown row is sent under another credential',
    seed: 15,
    edits: [{ within: 'isClaimable', find: 'row.credential === claim.credential && ', replace: '' }],
    caughtBy: ['one key, one credential'],
  },
  {
    name: 'a natural key may be owned twice',
    edits: [
      {
        within: 'writePreparations',
        find: 'taken.has(key) || this.#ownerOf(row.environmentId, row.kind, key) !== undefined',
        replace: 'taken.has(key)',
      },
      {
        within: 'findKeyOwners',
        find: 'owner === undefined || request === undefined) continue;',
        replace: 'owner !== request) continue; if (owner === undefined || request === undefined) continue;',
      },
    ],
    caughtBy: ['one object for a natural key'],
  },
  {
    name: 'a run claims its own unknown rows again',
    edits: [{ within: 'isClaimable', find: 'isYoung && wasPutBackBefore', replace: 'isYoung' }],
    caughtBy: ['limit of tries', 'every run ends'],
  },
  {
    name: 'a run claims the rows again that it put back',
    seed: 91,
    edits: [
      {
        within: 'isClaimable',
        find: "if (row.state === 'ready') return wasPutBackBefore;",
        replace: "if (row.state === 'ready') return true;",
      },
    ],
    caughtBy: ['limit of tries', 'every run ends'],
  },
];

/** A change that does not wait for the lock of its batch. */
function withoutLock(name: string): Edit {
  return {
    within: 'begin',
    find: 'if (queue === undefined) {\n      this.#waiting.set(change.batchId, []);',
    replace: `if (queue === undefined || change.name === '${name}') {
      if (queue === undefined) this.#waiting.set(change.batchId, []);`,
  };
}

/** What a batch whose changes overwrite each other breaks sooner or later. */
const corruptBatch: readonly Invariant[] = [
  'a late conclusion changes nothing',
  'a log names only what is committed',
  'a second resume sends nothing',
  'created has evidence',
  'every row once',
  'no internal error',
  'one worker for a row',
  'the end is conclusive',
];

/** In how calls overlap; as long as each is whole before the next begins, these change nothing. */
export const overlapBugs: readonly PlantedBug[] = [
  { name: 'a claim does not wait for the lock', change: 'claimRows', seed: 8 },
  { name: 'a record does not wait for the lock', change: 'recordConclusions', seed: 178 },
  { name: 'a run begins without waiting for the lock', change: 'beginRun', seed: 1 },
  { name: 'a preparation does not wait for the lock', change: 'writePreparations', seed: 368 },
].map(({ name, change, seed }) => ({
  name,
  seed,
  edits: [withoutLock(change)],
  caughtBy: corruptBatch,
  scenario: 'one contended batch',
}));
