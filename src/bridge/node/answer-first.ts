import type { ApiHandler } from '../../http/handler.js';
import { toNodeListener } from './listener.js';
import type { NodeIncoming, NodeOutgoing } from './message.js';
import { isHandedOver, type OrderableServer } from './order-requests.js';

/**
 * From now on a handler sees the requests of a server before the service does. What it answers says `Connection: close` (over
 * HTTP/2 GOAWAY follows); what it leaves (`undefined`) goes on to the service.
 */
export function answerFirst(server: OrderableServer, handler: ApiHandler): void {
  const answer = toNodeListener(handler, { signal: AbortSignal.abort() });
  const emit = server.emit as (event: string | symbol, ...values: unknown[]) => boolean;
  server.emit = (event: string | symbol, ...values: unknown[]): boolean => {
    if (!isHandedOver(event)) return emit.call(server, event, ...values);
    const [req, res] = values as [NodeIncoming, NodeOutgoing];
    answer(req, res, () => void emit.call(server, event, ...values));
    return true;
  };
}
