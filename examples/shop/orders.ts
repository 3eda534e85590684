import { randomUUID } from 'node:crypto';
import type { Recorder } from 'kube-vitals/client';

/** What somebody bought. */
export interface Order {
  readonly id: string;
  readonly item: string;
  readonly amount: number;
}

/** The database behind the shop, as far as the examples need one. */
export interface Database {
  readonly insert: (order: Order) => Promise<void>;
  readonly all: () => Promise<readonly Order[]>;
  /** Rejects when the database cannot be reached. */
  readonly ping: (signal: AbortSignal) => Promise<void>;
}

/** What the routes of the shop call. */
export interface Orders {
  /** Rejects with a `RangeError` for input that is no order; that is the client's fault. */
  readonly place: (input: unknown) => Promise<Order>;
  readonly all: () => Promise<readonly Order[]>;
}

/** What {@link createOrders} needs. */
export interface OrdersOptions {
  readonly database: Database;
  /** Records every order that was placed or refused. */
  readonly recorder: Pick<Recorder, 'event'>;
}

/** The business of the shop. It depends neither on HTTP nor on Kubernetes, only on a recorder of what happens. */
export function createOrders({ database, recorder }: OrdersOptions): Orders {
  return {
    all: database.all,
    async place(input) {
      const order = readOrder(input);
      if (order === undefined) {
        recorder.event({ type: 'Warning', action: 'Place', reason: 'OrderRefused', note: 'no item, or no amount' });
        throw new RangeError('an order has an item and an amount of at least 1');
      }
      await database.insert(order);
      const regarding = { kind: 'Order', name: order.id };
      recorder.event({ regarding, action: 'Place', reason: 'OrderPlaced', note: `${order.amount} × ${order.item}` });
      return order;
    },
  };
}

/** A database that lives as long as the process. */
export function createDatabase(): Database {
  const rows: Order[] = [];
  return {
    insert: async (order) => void rows.push(order),
    all: async () => [...rows],
    ping: async (signal) => signal.throwIfAborted(),
  };
}

function readOrder(input: unknown): Order | undefined {
  const { item, amount } = (input ?? {}) as { readonly item?: unknown; readonly amount?: unknown };
  if (typeof item !== 'string' || item === '' || !Number.isInteger(amount) || (amount as number) < 1) return undefined;
  return { id: randomUUID(), item, amount: amount as number };
}
