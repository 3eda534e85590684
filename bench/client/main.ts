// The load client, a process of its own: what it costs is not the servers' time, and it says how busy it was.
import { answerCalls } from '../rpc.js';
import { fill } from './fill.js';
import { load } from './load.js';
import { watch } from './watch.js';

answerCalls({ fill, load, watch });
