// The load client, in a separate process, so that its CPU time is not counted as the servers'; it reports how busy it
// was.
import { answerCalls } from '../rpc.js';
import { fill } from './fill.js';
import { load } from './load.js';
import { watch } from './watch.js';

answerCalls({ fill, load, watch });
