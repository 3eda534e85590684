import { optionFaults, throwFaults, type OptionRule } from '../../options/check-options.js';
import { aClock, anObjectWith, required } from '../../options/rules.js';
import { type Clock, systemClock } from '../../clock/clock.js';
import type { NodeIncoming, NodeOutgoing } from './message.js';
import { createRequestOrder, isQueued } from './request-order.js';
import { A_SERVER, SERVER_FUNCTIONS } from './trackable.js';

/** The part of a server that {@link orderRequests} uses. `node:http`, `node:https` and `node:http2` servers fit. */
export interface OrderableServer {
  /** Emits an event, such as a request. */
  emit(event: string | symbol, ...values: unknown[]): boolean;
  /** Stops listening. */
  close(): unknown;
}

/** Emitted with each request as it arrives. A registered symbol: there may be two copies of this package. */
export const REQUEST_CAME: unique symbol = Symbol.for('kube-vitals.requestCame') as never;

const ORDERED: unique symbol = Symbol.for('kube-vitals.ordersRequests') as never;

export const aServer: OptionRule = /* @__PURE__ */ required(/* @__PURE__ */ anObjectWith(SERVER_FUNCTIONS, A_SERVER));

const HANDED_OVER: ReadonlySet<string | symbol> = new Set(['request', 'checkContinue', 'checkExpectation']);

/** Calls `handle` in place of every event that hands a request to the service; `pass` emits the event. */
export function interceptRequests(
  server: OrderableServer,
  handle: (req: NodeIncoming, res: NodeOutgoing, pass: () => void) => void,
): void {
  const emit = server.emit as (event: string | symbol, ...values: unknown[]) => boolean;
  const intercept = (event: string | symbol, ...values: unknown[]): boolean => {
    if (!HANDED_OVER.has(event)) return emit.call(server, event, ...values);
    const [req, res] = values as [NodeIncoming, NodeOutgoing];
    handle(req, res, () => void emit.call(server, event, ...values));
    return true;
  };
  server.emit = intercept;
}

export function ordersRequests(server: object): boolean {
  return (server as { [ORDERED]?: boolean })[ORDERED] === true;
}

/**
 * Passes pipelined requests of one HTTP/1.1 connection to the service one after the other: each when the previous
 * response has been handed to the operating system, and none after the client has disconnected. Four are read ahead;
 * the 1,000th waiting request is the last one of its connection. `toNodeListener` does the same for its own requests;
 * this function is for services with `kube-vitals/fetch`, which has no access to connections, and for routes before the
 * listener. Streams of HTTP/2 are independent and not affected.
 *
 * Call it before the server has its first connection, before or after `trackConnections` and the listeners of the
 * service; a second call does nothing. Returns the server.
 *
 * @throws TypeError that names every fault of the arguments.
 */
export function orderRequests<Server extends OrderableServer>(
  server: Server,
  options: {
    /** The source of time. Default: the system clock. */
    readonly clock?: Clock | undefined;
  } = {},
): Server {
  throwFaults('orderRequests', [...aServer(server, 'the argument'), ...optionFaults(options, { clock: aClock })]);
  if (ordersRequests(server)) return server;
  const order = createRequestOrder(options.clock ?? systemClock);
  interceptRequests(server, (req, res, pass) => {
    (server as { emit(event: symbol, ...values: unknown[]): boolean }).emit(REQUEST_CAME, req, res);
    if (isQueued(req, res)) order.wait(req, res, pass);
    else pass();
  });
  return Object.assign(server, { [ORDERED]: true });
}
