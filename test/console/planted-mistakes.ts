/* Mistakes in the console and in the code below it, each with the test that has to fail once it is planted. */

import type { Edit } from '../simulation/patched-source.ts';

/** A mistake, and the test that finds it. */
export interface PlantedMistake {
  readonly name: string;
  readonly edit: Edit;
  /** Relative to `test/console`. */
  readonly file: string;
  /** The beginning of the test's name, or a part of it. */
  readonly test: string;
}

const server = 'server.test.ts';
const people = 'people.test.ts';
const drafts = 'routes/drafts.test.ts';

/** The sources in which they are planted. */
export const mistakenFolders = [
  'src/console',
  'src/engine',
  'src/account',
  'src/call',
  'src/controls',
  'src/domain',
] as const;

export const plantedMistakes: readonly PlantedMistake[] = [
  {
    name: 'nobody is asked for a session',
    edit: {
      within: 'guardRoutes',
      find: 'if (isLateUpload(request)) return undefined;',
      replace: 'return undefined;',
    },
    file: server,
    test: 'sees no page, uploads nothing',
  },
  {
    name: 'the role is not looked at',
    edit: {
      within: 'guardRoutes',
      find: 'if (mayUse(viewer.role, method,',
      replace: 'if (true || mayUse(viewer.role, method,',
    },
    file: people,
    test: 'is asked at each request',
  },
  {
    name: 'a form needs no token',
    edit: {
      within: 'guardRoutes',
      find: 'else inside.csrfProtection(request, reply, done);',
      replace: 'else done();',
    },
    file: server,
    test: 'gets an error page if a form has no token',
  },
  {
    name: 'an upload needs no token',
    edit: {
      within: 'requireToken',
      find: "if (tokens.verify(cookies['_csrf'] ?? '', token)) return;",
      replace: 'return;',
    },
    file: server,
    test: 'gets an error page if a form has no token',
  },
  {
    name: 'signing in needs no token',
    edit: { within: 'protectForms', find: "request.method === 'POST'", replace: "request.method === 'PUT'" },
    file: people,
    test: 'leads to no other site',
  },
  {
    name: 'any name of the console is its own',
    edit: { within: 'refusalOf', find: "return 'unknown_host';", replace: 'return null;' },
    file: server,
    test: 'is refused under another name',
  },
  {
    name: 'forms of other pages are taken',
    edit: { within: 'refusalOf', find: "? null : 'other_origin'; return", replace: '? null : null; return' },
    file: server,
    test: 'is refused under another name',
  },
  {
    name: 'the printed address opens it again',
    edit: { within: 'use', find: 'this.#isUsed = true;', replace: '' },
    file: server,
    test: 'sees no page, uploads nothing',
  },
  {
    name: 'scripts read the cookie of a session',
    edit: { within: 'giveSession', find: 'httpOnly: true,', replace: '' },
    file: people,
    test: 'gives a cookie that no script reads',
  },
  {
    name: 'signing in leads anywhere',
    edit: { within: 'ownAddress', find: 'address !== undefined &&', replace: 'address !== undefined ||' },
    file: people,
    test: 'leads to no other site',
  },
  {
    name: 'the plan that was shown does not matter',
    edit: {
      within: 'sendingRoutes',
      find: 'engine.submit({ batch, planHash }, options)',
      replace: 'engine.resume({ batch }, { ...options, confirm: agreeToSend })',
    },
    file: server,
    test: 'sends nothing for a second click',
  },
  {
    name: 'the plan that the approver saw does not matter',
    edit: {
      within: 'approvalRoutes',
      find: 'engine.approve({ batch, planHash, note, console }, call)',
      replace:
        'engine.approve({ batch, planHash: (await engine.approve({ batch }).result).plan?.account.plan.planHash ?? planHash, note, console }, call)',
    },
    file: 'approval.test.ts',
    test: 'refuses a plan that is not the one of today',
  },
  {
    name: 'an edit of a cell that is not the one of the page is taken',
    edit: {
      within: 'comparedEdits',
      find: 'if (own !== undefined && printable(before) === was)',
      replace: 'if (true)',
    },
    file: drafts,
    test: 'refuses a cell that somebody else has edited',
  },
  {
    name: 'an edit of many rows does something else than its preview',
    edit: {
      within: 'agreedEdits',
      find: 'if (preview.hash === wanted.hash) return edits;',
      replace: 'return edits;',
    },
    file: drafts,
    test: 'shows what an edit of many rows would do',
  },
  {
    name: 'cells are markup',
    edit: { within: 'rendered', find: 'return escaped(value);', replace: 'return value;' },
    file: 'routes/rows.test.ts',
    test: 'are shown with what is said of them',
  },
  {
    name: 'an uploaded file may be put anywhere',
    edit: { within: 'safeName', find: "basename(sentName.replaceAll('\\\\', '/'))", replace: 'sentName' },
    file: 'under-way/kept-files.test.ts',
    test: 'under a safe name',
  },
];
