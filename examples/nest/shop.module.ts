import { Module } from '@nestjs/common';
import { createDatabase, createOrders, type Database, type Orders } from '../shop/orders.js';
import { createVitals, type Vitals } from '../shop/vitals.js';
import { ORDERS, OrdersController } from './orders.controller.js';

/** Injects the {@link Vitals}. */
export const VITALS: symbol = Symbol('vitals');
const DATABASE: symbol = Symbol('database');

const databaseProvider = { provide: DATABASE, useFactory: createDatabase };

const vitalsProvider = {
  provide: VITALS,
  inject: [DATABASE],
  useFactory(database: Database): Vitals {
    const vitals = createVitals();
    vitals.addCheck({ name: 'database', check: ({ signal }) => database.ping(signal) });
    return vitals;
  },
};

const ordersProvider = {
  provide: ORDERS,
  inject: [DATABASE, VITALS],
  useFactory: (database: Database, { record }: Vitals): Orders => createOrders({ database, record }),
};

/** The service, and the objects of health and events as providers that others may inject. */
@Module({
  controllers: [OrdersController],
  providers: [databaseProvider, vitalsProvider, ordersProvider],
  exports: [VITALS],
})
export class ShopModule {}
