/** Whether only this machine is reached, so that a token may be sent unencrypted. */
export function isOnThisMachine({ hostname }: URL): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
