/* Leaves out what a planted mistake is not about: its tests would only take time. */

import { beforeEach, inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The beginning of the name of the test that has to notice the planted mistake, or a part of it. */
    noticingTest: string;
  }
}

beforeEach(({ task, skip }) => {
  skip(!task.fullTestName.includes(inject('noticingTest')));
});
