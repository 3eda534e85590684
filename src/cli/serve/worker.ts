import { messageOf } from '../../model/error-message.js';
import { systemClock } from '../../clock/clock.js';
import type { ProcessContext } from '../command-line/command.js';
import type { Flags } from './flags.js';
import { certificateInUse, type CertificateInUse } from './certificate-in-use.js';
import { createLog, type Preparation } from './preparation.js';
import { serve } from './serve.js';
import type { Assignment } from './worker-messages.js';
import { shareRegistry } from './worker-metrics.js';
import { joinPrimary } from './worker-processes.js';

/** How much later the first worker stops listening: waiting connections are lost with the last copy of a socket. */
const CLOSES_LATER_MS = 800;

type Started = Omit<Assignment, 'certificate'> & Preparation;

export async function runWorker(flags: Flags, context: ProcessContext): Promise<number> {
  const primary = joinPrimary(context);
  const { number, access, certificate, ports } = await new Promise<Started>((resolve) => {
    let certificate: CertificateInUse | undefined;
    primary.onMessage((message) => {
      if (message.type === 'start') {
        certificate = certificateInUse(message.assignment.certificate);
        resolve({ ...message.assignment, certificate });
      }
      if (message.type === 'certificate') certificate?.replace(message.certificate);
    });
    void primary.send({ type: 'ready' });
  });
  const log = createLog(flags, context, `worker ${number}: `);
  primary.onGone(() => log('the process that started this one has ended'));
  try {
    return await serve({
      flags: { ...flags, ...ports },
      preparation: { access, certificate },
      log,
      pid: context.pid,
      onSignal: primary.onSignal,
      onServing({ secureUrl, insecureUrl, insecureHealthOnly }) {
        void primary.send({ type: 'serving', addresses: { secureUrl, insecureUrl, insecureHealthOnly } });
      },
      beforeStop: primary.leave,
      closesLaterMs: number === 1 ? CLOSES_LATER_MS : 0,
      shareMetrics: shareRegistry(number, primary, systemClock),
    });
  } catch (error) {
    await primary.send({ type: 'failed', reason: messageOf(error) });
    return 1;
  }
}
