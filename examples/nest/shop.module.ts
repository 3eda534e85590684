import { Module } from '@nestjs/common';
import { KubeVitalsModule } from 'kube-vitals/nest';
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

@Module({ providers: [databaseProvider, vitalsProvider], exports: [DATABASE, VITALS] })
class PartsModule {}

const ordersProvider = {
  provide: ORDERS,
  inject: [DATABASE, VITALS],
  useFactory: (database: Database, { recorder }: Vitals): Orders => createOrders({ database, recorder }),
};

/** The service, with health and events at the root and once more below `/ops`. */
@Module({
  controllers: [OrdersController],
  providers: [ordersProvider],
  imports: [
    PartsModule,
    KubeVitalsModule.forRootAsync({
      imports: [PartsModule],
      inject: [VITALS],
      useFactory: ({ parts, handle }: Vitals) => ({ ...parts, handle, basePath: ['', '/ops'] }),
    }),
  ],
})
export class ShopModule {}
