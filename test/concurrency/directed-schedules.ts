import { portionDefects } from './directed-claims.ts';
import { guards } from './directed-guards.ts';
import { lockSchedules } from './directed-lock.ts';
import type { DirectedSchedule } from './stage.ts';

/** Every directed schedule. */
export const directedSchedules: readonly DirectedSchedule[] = [
  ...portionDefects,
  ...lockSchedules,
  ...guards,
];
