import cluster, { type Worker } from 'node:cluster';
import { messageOf } from '../../model/error-message.js';
import { pause } from '../../clock/abortable.js';
import { systemClock } from '../../clock/clock.js';
import type { EndSignal, ProcessContext } from '../command-line/command.js';
import type { WorkerEvents, WorkerProcess } from './supervisor.js';
import type { FromWorker, ToWorker } from './worker-messages.js';

export function isWorkerProcess(): boolean {
  return cluster.isWorker;
}

/** The last messages of a process may come after its exit. */
const LAST_MESSAGES_MS = 200;

/** Starts this program once more. Workers accept connections themselves, so that none is lost with a killed worker. */
export function spawnWorker({ onMessage, onEnd }: WorkerEvents): WorkerProcess {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const worker = fork(onEnd);
  if (worker === undefined) return { send: () => undefined, kill: () => undefined };
  // An error such as that of a message to a process that has just ended.
  worker.on('error', () => undefined);
  worker.on('message', (message: FromWorker) => onMessage(message));
  const disconnected = new AbortController();
  worker.once('disconnect', () => disconnected.abort());
  worker.process.once('exit', (code, signal) => {
    // Node does not always report that the channel of a killed process is closed.
    void pause(systemClock, LAST_MESSAGES_MS, disconnected.signal).then(() => onEnd({ code, signal }));
  });
  return {
    send(message) {
      if (worker.isConnected()) worker.send(message, () => undefined);
    },
    kill: () => void worker.process.kill('SIGKILL'),
  };
}

/** `undefined` if the system cannot start another process. */
function fork(onEnd: WorkerEvents['onEnd']) {
  try {
    const worker = cluster.fork();
    if (worker.process.pid !== undefined) return worker;
    worker.process.once('error', (error) => onEnd({ code: 1, signal: null, reason: messageOf(error) }));
  } catch (error) {
    queueMicrotask(() => onEnd({ code: 1, signal: null, reason: messageOf(error) }));
  }
  return undefined;
}

/** The primary, from the point of view of a worker. */
export type Primary = ReturnType<typeof joinPrimary>;

/** Receives messages and signals from now on, in a worker process. */
export function joinPrimary({ onSignal }: Pick<ProcessContext, 'onSignal'>) {
  const self = cluster.worker as Worker;
  const messages: ((message: ToWorker) => void)[] = [];
  const gone: (() => void)[] = [];
  let hasLeft = false;
  const signals = mergeSignals();
  onSignal((signal) => signals.arrived('own', signal));
  self.on('message', (message: ToWorker) => {
    if (message.type === 'signal') signals.arrived('passed on', message.signal);
    else for (const listener of messages) listener(message);
  });
  self.once('disconnect', () => {
    // Node would otherwise end the process here, and abandon its requests.
    self.exitedAfterDisconnect = signals.isListenedTo();
    if (hasLeft) return;
    for (const listener of gone) listener();
    signals.primaryExited();
  });
  return {
    /** Resolves to true when the message has left this process, and to false if it cannot be sent. */
    send: (message: FromWorker): Promise<boolean> =>
      new Promise((resolve) => {
        if (self.isConnected()) self.send(message, (error) => resolve(error === null));
        else resolve(false);
      }),
    onMessage: (listener: (message: ToWorker) => void): void => void messages.push(listener),
    onGone: (listener: () => void): void => void gone.push(listener),
    /** Lets the primary close its copies of the listening sockets, whose connections nobody would serve. */
    leave(): void {
      hasLeft = true;
      if (self.isConnected()) self.process.disconnect();
    },
    /**
     * A terminal, or a service manager that knows all processes, sends the same signal to this process and the primary:
     * it counts once. The end of the primary counts as SIGTERM, unless there was a signal before.
     */
    onSignal: signals.onSignal as ProcessContext['onSignal'],
  };
}

/** Counts signals that may arrive in two ways. Those that arrive before there is a listener are kept for it. */
export function mergeSignals() {
  const counts = { own: 0, 'passed on': 0 };
  const early: EndSignal[] = [];
  let delivered = 0;
  let listener: ((signal: EndSignal) => void) | undefined;
  const deliver = (signal: EndSignal): void => {
    delivered += 1;
    if (listener === undefined) early.push(signal);
    else listener(signal);
  };
  return {
    arrived(way: 'own' | 'passed on', signal: EndSignal): void {
      counts[way] += 1;
      if (counts[way] > delivered) deliver(signal);
    },
    primaryExited(): void {
      if (delivered === 0) deliver('SIGTERM');
    },
    isListenedTo: (): boolean => listener !== undefined,
    onSignal(added: (signal: EndSignal) => void): () => void {
      listener = added;
      for (const signal of early.splice(0)) added(signal);
      return () => (listener = undefined);
    },
  };
}
