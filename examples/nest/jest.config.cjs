'use strict';

/** Jest as most Nest projects run it: CommonJS, through ts-jest, which checks the types as moduleResolution node10 sees them. */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/*.test.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': ['ts-jest', { tsconfig: `${__dirname}/tsconfig.jest.json` }],
  },
};
