import { loadPhases } from './phases/load-phases.js';
import { watchPhases } from './phases/watch-phases.js';
import { cold } from './scenarios/cold.js';
import { expiry } from './scenarios/expiry.js';
import { fairness } from './scenarios/fairness.js';
import { host } from './scenarios/host.js';
import { hostile } from './scenarios/hostile.js';
import { imports } from './scenarios/imports.js';
import { jsonCalls } from './scenarios/json.js';
import { libraries } from './scenarios/libraries.js';
import { metrics } from './scenarios/metrics.js';
import { micro } from './scenarios/micro.js';
import { size } from './scenarios/size.js';
import { storm } from './scenarios/storm.js';
import { workers } from './scenarios/workers.js';

/** Kinds of requests, which every server gets in turn. */
export const phases = [...loadPhases, ...watchPhases];

/** Everything else that is measured. */
export const scenarios = [
  jsonCalls,
  cold,
  storm,
  expiry,
  size,
  host,
  hostile,
  fairness,
  libraries,
  imports,
  metrics,
  workers,
  micro,
];
