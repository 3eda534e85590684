import { clientFaults } from '../engines/faults/client-faults.js';
import { createKubeApiserver } from './kube-apiserver.js';

clientFaults('kube-apiserver', createKubeApiserver);
