// Health is served by every isolate, and events by one Durable Object, whose timers outlive a request.
import { memoryStore } from 'kube-vitals';
import { toFetchHandler } from 'kube-vitals/fetch';
import { createEventsOn, events, health, onError, serveEvents, serveHealth } from './service.js';

async function answer(request, served, serve) {
  if (new URL(request.url).pathname === '/shutdown') {
    await served.close();
    return new Response('closed');
  }
  return (await serve(request)) ?? new Response('no such path', { status: 404 });
}

/** Serves the events that were created while the module was evaluated. */
export class ModuleEvents {
  fetch(request) {
    return answer(request, events, serveEvents);
  }
}

/** Has events of its own. */
export class OwnEvents {
  constructor() {
    this.events = createEventsOn(memoryStore({ maxBytes: 33_554_432 }));
    this.serve = toFetchHandler(this.events.handle, { onError });
  }

  fetch(request) {
    return answer(request, this.events, this.serve);
  }
}

export default {
  async fetch(request, env) {
    // Workers get no signal before they end: this request stands for one.
    if (new URL(request.url).pathname === '/shutdown') health.startShutdown();
    return (await serveHealth(request)) ?? env.EVENTS.get(env.EVENTS.idFromName('events')).fetch(request);
  },
};
