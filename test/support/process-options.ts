/**
 * Optimises a function when it has run thirty times as much as usual, which saves an eighth of the processors' time: most
 * functions of a test are called a few times. Later versions of Node.js have a quicker compiler in between, and no such option.
 */
const laterOptimised = process.versions.node.startsWith('20.') ? ['--interrupt-budget=2000000'] : [];

/**
 * Options of Node.js for the program as tests start it. To optimise the embedded PostgreSQL takes more than a second of every
 * process, and a test is over before that gains anything. The tests of the package start the program without options.
 */
export const programOptions: readonly string[] = ['--liftoff-only', ...laterOptimised];

/**
 * Options for processes that run tests. In MiB: a heap that begins small is searched for garbage again and again while it grows,
 * for 5 % of the processors' time.
 */
export const processOptions: readonly string[] = [...programOptions, '--initial-heap-size=512'];
