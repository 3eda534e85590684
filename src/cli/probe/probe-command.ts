import { createCommand, type Command } from '../command-line/command.js';
import { durationWithin, refuseUnencryptedToken } from '../command-line/parse-command-line.js';
import type { ProbeTask } from './probe.js';

interface ProbeFlags extends Pick<ProbeTask, 'caFile' | 'tokenFile'> {
  readonly timeout: number;
}

export const probeCommand: Command = createCommand<ProbeFlags>({
  name: 'probe',
  operands: ['URL'],
  summary: 'Sends one request to a health endpoint: exit code 0 if it is healthy, otherwise 1.',
  about: [
    'Sends one request to a health endpoint, as the kubelet does: for HEALTHCHECK of Docker and other supervisors that run',
    'a command.',
    '',
    'A status from 200 to 399 is healthy; redirects are not followed. The first 4 KiB of the response are printed.',
    '',
    'The exit code is 0 when the endpoint is healthy, 1 when it is not or does not respond, 2 when the command line is',
    'invalid.',
  ],
  flags: {
    timeout: {
      value: 'duration',
      fallback: '3s',
      help: 'How long the response may take, including its body.',
      read: durationWithin(1, 3_600_000, 'from 1ms to 1h'),
    },
    'ca-file': {
      value: 'file',
      help: 'Certificate authorities (PEM) to verify an https URL with. Without it certificates are not verified, as by the kubelet.',
    },
    'token-file': {
      value: 'file',
      help: 'A file with a bearer token to send. An https URL then needs --ca-file; an http URL must be on this machine.',
    },
  },
  read({ timeout, caFile, tokenFile }, text) {
    const url = readUrl(text);
    if (tokenFile !== undefined && url.protocol === 'https:' && caFile === undefined) {
      throw new Error('--token-file needs --ca-file: a token is not sent to a server that is not verified');
    }
    if (tokenFile !== undefined) refuseUnencryptedToken(url);
    // Timers count whole milliseconds.
    const timeoutMs = Math.ceil(timeout);
    return async (context) => {
      const { runProbe } = await import('./probe.js');
      return runProbe({ url, timeoutMs, caFile, tokenFile }, context);
    };
  },
});

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // Node would use the default port.
  if (url?.port === '0') throw new Error(`invalid argument ${JSON.stringify(url.host)} for URL: 0 is not a port`);
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  const shown = url === undefined || url.password === '' ? JSON.stringify(text) : 'with a password';
  throw new Error(`invalid argument ${shown} for URL: must be an http:// or https:// URL without a user`);
}
