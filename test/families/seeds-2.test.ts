import { testSeeds } from './run-seeds.ts';

testSeeds(2);
