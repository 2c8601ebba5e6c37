import { describe } from 'vitest';
import { describeExitCodes } from './exit-codes.ts';

describe('the exit code of a process', () => describeExitCodes('started'));
