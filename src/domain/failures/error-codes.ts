/*
 * The closed list of failures with a cause outside of paybatch. Each code has an effect on the call, and its own meaning in
 * one line.
 */

/** How a call ends with an error. Every interface shows this in its own form. */
export type ErrorKind =
  /** The request or the configuration is wrong. Nothing was sent. */
  | 'usage'
  /** A file is refused as a whole. Nothing was sent. */
  | 'file_refused'
  /** The rows that would be sent now differ from the ones that a person agreed to. Nothing was sent. */
  | 'plan_changed'
  /** The call stopped before its end, and can be continued. */
  | 'stopped'
  /** The policy requires approvals that are missing, or a person has stopped everything. Rows wait for people. */
  | 'approval_needed'
  /** The rows that would be sent are not the ones that approvers have signed. A person has to find out why. */
  | 'content_not_approved'
  /** Only a person can decide how to continue. */
  | 'decision_needed'
  /** The API refuses the key. */
  | 'credentials_refused'
  /** Another process is working there. */
  | 'busy'
  /** A bug of paybatch. */
  | 'internal';

const codes = {
  usage: {
    answer_invalid: 'an answer of the mapping dialogue is not possible',
    api_key_missing: 'there is no API key for the mode',
    api_key_of_other_mode: 'the API key was used in the other mode',
    api_key_too_short: 'the API key is too short to be a whole one',
    approval_not_needed: 'the policy asks for no approval of the batch',
    batch_missing: 'the batch is not named',
    batch_not_found: 'the ledger has no such batch, or several',
    config_invalid: 'the config file cannot be used',
    console_refused: 'the console cannot be started like this',
    configuration: 'the settings name no API, or one that must not be used',
    compare_impossible: 'what is to be compared is not on both sides',
    currency_missing: 'only one side of a comparison has a currency',
    console_key_missing: 'the console has no key to sign with',
    console_not_allowed: 'the policy takes no approvals from the console',
    database_encoding: 'the encoding of the database has no place for some characters',
    database_is_newer: 'a newer version made the ledger',
    database_is_older: 'a version before the first release made the ledger',
    database_missing: 'what is asked for needs a PostgreSQL server',
    database_not_durable: 'the database may forget what it has confirmed',
    database_not_migrated: 'the database lacks the schema, or a part of it',
    database_read_only: 'the database server takes no writes',
    database_refused: 'the database refuses the connection',
    database_url: "the database's address cannot be used",
    dialogue_ended: 'the answers of the mapping dialogue ended before the questions',
    draft_empty: 'a draft of corrections has no edits',
    decision_invalid: 'what is to be decided about differences cannot be decided',
    edit_invalid: 'what is to be edited cannot be edited',
    edit_outdated: 'rows are not what the person saw who edited them',
    engine_closed: 'the engine is closed',
    environment_unclear: 'nothing tells which API is meant',
    file_exists: 'a file that would be overwritten is there',
    invalid_country: 'this is no country code',
    invalid_delimiter: 'the delimiter cannot be used',
    key_at_new_address: 'the API key was never used at this address',
    key_not_disowned: 'the API key cannot be disowned, or nobody agreed to it',
    ledger_behind: 'a run log knows of sending that the ledger does not know',
    ledger_differs: 'the ledger is not the one that is stated for live mode',
    ledger_lost: 'a run log knows of a batch that the ledger does not know',
    ledger_unreadable: 'the embedded ledger cannot be opened',
    log_without_head: "the run log names no head of this ledger's audit trail",
    link_unusable: 'the link to set a password cannot be used',
    live_key_differs: 'the API key for live mode is not the one whose fingerprint is stated',
    live_not_confirmed: 'nobody agreed to a live run',
    may_not_approve: 'this user may not approve the batch',
    mapping_ambiguous: 'several remembered mappings have the name',
    mapping_invalid: 'the mapping cannot be used',
    mapping_not_remembered: 'no remembered mapping has the name',
    mode_contradicts: 'sandbox mode is used at an address that is known as live',
    no_terminal: 'there is nobody to ask',
    not_a_user: 'the key belongs to no user of the ledger',
    nothing_to_decide: 'what is approved or rejected does not wait for that',
    option_invalid: 'a setting has a value that is not possible',
    other_environment: 'the batch belongs to another API or mode',
    out_not_writable: 'the folder for the results cannot be written to',
    own_proposal: 'a person tries to approve their own proposal',
    passphrase_missing: 'nothing gives the passphrase of the key file',
    passphrase_weak: 'the passphrase is too short',
    passphrase_wrong: 'the passphrase does not open the key file',
    password_weak: 'the password is too easily guessed',
    password_wrong: 'the password is not the one of the person who has signed in',
    plan_hash_missing: 'a plan is approved by its hash',
    plan_hash_of_one_batch: 'one plan hash is given for several batches',
    policy_differs: 'the policy in force is not the one whose hash is stated',
    policy_invalid: 'the policy cannot be used',
    replay_not_confirmed: 'nobody agreed to a replay',
    restore_refused: 'there are people who can approve a policy',
    role_refused: 'the role of the user does not allow it',
    row_not_found: 'the batch has no such row',
    rules_invalid: 'the rules cannot be used',
    sandbox_refused: 'the sandbox cannot be started like this',
    session_ended: 'the session at the console has ended',
    selection_changed: 'the selected rows are not the ones that were agreed to',
    selection_empty: 'no row meets the conditions',
    selection_invalid: 'the conditions that select rows cannot be used',
    selection_not_confirmed: 'nobody agreed to a verdict on many rows',
    temporary_folder: "the system's folder for temporary files cannot be used",
    unknown_encoding: 'the encoding is not known',
    usage: 'the request is not complete, or contradicts itself',
    user_exists: 'there is a user of that name',
    user_key_missing: 'what is asked for needs a user with a key',
    user_key_replaced: 'the user has another key now',
    user_key_unusable: 'the key file cannot be used',
    user_locked: 'the user is locked',
    user_name_invalid: 'this can be no name of a user',
    user_not_found: 'there is no user of that name',
    verdicts_missing: 'the file of verdicts has none',
    working_folder_gone: 'the working folder is gone',
  },
  file_refused: {
    ambiguous_amounts: 'nothing tells whether points stand before decimals or thousands',
    batch_closed: 'a person has closed the batch: nothing of it is sent any more',
    binary_file: 'a text file has NUL bytes in it',
    control_line_missing: 'the control line that the mapping declares is not there',
    control_line_repeated: 'two lines are the control line',
    control_line_unclear: 'the control line does not say of which currency its total is',
    document_file: 'this is a document, not a table',
    document_type: 'a workbook has a document type in it',
    duplicate_column: 'two columns mean the same',
    empty_file: 'the file is empty',
    encoding_uncertain: 'nothing tells the encoding',
    encrypted_file: 'the workbook is protected with a password',
    export_column_missing: 'the export lacks a column that the mapping names',
    export_unreadable: 'values of the export cannot be read',
    export_without_key: 'nothing tells the records of the export apart',
    file_changed: 'the file was changed while it was read',
    file_damaged: 'the bytes of the file contradict each other',
    file_may_be_cut: 'the file ends in the middle, or without a line end',
    file_not_found: 'there is no such file',
    file_not_readable: 'the file may not be read',
    files_refused: 'several files are refused, each for its own reason',
    header_missing: 'the row of the header is empty',
    hidden_rows: 'rows are hidden, and it is not stated whether they count',
    invalid_characters: 'a title has a character that does not belong into text',
    limit_exceeded: 'the file is too large to be read safely',
    log_unusable: 'the run logs are not those of one batch',
    mapping_open: 'no person has confirmed how the file is read',
    mapping_outdated: 'the header is not the one that the remembered mapping is for',
    mapping_unused: 'a part of the mapping is for nothing in the files',
    markup_file: 'this is a web page without a table, or another XML file',
    missing_column: 'a column that every row needs is not there',
    nested_archive: 'a workbook is in a compressed file',
    not_a_file: 'this is a folder or a device',
    not_csv: 'the file cannot be read as CSV',
    other_file: 'the file is not the one of the run log',
    parent_not_recovered: 'a row refers to an object that was not recovered yet',
    quote_not_closed: 'a quotation mark is not closed',
    reading_contradicted: 'the values are written in another way than they are read',
    reading_drifted: 'what the columns hold contradicts what they held last time',
    row_unknown: 'a row corrects one that is not in the ledger',
    row_unreadable: 'a row that was sent cannot be read now',
    rows_differ: 'the number of rows is not the expected one',
    several_batches: 'the rows of the file are of several batches',
    sheet_not_found: 'there is no such sheet',
    run_log_damaged: 'a run log is damaged',
    source_differs: 'the file is not the one that was imported',
    subtotal_differs: 'a total in the file is not the sum of its rows',
    suspicious_compression: 'the file unpacks to far too much',
    too_many_invalid: 'more rows are invalid than are allowed',
    total_differs: 'the sum of the amounts is not the expected one',
    unclear_quotes: 'nothing tells what the quotation marks mean',
    unknown_batch: 'rows name a batch that the environment does not have',
    unknown_code_page: 'the code page of the workbook is not known',
    unknown_column: 'a column is not known',
    unknown_kind: 'nothing tells what the rows are',
    unknown_statement: 'the format of the statement is not known',
    unnamed_column: 'a column with values has no name',
    unsupported_archive: 'this archive is no workbook',
    verdict_refused: 'a verdict does not suit its row',
  },
  plan_changed: {
    corrections_not_planned: 'rows have corrections that are neither planned nor discarded',
    plan_changed: 'the plan is not the one that was agreed to',
  },
  stopped: {
    batch_given_up: 'another run of the same file gave the batch up',
    database_damaged: 'data of the database is damaged',
    database_failed: 'the database has an error of its own',
    database_locked: 'somebody holds a lock in the database',
    database_unavailable: 'the database is not available',
    disk_full: 'there is no room on a disk',
    file_may_be_growing: 'the file is still being written',
    folder_not_writable: 'a file of paybatch may not be written',
    interrupted: 'a person stopped it',
    lease_lost: 'another run took the batch over',
    ledger_gave_up: 'the embedded ledger could not go on',
    no_id: "the API's answers have no id where it is looked for",
    not_a_folder: 'there is a file where a folder should be, or the other way round',
    not_the_api: 'something other than the API answered',
    redirect: 'the API redirects',
    row_moved_on: 'a row moved on while verdicts were recorded',
    run_log_gone: 'the run log is not there any more',
    symbolic_link: 'a file of paybatch would be written through a symbolic link',
    system_refused: 'the operating system refused',
    unavailable: 'the API is not available',
    write_failed: 'a file of paybatch could not be written',
    wrong_path: 'the API does not know the path',
  },
  approval_needed: {
    approval_invalid: 'a stored approval is not what its approver has signed',
    approval_needed: 'the policy asks for approvals of the batch',
    halted: 'a person has stopped everything',
    policy_lost: 'live batches were recovered, and nobody has restored or waived the policy',
  },
  content_not_approved: {
    content_not_approved: 'what would be sent is not what approvers have signed',
  },
  decision_needed: {
    refused_alike: 'the API refused many rows for one reason, and created none',
    rows_in_doubt:
      'rows of a batch that is to be closed, or of an API key that is to be disowned, may exist at the API',
  },
  credentials_refused: {
    credentials: 'the API refuses the key',
  },
  busy: {
    batch_held: 'another run holds the batch',
    console_busy: 'too many people sign in at the console at once',
    ledger_locked: 'another process has the embedded ledger',
    log_in_use: 'another process writes the run log',
    run_under_way: 'a run is under way while the schema would change',
    sandbox_in_use: 'another process has the built-in sandbox',
  },
  internal: {
    internal_error: 'a bug of ours',
  },
} as const satisfies Readonly<Record<ErrorKind, Readonly<Record<string, string>>>>;

