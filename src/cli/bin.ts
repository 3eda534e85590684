#!/usr/bin/env node
// A probe runs every few seconds, and most of its time is start-up: it needs nothing but this file, which is CommonJS
// because loading the first ES module takes Node longer than the probe.
import process from 'node:process';
import { runCommand } from './command-line/command.js';
import { probeCommand } from './probe/probe-command.js';
import { runInProcess } from './run-in-process.js';

if (process.argv[2] === probeCommand.name) {
  void runInProcess(([, ...argv], context) => runCommand(probeCommand, argv, context));
} else {
  void import('./main.js');
}
