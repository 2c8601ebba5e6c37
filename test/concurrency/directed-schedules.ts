import { guards } from './directed-guards.ts';
import { portionDefects } from './directed-portions.ts';
import type { DirectedSchedule } from './stage.ts';

/** Every directed schedule. */
export const directedSchedules: readonly DirectedSchedule[] = [...portionDefects, ...guards];