type CodesOf<Kind> = Kind extends ErrorKind ? keyof (typeof codes)[Kind] : never;

/** A stable code, for programs. */
export type ErrorCode = CodesOf<ErrorKind>;

/** A code that usually refuses a file as a whole. */
export type RefusalCode = CodesOf<'file_refused'>;

interface CodeFacts {
  /** Its effect on the call, unless the code that throws the error states another one. */
  readonly kind: ErrorKind;
  readonly meaning: string;
}

/** Every code, with its meaning. */
export const errorCodes: ReadonlyMap<string, CodeFacts> = new Map(
  Object.entries(codes).flatMap(([kind, entries]) =>
    Object.entries(entries).map(([code, meaning]) => [code, { kind: kind as ErrorKind, meaning }] as const),
  ),
);

export function kindOfCode(code: ErrorCode): ErrorKind {
  const facts = errorCodes.get(code);
  if (facts === undefined) throw new Error(`the list of codes lacks ${code}`);
  return facts.kind;
}

/** Refusals of files that are not wrong. A person has not yet decided how they are read. */
const askedAbout: ReadonlySet<string> = new Set<ErrorCode>([
  'unknown_kind',
  'unknown_column',
  'missing_column',
  'unnamed_column',
  'duplicate_column',
  'header_missing',
  'mapping_open',
  'mapping_outdated',
]);

/** Whether a file is refused only because a person has not decided how it is read. @param code the code of the refusal */
export function isOfReading(code: string): boolean {
  return askedAbout.has(code);
}
