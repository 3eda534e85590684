import { createStandalone } from '../support/disturbed-server.js';
import { clientFaults } from './client-faults.js';

clientFaults('the standalone server', () => createStandalone(['--event-rate-limit-source-and-object=off']));
