import fc from 'fast-check';
import { testSeed } from './seed.js';

// Runs before each test file.
fc.configureGlobal({ seed: testSeed() });
