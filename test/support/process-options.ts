/**
 * Optimises a function when it has run thirty times as much as usual, which saves an eighth of the processors' time: most
 * functions of a test are called a few times. Later versions of Node.js have a quicker compiler in between, and no such option.
 */
const laterOptimised = process.versions.node.startsWith('20.') ? ['--interrupt-budget=2000000'] : [];

/**
 * Options of Node.js for processes that run tests. To optimise the embedded PostgreSQL takes several seconds of every process,
 * and a test is over before that gains anything. In MiB: a heap that begins small is searched for garbage again and again while
 * it grows, for 5 % of the processors' time.
 */
export const processOptions: readonly string[] = [
  '--liftoff-only',
  '--initial-heap-size=512',
  ...laterOptimised,
];
