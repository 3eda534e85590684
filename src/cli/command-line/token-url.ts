/** A token may be sent unencrypted only to this machine. @throws Error for any other http URL */
export function refuseUnencryptedToken({ protocol, hostname }: URL): void {
  if (protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) {
    throw new Error('--token-file needs an https URL: a token is not sent unencrypted over a network');
  }
}
