import { BadRequestException, Body, Controller, Get, Inject, Post } from '@nestjs/common';
import type { Order, Orders } from '../shop/orders.js';

/** Injects the {@link Orders}. */
export const ORDERS: symbol = Symbol('orders');

/** The routes of the service as it was before. */
@Controller()
export class OrdersController {
  readonly #orders: Orders;

  constructor(@Inject(ORDERS) orders: Orders) {
    this.#orders = orders;
  }

  @Get('version')
  version(): { service: string; version: string } {
    return { service: 'shop', version: '1.2.3' };
  }

  @Get('orders')
  all(): Promise<readonly Order[]> {
    return this.#orders.all();
  }

  @Post('orders')
  place(@Body() body: unknown): Promise<Order> {
    return this.#orders.place(body).catch((error: unknown) => {
      throw error instanceof RangeError ? new BadRequestException(error.message) : error;
    });
  }
}
